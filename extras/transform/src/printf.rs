//! Go's `fmt`: `Sprint` and the verbs of `Sprintf`.

use crate::value::{Value, digits, exponent, shortest};

/// `Sprint`: adds spaces between values neither of which is a string.
pub(crate) fn print(values: &[Value]) -> String {
    let mut out = String::new();
    let mut before_is_text = true;
    for (index, value) in values.iter().enumerate() {
        let is_text = matches!(value, Value::Str(_));
        if index > 0 && !is_text && !before_is_text {
            out.push(' ');
        }
        out.push_str(&value.print());
        before_is_text = is_text;
    }
    out
}

/// The flags, width and precision of a verb.
#[derive(Default)]
struct Form {
    minus: bool,
    plus: bool,
    sharp: bool,
    blank: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
}

/// The maximum width of a field.
const WIDEST: usize = 1_000_000;

/// Formats values as `Sprintf` does.
pub(crate) fn format(text: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    // The index of the next value, and whether a verb has named its own.
    let (mut at, mut named) = (0_usize, false);
    while let Some(letter) = letters.next() {
        if letter != '%' {
            out.push(letter);
            continue;
        }
        let mut form = Form::default();
        while let Some(flag) = letters.peek() {
            match flag {
                '-' => form.minus = true,
                '+' => form.plus = true,
                '#' => form.sharp = true,
                ' ' => form.blank = true,
                '0' => form.zero = true,
                _ => break,
            }
            letters.next();
        }
        form.width = number(&mut letters, values, &mut at).unwrap_or_default();
        if letters.next_if_eq(&'.').is_some() {
            form.precision = Some(number(&mut letters, values, &mut at).unwrap_or_default());
        }
        if letters.next_if_eq(&'[').is_some() {
            let index = number(&mut letters, values, &mut at).unwrap_or_default();
            letters.next_if_eq(&']');
            (at, named) = (index.saturating_sub(1), true);
        }
        match letters.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => {
                // With `%v`, the flag prints the names of struct fields.
                form.plus &= verb != 'v';
                match values.get(at) {
                    None if named => out.push_str(&format!("%!{verb}(BADINDEX)")),
                    None => out.push_str(&format!("%!{verb}(MISSING)")),
                    Some(value) => out.push_str(&form.write(verb, value)),
                }
                at = at.saturating_add(1);
            }
        }
    }
    let extra = values.get(at..).filter(|_| !named).unwrap_or_default();
    let extra: Vec<String> = extra
        .iter()
        .map(|value| match value {
            Value::Nil => "<nil>".to_owned(),
            other => format!("{}={}", other.type_name(), other.print()),
        })
        .collect();
    if !extra.is_empty() {
        out.push_str(&format!("%!(EXTRA {})", extra.join(", ")));
    }
    out
}

/// Reads a width, a precision or an index: digits, or `*` for the next value.
fn number(
    letters: &mut std::iter::Peekable<std::str::Chars<'_>>,
    values: &[Value],
    at: &mut usize,
) -> Option<usize> {
    if letters.next_if_eq(&'*').is_some() {
        let given = values.get(*at);
        *at = at.saturating_add(1);
        return match given {
            Some(Value::Int(given)) => usize::try_from(*given).ok().map(|given| given.min(WIDEST)),
            _ => None,
        };
    }
    let mut digits = String::new();
    while let Some(digit) = letters.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    let number = (!digits.is_empty()).then(|| digits.parse().unwrap_or(WIDEST));
    number.map(|number| number.min(WIDEST))
}

impl Form {
    fn write(&self, verb: char, value: &Value) -> String {
        let text = match (verb, value) {
            ('T', _) => value.type_name().to_owned(),
            ('v', _) => return self.plain(value),
            ('t', Value::Bool(truth)) => truth.to_string(),
            ('s', Value::Str(text)) => self.cut(text),
            ('q', Value::Str(text)) => quoted(&self.cut(text)),
            ('x' | 'X', Value::Str(text)) => {
                let bytes = text.bytes().map(|byte| format!("{byte:02x}"));
                let between = if self.blank { " " } else { "" };
                let hex = bytes.collect::<Vec<_>>().join(between);
                if verb == 'X' { hex.to_uppercase() } else { hex }
            }
            ('s', Value::Time(_)) => value.print(),
            ('d' | 'b' | 'o' | 'x' | 'X' | 'c' | 'q' | 'U', Value::Int(number)) => {
                return self.integer(verb, *number);
            }
            ('e' | 'E' | 'f' | 'F' | 'g' | 'G', Value::Float(number)) => {
                let text = match verb {
                    'e' | 'E' => self.scientific(*number),
                    'f' | 'F' => format!("{number:.*}", self.precision.unwrap_or(6)),
                    _ => general(*number, self.precision),
                };
                let text = if verb == 'E' || verb == 'G' {
                    text.to_uppercase()
                } else {
                    text
                };
                return self.pad(&self.float(text), self.zero);
            }
            // A verb applies to each element.
            (_, Value::List(_) | Value::Map(_)) => {
                return each(value, |item| self.write(verb, item));
            }
            (_, Value::Nil) => return format!("%!{verb}(<nil>)"),
            (_, other) => {
                return format!("%!{verb}({}={})", other.type_name(), self.plain(other));
            }
        };
        self.pad(&text, self.zero)
    }

    /// Formats a value as `%v` does.
    fn plain(&self, value: &Value) -> String {
        let text = match value {
            Value::Str(text) if self.sharp => quoted(text),
            Value::Str(text) => self.cut(text),
            Value::Float(number) => {
                return self.pad(&self.float(general(*number, self.precision)), self.zero);
            }
            Value::Int(number) => return self.integer('d', *number),
            Value::List(_) | Value::Map(_) => return each(value, |item| self.plain(item)),
            other => other.print(),
        };
        self.pad(&text, self.zero)
    }

    fn cut(&self, text: &str) -> String {
        match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        }
    }

    fn integer(&self, verb: char, number: i64) -> String {
        let size = number.unsigned_abs();
        let code = u32::try_from(number).ok().and_then(char::from_u32);
        let code = code.unwrap_or('\u{fffd}');
        let mark = |mark: &'static str| if self.sharp { mark } else { "" };
        let digits = match verb {
            'b' => format!("{}{size:b}", mark("0b")),
            'o' => format!("{}{size:o}", mark("0")),
            'x' => format!("{}{size:x}", mark("0x")),
            'X' => format!("{}{size:X}", mark("0X")),
            'c' => return self.pad(&code.to_string(), false),
            'q' => return self.pad(&format!("'{code}'"), false),
            'U' => return self.pad(&format!("U+{size:04X}"), false),
            _ => size.to_string(),
        };
        let digits = match self.precision {
            Some(least) => format!("{digits:0>least$}"),
            None => digits,
        };
        // A precision already says how many zeros there are.
        let zeros = self.zero && self.precision.is_none();
        self.pad(&self.signed(number, &digits), zeros)
    }

    fn signed(&self, number: i64, digits: &str) -> String {
        let sign = match number {
            ..0 => "-",
            _ if self.plus => "+",
            _ if self.blank => " ",
            _ => "",
        };
        format!("{sign}{digits}")
    }

    fn float(&self, text: String) -> String {
        if text.starts_with(['-', '+']) {
            text
        } else if self.plus {
            format!("+{text}")
        } else if self.blank {
            format!(" {text}")
        } else {
            text
        }
    }

    fn scientific(&self, number: f64) -> String {
        let text = format!("{number:.*e}", self.precision.unwrap_or(6));
        let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
        format!("{mantissa}{}", exponent(power.parse().unwrap_or_default()))
    }

    fn pad(&self, text: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if self.minus {
            return format!("{text}{}", " ".repeat(missing));
        }
        if zeros && !self.minus {
            let signs = text
                .len()
                .saturating_sub(text.trim_start_matches(['-', '+', ' ']).len());
            let (sign, digits) = text.split_at(signs);
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        format!("{}{text}", " ".repeat(missing))
    }
}

/// Formats each element of a list or a map.
fn each(value: &Value, show: impl Fn(&Value) -> String) -> String {
    let (name, items) = match value {
        Value::Map(members) => {
            let members = members.copy().into_iter();
            let shown = members.map(|(name, value)| {
                let name = show(&Value::str(name));
                format!("{name}:{}", show(&value))
            });
            ("map", shown.collect::<Vec<_>>())
        }
        Value::List(items) => ("", items.iter().map(show).collect()),
        _ => return String::new(),
    };
    format!("{name}[{}]", items.join(" "))
}

/// Formats a number as `%g` with a precision does.
fn general(number: f64, precision: Option<usize>) -> String {
    let Some(precision) = precision.map(|precision| precision.max(1)) else {
        return shortest(number);
    };
    let rounded: f64 = format!("{number:.*e}", precision.saturating_sub(1))
        .parse()
        .unwrap_or(number);
    let (figures, power) = digits(rounded);
    let most = i32::try_from(precision).unwrap_or(i32::MAX);
    if power < -4 || power >= most {
        let (first, rest) = figures.split_at(1.min(figures.len()));
        let sign = if number < 0.0 { "-" } else { "" };
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}{}", exponent(power));
    }
    format!("{rounded}")
}

/// Quotes a text as Go does.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            c if u32::from(c) < 0x20 || c == '\u{7f}' => {
                out.push_str(&format!("\\x{:02x}", u32::from(c)))
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
