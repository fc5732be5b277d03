//! What a prefix of a JSON text expects next.

/// The expected token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The name of a member.
    Name,
    /// The colon after a name.
    Colon,
    /// A value.
    Value,
    /// A comma, or the closing bracket.
    Comma,
    /// The rest of a string.
    String,
}

/// The parser state at a position of a text.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) wanted: Wanted,
    /// The closing brackets of the open containers, outermost first.
    pub(super) open: Vec<char>,
    /// Offset of the end of the last token.
    pub(super) behind: usize,
    /// Offset of the start of an unfinished string.
    pub(super) string: Option<usize>,
}

impl Place {
    /// Determines the state at the end of a text that is the start of a JSON text.
    pub(super) fn behind(text: &str) -> Self {
        let mut place = Self {
            wanted: Wanted::Value,
            open: Vec::new(),
            behind: 0,
            string: None,
        };
        let bytes = text.as_bytes();
        let mut at = 0_usize;
        while let Some(byte) = bytes.get(at) {
            let rest = bytes.get(at..).unwrap_or_default();
            if matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                at = at.saturating_add(1);
                continue;
            }
            let begin = at;
            at = at.saturating_add(place.pass(*byte, rest));
            if place.wanted == Wanted::String {
                place.string = Some(begin);
            }
            place.behind = at.min(bytes.len());
        }
        place
    }

    /// Passes one token and returns its length.
    fn pass(&mut self, first: u8, rest: &[u8]) -> usize {
        match first {
            b'{' => self.enter('}', Wanted::Name),
            b'[' => self.enter(']', Wanted::Value),
            b'}' | b']' => {
                self.open.pop();
                self.wanted = Wanted::Comma;
            }
            b':' => self.wanted = Wanted::Value,
            b',' => {
                self.wanted = match self.open.last() {
                    Some('}') => Wanted::Name,
                    _ => Wanted::Value,
                }
            }
            b'"' => match string_length(rest) {
                Some(length) => {
                    self.scalar();
                    return length;
                }
                None => {
                    self.wanted = Wanted::String;
                    return rest.len();
                }
            },
            _ => {
                self.scalar();
                let end = |byte: &u8| b" \n\r\t{}[]:,\"".contains(byte);
                return rest.iter().position(end).unwrap_or(rest.len());
            }
        }
        1
    }

    fn enter(&mut self, close: char, wanted: Wanted) {
        self.open.push(close);
        self.wanted = wanted;
    }

    fn scalar(&mut self) {
        self.wanted = match self.wanted {
            Wanted::Name => Wanted::Colon,
            _ => Wanted::Comma,
        };
    }

    /// Returns a short text that leads to this state, unless it is the state after a comma.
    pub(super) fn lead(&self) -> String {
        let mut lead = String::new();
        let mut open = self.open.iter().peekable();
        while let Some(close) = open.next() {
            let inner = open.peek().is_some();
            lead.push_str(match (*close, self.wanted) {
                ('}', _) if inner => "{\"\":",
                (_, _) if inner => "[",
                ('}', Wanted::Name) => "{",
                ('}', Wanted::Colon) => "{\"\"",
                ('}', Wanted::Value) => "{\"\":",
                ('}', _) => "{\"\":\"\"",
                (_, Wanted::Value) => "[",
                (_, _) => "[\"\"",
            });
        }
        if self.open.is_empty() && self.wanted == Wanted::Comma {
            lead.push_str("\"\"");
        }
        lead
    }

    /// Whether the innermost container is an object.
    pub(super) fn in_object(&self) -> bool {
        self.open.last() == Some(&'}')
    }
}

/// Returns the length of a string including both quotes; `None` if it is unterminated.
fn string_length(text: &[u8]) -> Option<usize> {
    let mut bytes = text.iter().enumerate().skip(1);
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'\\' => {
                bytes.next();
            }
            b'"' => return Some(at.saturating_add(1)),
            _ => {}
        }
    }
    None
}
