//! Go's `fmt`: `Sprint` and the verbs of `Sprintf`.

use crate::value::{Value, digits, exponent, shortest};

/// `Sprint`: blanks stand between values of which neither is a text.
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

/// The widest field.
const WIDEST: usize = 1_000_000;

/// `Sprintf`.
pub(crate) fn format(text: &str, values: &[Value]) -> String {
    let mut out = String::new();
    let mut letters = text.chars().peekable();
    let mut values = values.iter();
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
        let mut number = || {
            if letters.next_if_eq(&'*').is_some() {
                let Some(Value::Int(given)) = values.next() else {
                    return Some(0);
                };
                return usize::try_from(*given).ok();
            }
            let mut found = None;
            while let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(10)) {
                let digit = usize::try_from(digit).unwrap_or_default();
                found = Some(
                    found
                        .unwrap_or(0_usize)
                        .saturating_mul(10)
                        .saturating_add(digit),
                );
                letters.next();
            }
            found
        };
        form.width = number().unwrap_or_default().min(WIDEST);
        if letters.next_if_eq(&'.').is_some() {
            let mut digits = String::new();
            if letters.next_if_eq(&'*').is_some()
                && let Some(Value::Int(given)) = values.next()
            {
                digits = given.to_string();
            }
            while let Some(digit) = letters.next_if(char::is_ascii_digit) {
                digits.push(digit);
            }
            form.precision = Some(digits.parse().unwrap_or(0_usize).min(WIDEST));
        }
        match letters.next() {
            None => out.push_str("%!(NOVERB)"),
            Some('%') => out.push('%'),
            Some(verb) => match values.next() {
                None => out.push_str(&format!("%!{verb}(MISSING)")),
                Some(value) => out.push_str(&form.write(verb, value)),
            },
        }
    }
    let extra: Vec<String> = values
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

impl Form {
    fn write(&self, verb: char, value: &Value) -> String {
        let text = match (verb, value) {
            ('T', _) => value.type_name().to_owned(),
            ('v', Value::Str(text)) if self.sharp => quoted(text),
            ('v', Value::Nil) => "<nil>".to_owned(),
            ('v', Value::Float(number)) => return self.number(&self.float(shortest(*number))),
            ('v', Value::Int(number)) => {
                return self.number(&self.signed(*number, &number.unsigned_abs().to_string()));
            }
            ('v', other) => other.print(),
            ('t', Value::Bool(truth)) => truth.to_string(),
            ('s', Value::Str(text)) => self.cut(text),
            ('q', Value::Str(text)) => quoted(&self.cut(text)),
            ('x' | 'X', Value::Str(text)) => {
                let hex: String = text.bytes().map(|byte| format!("{byte:02x}")).collect();
                if verb == 'X' { hex.to_uppercase() } else { hex }
            }
            ('s', Value::Time(_)) => value.print(),
            ('d' | 'b' | 'o' | 'x' | 'X' | 'c' | 'q' | 'U', Value::Int(number)) => {
                return self.whole(verb, *number);
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
                return self.number(&self.float(text));
            }
            // A verb goes for each element.
            (_, Value::List(items)) => {
                let items: Vec<String> = items.iter().map(|item| self.write(verb, item)).collect();
                return format!("[{}]", items.join(" "));
            }
            (_, Value::Map(members)) => {
                let members = members.iter().map(|(name, value)| {
                    format!(
                        "{}:{}",
                        self.write(verb, &Value::str(name)),
                        self.write(verb, value)
                    )
                });
                let members: Vec<String> = members.collect();
                return format!("map[{}]", members.join(" "));
            }
            (_, Value::Nil) => format!("%!{verb}(<nil>)"),
            (_, other) => format!("%!{verb}({}={})", other.type_name(), other.print()),
        };
        self.pad(&text, false)
    }

    fn cut(&self, text: &str) -> String {
        match self.precision {
            Some(most) => text.chars().take(most).collect(),
            None => text.to_owned(),
        }
    }

    fn whole(&self, verb: char, number: i64) -> String {
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
        self.number(&self.signed(number, &digits))
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

    fn number(&self, text: &str) -> String {
        self.pad(
            text,
            self.zero && !self.minus && self.precision.is_none_or(|_| text.contains('.')),
        )
    }

    fn pad(&self, text: &str, zeros: bool) -> String {
        let missing = self.width.saturating_sub(text.chars().count());
        if self.minus {
            return format!("{text}{}", " ".repeat(missing));
        }
        if zeros {
            let signs = text
                .len()
                .saturating_sub(text.trim_start_matches(['-', '+', ' ']).len());
            let (sign, digits) = text.split_at(signs);
            return format!("{sign}{}{digits}", "0".repeat(missing));
        }
        format!("{}{text}", " ".repeat(missing))
    }
}

/// `%g` with a precision.
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

/// A text as Go quotes it.
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
