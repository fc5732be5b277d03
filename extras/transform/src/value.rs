//! The values of templates, and how Go prints them.

use std::collections::BTreeMap;
use std::rc::Rc;

/// A value, of the kinds that `encoding/json` and the functions produce.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Value {
    /// `nil`, and missing values.
    #[default]
    Nil,
    Bool(bool),
    Int(i64),
    Float(f64),
    Str(Rc<str>),
    List(Rc<Vec<Value>>),
    Map(Rc<Map>),
    /// A time in UTC, as Unix seconds.
    Time(i64),
}

/// A map, ordered by key, as Go prints and iterates over maps in templates.
pub(crate) type Map = BTreeMap<String, Value>;

impl Value {
    pub(crate) fn str(text: impl AsRef<str>) -> Self {
        Self::Str(text.as_ref().into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(crate) fn map(members: Map) -> Self {
        Self::Map(Rc::new(members))
    }

    /// Whether `if` considers it true.
    pub(crate) fn truth(&self) -> bool {
        match self {
            Self::Nil => false,
            Self::Bool(truth) => *truth,
            Self::Int(number) => *number != 0,
            Self::Float(number) => *number != 0.0,
            Self::Str(text) => !text.is_empty(),
            Self::List(items) => !items.is_empty(),
            Self::Map(members) => !members.is_empty(),
            Self::Time(_) => true,
        }
    }

    /// Returns Go's name of its kind.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Nil => "invalid",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
            Self::List(_) => "slice",
            Self::Map(_) => "map",
            Self::Time(_) => "struct",
        }
    }

    /// Returns Go's name of its type.
    pub(crate) const fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
            Self::Time(_) => "time.Time",
            other => other.kind(),
        }
    }

    /// Formats it as `%v` does.
    pub(crate) fn print(&self) -> String {
        let mut text = String::new();
        self.print_into(&mut text);
        text
    }

    fn print_into(&self, out: &mut String) {
        match self {
            Self::Nil => out.push_str("<nil>"),
            Self::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Self::Int(number) => out.push_str(&number.to_string()),
            Self::Float(number) => out.push_str(&shortest(*number)),
            Self::Str(text) => out.push_str(text),
            Self::List(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    item.print_into(out);
                }
                out.push(']');
            }
            Self::Map(members) => {
                out.push_str("map[");
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(' ');
                    }
                    out.push_str(name);
                    out.push(':');
                    value.print_into(out);
                }
                out.push(']');
            }
            Self::Time(seconds) => {
                out.push_str(&crate::dates::format(
                    *seconds,
                    "2006-01-02 15:04:05 -0700 MST",
                ));
            }
        }
    }
}

/// Returns the digits and the decimal exponent of a finite number: `d.ddd` times ten to the exponent.
pub(crate) fn digits(number: f64) -> (String, i32) {
    let text = format!("{:e}", number.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (
        mantissa.replace('.', ""),
        exponent.parse().unwrap_or_default(),
    )
}

/// Formats an exponent as in `e+07`: with at least two digits.
pub(crate) fn exponent(value: i32) -> String {
    let sign = if value < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", value.unsigned_abs())
}

/// Formats a number as `strconv.FormatFloat(number, 'g', -1, 64)` does.
pub(crate) fn shortest(number: f64) -> String {
    if number.is_nan() {
        return "NaN".to_owned();
    }
    if number.is_infinite() {
        return if number > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    let (digits, power) = digits(number);
    if !(-4..LARGE).contains(&power) {
        let (first, rest) = digits.split_at(1.min(digits.len()));
        let sign = if number.is_sign_negative() { "-" } else { "" };
        let point = if rest.is_empty() { "" } else { "." };
        return format!("{sign}{first}{point}{rest}{}", exponent(power));
    }
    format!("{number}")
}

/// From this exponent on, Go's `%v` writes numbers with an exponent.
const LARGE: i32 = 6;

/// Formats a number as `encoding/json` does.
pub(crate) fn json_number(number: f64) -> String {
    let size = number.abs();
    if size != 0.0 && !(1e-6..1e21).contains(&size) {
        let (digits, power) = digits(number);
        let (first, rest) = digits.split_at(1.min(digits.len()));
        let sign = if number < 0.0 { "-" } else { "" };
        let point = if rest.is_empty() { "" } else { "." };
        let plus = if power < 0 { '-' } else { '+' };
        return format!("{sign}{first}{point}{rest}e{plus}{}", power.unsigned_abs());
    }
    format!("{number}")
}
