//! What a text that is JSON up to a place waits for there.

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The name of a member.
    Name,
    /// The colon behind a name.
    Colon,
    /// A value.
    Value,
    /// A comma, or the end of what is open.
    Comma,
    /// The rest of a string.
    String,
}

/// A place in a text.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) wanted: Wanted,
    /// What closes the containers that are open there, the outermost first.
    pub(super) open: Vec<char>,
    /// Where the last token before it ends.
    pub(super) behind: usize,
    /// Where the string begins whose rest is wanted.
    pub(super) string: Option<usize>,
}

impl Place {
    /// The place behind a text, which is the beginning of a JSON text.
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

    /// Passes one token, and says how long it is.
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

    /// A short text that leads to such a place, unless a comma has led to it.
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

    /// Whether members stand there, not elements.
    pub(super) fn in_object(&self) -> bool {
        self.open.last() == Some(&'}')
    }
}

/// How long a string is with both quotes; nothing if it has no end.
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
