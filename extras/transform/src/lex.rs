//! The tokens of Go's `text/template`: texts, and what is between `{{` and `}}`.

/// A token of an action, or the text between two actions.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Token {
    Text(String),
    Left,
    Right,
    Word(String),
    Field(String),
    Variable(String),
    Str(String),
    Int(i64),
    Float(f64),
    Dot,
    Pipe,
    Open,
    Close,
    Comma,
    Declare,
    Assign,
    Space,
}

/// The tokens of a template, with their positions.
#[derive(Debug, Default)]
pub(crate) struct Lexed {
    pub tokens: Vec<Token>,
    /// The number of bytes from the start of each token to the end of the template.
    pub left: Vec<usize>,
    /// The same for what is being read.
    reading: usize,
}

impl Lexed {
    fn push(&mut self, token: Token) {
        self.tokens.push(token);
        self.left.push(self.reading);
    }
}

/// Splits a template into tokens.
///
/// # Errors
/// What is wrong with it, and how many bytes before its end.
pub(crate) fn lex(source: &str) -> Result<Lexed, (String, usize)> {
    let mut lexed = Lexed::default();
    match read(source, &mut lexed) {
        Ok(()) => Ok(lexed),
        Err(why) => Err((why, lexed.reading)),
    }
}

fn read(source: &str, tokens: &mut Lexed) -> Result<(), String> {
    let mut rest = source;
    let mut trims = false;
    while let Some(at) = rest.find("{{") {
        tokens.reading = rest.len();
        let (text, behind) = rest.split_at(at);
        let text = if trims {
            text.trim_start_matches(SPACE)
        } else {
            text
        };
        let mut inner = behind.get(2..).unwrap_or_default();
        let mut text = text;
        if let Some(behind) = inner.strip_prefix('-')
            && behind.starts_with(SPACE)
        {
            text = text.trim_end_matches(SPACE);
            inner = behind.trim_start_matches(SPACE);
        }
        if !text.is_empty() {
            tokens.push(Token::Text(text.to_owned()));
        }
        tokens.reading = behind.len();
        if let Some(comment) = inner.strip_prefix("/*") {
            let end = comment.find("*/").ok_or("unclosed comment")?;
            let behind = comment.get(end.saturating_add(2)..).unwrap_or_default();
            let dashed = behind.trim_start_matches(SPACE);
            (rest, trims) = match (behind.strip_prefix("}}"), dashed.strip_prefix("-}}")) {
                (Some(behind), _) => (behind, false),
                (None, Some(behind))
                    if dashed.len() < behind.len().saturating_add(4)
                        && behind.len() < rest.len() =>
                {
                    (behind, true)
                }
                _ => return Err("comment ends before closing delimiter".to_owned()),
            };
            continue;
        }
        tokens.push(Token::Left);
        (rest, trims) = action(inner, tokens)?;
        tokens.push(Token::Right);
    }
    let rest = if trims {
        rest.trim_start_matches(SPACE)
    } else {
        rest
    };
    if !rest.is_empty() {
        tokens.reading = rest.len();
        tokens.push(Token::Text(rest.to_owned()));
    }
    Ok(())
}

impl Token {
    /// Returns a token's spelling in the template, for messages.
    pub(crate) fn written(token: Option<&Self>) -> String {
        let sign = match token {
            None => return "the end".to_owned(),
            Some(Self::Text(_)) => return "text".to_owned(),
            Some(Self::Str(text)) => return format!("{text:?}"),
            Some(Self::Int(number)) => return number.to_string(),
            Some(Self::Float(number)) => return number.to_string(),
            Some(Self::Field(name)) => return format!(".{name}"),
            Some(Self::Word(name) | Self::Variable(name)) => name,
            Some(Self::Left) => "{{",
            Some(Self::Right) => "}}",
            Some(Self::Dot) => ".",
            Some(Self::Pipe) => "|",
            Some(Self::Open) => "(",
            Some(Self::Close) => ")",
            Some(Self::Comma) => ",",
            Some(Self::Declare) => ":=",
            Some(Self::Assign) => "=",
            Some(Self::Space) => "a blank",
        };
        sign.to_owned()
    }
}

const SPACE: [char; 4] = [' ', '\t', '\r', '\n'];

/// Reads the tokens of an action; returns the rest of the template, and whether its leading white space is trimmed.
fn action<'s>(mut rest: &'s str, tokens: &mut Lexed) -> Result<(&'s str, bool), String> {
    loop {
        tokens.reading = rest.len();
        let blank = rest.trim_start_matches(SPACE);
        if blank.len() < rest.len() {
            if let Some(behind) = blank.strip_prefix("-}}") {
                return Ok((behind, true));
            }
            tokens.push(Token::Space);
            rest = blank;
            tokens.reading = rest.len();
        }
        if let Some(behind) = rest.strip_prefix("}}") {
            return Ok((behind, false));
        }
        let mut letters = rest.chars();
        let first = letters.next().ok_or("unclosed action")?;
        let after = letters.as_str();
        let (token, behind) = match first {
            '|' => (Token::Pipe, after),
            '(' => (Token::Open, after),
            ')' => (Token::Close, after),
            ',' => (Token::Comma, after),
            '=' => (Token::Assign, after),
            ':' => (
                Token::Declare,
                after.strip_prefix('=').ok_or("expected :=")?,
            ),
            '"' => {
                let (text, behind) = quoted(after)?;
                (Token::Str(text), behind)
            }
            '`' => {
                let (text, behind) = after
                    .split_once('`')
                    .ok_or("unterminated raw quoted string")?;
                (Token::Str(text.to_owned()), behind)
            }
            '\'' => {
                let mut letters = after.chars();
                let mut letter = letters.next().ok_or("unterminated character constant")?;
                if letter == '\\' {
                    letter = escape(&mut letters, '\'').ok_or("malformed character constant")?;
                }
                let behind = letters.as_str().strip_prefix('\'');
                let behind = behind.ok_or("malformed character constant")?;
                (Token::Int(i64::from(u32::from(letter))), behind)
            }
            '$' => {
                let (name, behind) = word(after);
                (Token::Variable(format!("${name}")), behind)
            }
            '.' if !after.starts_with(|c: char| c.is_ascii_digit()) => {
                let (name, behind) = word(after);
                if name.is_empty() {
                    (Token::Dot, behind)
                } else {
                    (Token::Field(name.to_owned()), behind)
                }
            }
            '+' | '-' | '.' | '0'..='9' => number(rest)?,
            c if c.is_alphabetic() || c == '_' => {
                let (name, behind) = word(rest);
                (Token::Word(name.to_owned()), behind)
            }
            c => return Err(format!("unexpected {c:?} in an action")),
        };
        tokens.push(token);
        rest = behind;
    }
}

fn word(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_');
    text.split_at(end.unwrap_or(text.len()))
}

fn number(text: &str) -> Result<(Token, &str), String> {
    let is_part = |(at, c): (usize, char)| {
        c.is_ascii_alphanumeric()
            || matches!(c, '_' | '.')
            || (matches!(c, '+' | '-')
                && (at == 0
                    || text.get(..at).is_some_and(|before| {
                        before.ends_with(['e', 'E']) && !before.contains("0x")
                    })))
    };
    let end = text
        .char_indices()
        .find(|found| !is_part(*found))
        .map_or(text.len(), |(at, _)| at);
    let (written, behind) = text.split_at(end);
    let plain = written.replace('_', "");
    let (sign, digits) = match plain.strip_prefix(['+', '-']) {
        Some(digits) => (if plain.starts_with('-') { "-" } else { "" }, digits),
        None => ("", plain.as_str()),
    };
    let radix = |prefix: &str, radix| {
        let digits = digits.to_ascii_lowercase();
        let digits = digits.strip_prefix(prefix)?;
        i64::from_str_radix(&format!("{sign}{digits}"), radix).ok()
    };
    let integer = radix("0x", 16)
        .or_else(|| radix("0o", 8))
        .or_else(|| radix("0b", 2))
        // The traditional octal prefix, the same as `0o`.
        .or_else(|| radix("0", 8));
    let integer = integer.or_else(|| plain.trim_start_matches('+').parse::<i64>().ok());
    if let Some(integer) = integer {
        return Ok((Token::Int(integer), behind));
    }
    let is_float = digits.starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match plain.parse::<f64>() {
        // Unlike in Go, a constant such as 1e3 is not an integer as well.
        Ok(number) if is_float => Ok((Token::Float(number), behind)),
        _ => Err(format!("bad number syntax: {written:?}")),
    }
}

/// Reads a quoted string, after its opening quote.
fn quoted(text: &str) -> Result<(String, &str), String> {
    let mut out = String::new();
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        out.push(match letter {
            '"' => return Ok((out, letters.as_str())),
            '\n' => break,
            '\\' => escape(&mut letters, '"').ok_or("bad escape in a quoted string")?,
            plain => plain,
        });
    }
    Err("unterminated quoted string".to_owned())
}

/// Reads what follows a backslash between these quotes.
fn escape(letters: &mut std::str::Chars<'_>, quote: char) -> Option<char> {
    let first = letters.next()?;
    let code = |digits: &str, radix| char::from_u32(u32::from_str_radix(digits, radix).ok()?);
    let mut taken = |length: usize| letters.by_ref().take(length).collect::<String>();
    Some(match first {
        'n' => '\n',
        't' => '\t',
        'r' => '\r',
        'a' => '\u{7}',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'v' => '\u{b}',
        '\\' => '\\',
        'x' => code(&taken(2), 16)?,
        'u' => code(&taken(4), 16)?,
        'U' => code(&taken(8), 16)?,
        '0'..='7' => code(&format!("{first}{}", taken(2)), 8)?,
        other if other == quote => other,
        _ => return None,
    })
}
