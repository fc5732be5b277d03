//! The functions of templates: those of Go's `text/template`, the sprig library's, and the gateway's own
//! (`jsonMarshal`, `xmlMarshal`). Not here: the environment, the network, files, random numbers, keys.

mod encoding;
mod lists;
mod math;
mod signatures;
mod texts;

use crate::exec::{LONGEST, index_of};
use crate::printf;
use crate::value::{Members, Value, steps};
use std::cell::Cell;
use std::collections::HashMap;

/// How many values, and how many bytes of texts, a function copies or compares in the time of a step.
const VALUES_PER_STEP: usize = 16;
const BYTES_PER_STEP: usize = 64;

/// The result of a function.
pub(crate) type Done = Result<Value, String>;

/// The arguments of a call, with the function's name.
pub(crate) struct Args<'a> {
    name: &'a str,
    values: &'a [Value],
    /// The steps that are left.
    steps: &'a Cell<u32>,
}

/// Calls one of a group's functions by its name.
type ByName = fn(&str, &Args<'_>) -> Done;

/// The functions by subject: the names of each group, and what calls them.
const GROUPS: [(&str, ByName); 5] = [
    (OWN, own),
    (texts::NAMES, texts::by_name),
    (lists::NAMES, lists::by_name),
    (math::NAMES, math::by_name),
    (encoding::NAMES, encoding::by_name),
];

/// What calls a function, and its parameters.
type Known = (ByName, &'static str);

thread_local! {
    /// The functions by name, so that no call has to look through the lists of names.
    static KNOWN: HashMap<&'static str, Known> = {
        let all = GROUPS.iter().flat_map(|(names, by_name)| {
            names.split_whitespace().map(|name| {
                let parameters = signatures::parameters(name).unwrap_or("*a");
                (name, (*by_name, parameters))
            })
        });
        all.collect()
    };
}

/// Whether there is a function of this name.
pub(crate) fn is_known(name: &str) -> bool {
    matches!(name, "and" | "or") || KNOWN.with(|known| known.contains_key(name))
}

/// Calls a function.
///
/// # Errors
/// Why it has failed.
pub(crate) fn call(name: &str, values: &[Value], steps: &Cell<u32>) -> Done {
    let args = Args {
        name,
        values,
        steps,
    };
    let known = KNOWN.with(|known| known.get(name).copied());
    let (by_name, parameters) = known.ok_or_else(|| format!("function {name:?} not defined"))?;
    signatures::check(parameters, &args)?;
    let value = by_name(name, &args)?;
    if let Value::Str(text) = &value {
        if text.len() > LONGEST {
            return Err(format!("{name} makes too long a text"));
        }
        args.reads(text.len())?;
    }
    Ok(value)
}

impl Args<'_> {
    pub(crate) fn all(&self) -> &[Value] {
        self.values
    }

    pub(crate) fn get(&self, at: usize) -> Result<&Value, String> {
        self.values
            .get(at)
            .ok_or_else(|| format!("wrong number of args for {}", self.name))
    }

    /// Returns an argument that has to be a string.
    pub(crate) fn text(&self, at: usize) -> Result<&str, String> {
        match self.get(at)? {
            Value::Str(text) => {
                self.reads(text.len())?;
                Ok(text)
            }
            other => Err(format!(
                "wrong type for value of {}; expected string; got {}",
                self.name,
                other.type_name()
            )),
        }
    }

    /// Returns an argument of any type as text.
    pub(crate) fn shown(&self, at: usize) -> Result<String, String> {
        Ok(shown(self.get(at)?))
    }

    pub(crate) fn int(&self, at: usize) -> Result<i64, String> {
        Ok(to_int(self.get(at)?))
    }

    pub(crate) fn size(&self, at: usize) -> Result<usize, String> {
        Ok(usize::try_from(self.int(at)?).unwrap_or_default())
    }

    pub(crate) fn list(&self, at: usize) -> Result<Vec<Value>, String> {
        match self.get(at)? {
            Value::List(items) => {
                self.takes(items.len())?;
                Ok(items.to_vec())
            }
            other => Err(format!("{}: {} is no list", self.name, other.type_name())),
        }
    }

    /// Counts the steps for copying so many values, or comparing them with one.
    ///
    /// # Errors
    /// If none is left.
    pub(crate) fn takes(&self, values: usize) -> Result<(), String> {
        steps(self.steps, values / VALUES_PER_STEP)
    }

    /// Counts the steps for reading or writing a text of so many bytes.
    ///
    /// # Errors
    /// If none is left.
    pub(crate) fn reads(&self, bytes: usize) -> Result<(), String> {
        steps(self.steps, bytes / BYTES_PER_STEP)
    }

    /// Returns the map that a function changes.
    pub(crate) fn members(&self) -> Result<&Members, String> {
        match self.get(0)? {
            Value::Map(members) => Ok(members),
            _ => Err(format!("{}: the map is nil", self.name)),
        }
    }

    /// Sets a member of that map.
    pub(crate) fn set(&self, name: &str, value: Value) -> Result<(), String> {
        self.members()?.set(name, value, self.steps)
    }

    pub(crate) fn map(&self, at: usize) -> Result<crate::value::Map, String> {
        match self.get(at)? {
            Value::Map(members) => {
                self.takes(members.read().len())?;
                Ok(members.copy())
            }
            // Go passes an empty map for nil.
            Value::Nil => Ok(crate::value::Map::new()),
            other => Err(format!(
                "wrong type for value of {}; expected map[string]interface {{}}; got {}",
                self.name,
                other.type_name()
            )),
        }
    }
}

/// Converts a value as sprig's `strval` does.
pub(crate) fn shown(value: &Value) -> String {
    value.print()
}

/// Converts a value as sprig's `toInt64` does.
#[expect(clippy::cast_possible_truncation, reason = "as Go does it")]
pub(crate) fn to_int(value: &Value) -> i64 {
    match value {
        Value::Int(number) => *number,
        Value::Float(number) => *number as i64,
        Value::Bool(truth) => i64::from(*truth),
        Value::Str(text) => integer(text).unwrap_or_default(),
        _ => 0,
    }
}

/// Parses an integer with an optional prefix for its base; zeros after a point are ignored.
fn integer(text: &str) -> Option<i64> {
    let text = match text.split_once('.') {
        Some((whole, part)) if !part.is_empty() && part.bytes().all(|digit| digit == b'0') => whole,
        _ => text,
    };
    let text = text.replace('_', "").to_ascii_lowercase();
    let (sign, digits) = match text.strip_prefix(['-', '+']) {
        Some(digits) => (text.get(..1)?, digits),
        None => ("", text.as_str()),
    };
    let bases = [("0x", 16), ("0o", 8), ("0b", 2), ("0", 8)];
    let found = bases.into_iter().find_map(|(prefix, base)| {
        let digits = digits
            .strip_prefix(prefix)
            .filter(|digits| !digits.is_empty())?;
        Some((digits, base))
    });
    let (digits, base) = found.unwrap_or((digits, 10));
    i64::from_str_radix(&format!("{sign}{digits}"), base).ok()
}

/// Converts a value as sprig's `toFloat64` does.
#[expect(clippy::cast_precision_loss, reason = "as Go does it")]
pub(crate) fn to_float(value: &Value) -> f64 {
    match value {
        Value::Int(number) => *number as f64,
        Value::Float(number) => *number,
        Value::Bool(truth) => f64::from(u8::from(*truth)),
        Value::Str(text) => text.replace('_', "").parse().unwrap_or_default(),
        _ => 0.0,
    }
}

const OWN: &str = "call eq ge gt html index js le len lt ne not print printf println urlquery";

fn own(name: &str, args: &Args<'_>) -> Done {
    let all = args.values;
    Ok(match name {
        "not" => Value::Bool(!args.get(0)?.truth()),
        "eq" => Value::Bool(equal(args)?),
        "ne" => Value::Bool(!equal(args)?),
        "lt" => Value::Bool(less(args)?),
        "le" => Value::Bool(less(args)? || equal(args)?),
        "gt" => Value::Bool(!(less(args)? || equal(args)?)),
        "ge" => Value::Bool(!less(args)?),
        "len" => Value::Int(index_of(match args.get(0)? {
            Value::Str(text) => text.len(),
            Value::List(items) => items.len(),
            Value::Map(members) => members.read().len(),
            other => return Err(format!("len of type {}", other.type_name())),
        })),
        "index" => index(args)?,
        "print" => Value::str(printf::print(all)),
        "println" => {
            let texts: Vec<String> = all.iter().map(Value::print).collect();
            Value::str(format!("{}\n", texts.join(" ")))
        }
        "printf" => Value::str(printf::format(
            args.text(0)?,
            all.get(1..).unwrap_or_default(),
        )),
        "html" => Value::str(escape(&written(all), |letter| {
            Some(match letter {
                '<' => "&lt;",
                '>' => "&gt;",
                '&' => "&amp;",
                '"' => "&#34;",
                '\'' => "&#39;",
                '\0' => "\u{fffd}",
                _ => return None,
            })
        })),
        "js" => Value::str(escape(&written(all), |letter| {
            Some(match letter {
                '\u{2028}' => "\\u2028",
                '\u{2029}' => "\\u2029",
                '\\' => "\\\\",
                '\'' => "\\'",
                '"' => "\\\"",
                '<' => "\\u003C",
                '>' => "\\u003E",
                '&' => "\\u0026",
                '=' => "\\u003D",
                '\n' => "\\u000A",
                '\r' => "\\u000D",
                '\t' => "\\u0009",
                _ => return None,
            })
        })),
        "urlquery" => Value::str(gatewright_model::text::percent::encode_query(&written(all))),
        "call" => return Err("call of a value that is no function".to_owned()),
        _ => return Err(String::new()),
    })
}

/// Returns what a template would print for these values; for nil that is the text `<no value>`.
fn written(values: &[Value]) -> String {
    let shown = |value: &Value| match value {
        Value::Nil => Value::str("<no value>"),
        other => other.clone(),
    };
    printf::print(&values.iter().map(shown).collect::<Vec<_>>())
}

fn escape(text: &str, by: impl Fn(char) -> Option<&'static str>) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match by(letter) {
            Some(escaped) => out.push_str(escaped),
            None => out.push(letter),
        }
    }
    out
}

const BAD: &str = "incompatible types for comparison";

/// `eq`: whether the first argument equals one of the others.
fn equal(args: &Args<'_>) -> Result<bool, String> {
    let first = args.get(0)?;
    args.get(1)?;
    for other in args.values.iter().skip(1) {
        let is_same = match (first, other) {
            (Value::Nil, other) | (other, Value::Nil) => *other == Value::Nil,
            (Value::Str(text), Value::Str(other)) => {
                args.reads(text.len().min(other.len()))?;
                text == other
            }
            (Value::Bool(_), Value::Bool(_))
            | (Value::Int(_), Value::Int(_))
            | (Value::Float(_), Value::Float(_))
            | (Value::Time(_), Value::Time(_)) => first == other,
            (Value::List(_) | Value::Map(_), Value::List(_) | Value::Map(_)) => {
                return Err(format!("non-comparable type {}", first.type_name()));
            }
            _ => return Err(BAD.to_owned()),
        };
        if is_same {
            return Ok(true);
        }
    }
    Ok(false)
}

fn less(args: &Args<'_>) -> Result<bool, String> {
    match (args.get(0)?, args.get(1)?) {
        (Value::Int(left), Value::Int(right)) => Ok(left < right),
        (Value::Float(left), Value::Float(right)) => Ok(left < right),
        (Value::Str(left), Value::Str(right)) => {
            args.reads(left.len().min(right.len()))?;
            Ok(left < right)
        }
        (left, right) if left.kind() == right.kind() => {
            Err("invalid type for comparison".to_owned())
        }
        _ => Err(BAD.to_owned()),
    }
}

/// `index`: an element, or an element of that, and so on.
fn index(args: &Args<'_>) -> Done {
    let mut value = args.get(0)?.clone();
    for key in args.values.iter().skip(1) {
        value = match (&value, key) {
            (Value::List(items), Value::Int(at)) => {
                let found = usize::try_from(*at).ok().and_then(|at| items.get(at));
                found
                    .cloned()
                    .ok_or_else(|| format!("index out of range: {at}"))?
            }
            (Value::Str(text), Value::Int(at)) => {
                let found = usize::try_from(*at)
                    .ok()
                    .and_then(|at| text.as_bytes().get(at));
                let found = found.ok_or_else(|| format!("index out of range: {at}"))?;
                Value::Int(i64::from(*found))
            }
            (Value::Map(members), Value::Str(name)) => members.get(name).unwrap_or_default(),
            (Value::Nil, _) => return Err("index of untyped nil".to_owned()),
            (Value::List(_) | Value::Str(_) | Value::Map(_), key) => {
                return Err(format!("cannot index with type {}", key.type_name()));
            }
            (other, _) => return Err(format!("can't index item of type {}", other.type_name())),
        };
    }
    Ok(value)
}
