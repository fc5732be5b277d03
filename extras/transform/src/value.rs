//! The values of templates, and how Go prints them.

use crate::text::Text;
use std::cell::{Cell, OnceCell, Ref, RefCell};
use std::collections::BTreeMap;
use std::fmt::{Debug, Formatter};
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
    Str(Text),
    List(Rc<Vec<Value>>),
    Map(Members),
    /// A time in UTC, as Unix seconds.
    Time(i64),
}

/// A map, ordered by key, as Go prints and iterates over maps in templates.
pub(crate) type Map = BTreeMap<Text, Value>;

/// Returns a map with one member.
pub(crate) fn single(name: impl Into<Text>, value: Value) -> Map {
    let mut map = Map::new();
    map.insert(name.into(), value);
    map
}

/// A map that several values refer to, and that functions may change.
#[derive(Clone)]
pub(crate) struct Members(Rc<Stored>);

/// A map as it was read, until more is asked for than a member: most templates look at a few members of many objects.
#[derive(Default)]
struct Stored {
    /// The members in the order of the text, until they are sorted.
    listed: RefCell<Vec<(Text, Value)>>,
    sorted: OnceCell<RefCell<Map>>,
}

/// Objects with more members than this are sorted at once.
const FEW: usize = 16;

impl Members {
    fn of(members: Map) -> Self {
        Self(Rc::new(Stored {
            sorted: OnceCell::from(RefCell::new(members)),
            ..Stored::default()
        }))
    }

    fn sorted(&self) -> &RefCell<Map> {
        self.0.sorted.get_or_init(|| {
            let mut map = Map::new();
            map.extend(self.0.listed.take());
            RefCell::new(map)
        })
    }

    pub(crate) fn read(&self) -> Ref<'_, Map> {
        self.sorted().borrow()
    }

    pub(crate) fn copy(&self) -> Map {
        self.read().clone()
    }

    /// Returns a member; `None` if there is none of this name.
    pub(crate) fn get(&self, name: &str) -> Option<Value> {
        if let Some(sorted) = self.0.sorted.get() {
            return sorted.borrow().get(name).cloned();
        }
        let listed = self.0.listed.borrow();
        let mut last = listed.iter().rev();
        last.find(|(known, _)| **known == *name)
            .map(|(_, value)| value.clone())
    }

    /// Removes a member.
    pub(crate) fn remove(&self, name: &str) {
        self.sorted().borrow_mut().remove(name);
    }

    /// Sets a member.
    ///
    /// # Errors
    /// If the map would contain itself, or the value is too large to find out within these steps.
    pub(crate) fn set(&self, name: &str, value: Value, steps: &Cell<u32>) -> Result<(), String> {
        if self.is_in(&value, steps)? {
            return Err("a map can't contain itself".to_owned());
        }
        self.sorted().borrow_mut().insert(name.into(), value);
        Ok(())
    }

    fn is_in(&self, value: &Value, steps: &Cell<u32>) -> Result<bool, String> {
        step(steps)?;
        Ok(match value {
            Value::List(items) => {
                for item in items.iter() {
                    if self.is_in(item, steps)? {
                        return Ok(true);
                    }
                }
                false
            }
            Value::Map(members) if Rc::ptr_eq(&members.0, &self.0) => true,
            Value::Map(members) => {
                for value in members.read().values() {
                    if self.is_in(value, steps)? {
                        return Ok(true);
                    }
                }
                false
            }
            _ => false,
        })
    }
}

impl Debug for Members {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        self.read().fmt(out)
    }
}

impl PartialEq for Members {
    fn eq(&self, other: &Self) -> bool {
        *self.read() == *other.read()
    }
}

/// Counts a step.
///
/// # Errors
/// If none is left.
pub(crate) fn step(left: &Cell<u32>) -> Result<(), String> {
    steps(left, 1)
}

/// Counts several steps.
///
/// # Errors
/// If not as many are left.
pub(crate) fn steps(left: &Cell<u32>, count: usize) -> Result<(), String> {
    let count = u32::try_from(count).ok();
    let fewer = count.and_then(|count| left.get().checked_sub(count));
    left.set(fewer.ok_or("the template takes too long")?);
    Ok(())
}

impl Value {
    pub(crate) fn str(text: impl AsRef<str>) -> Self {
        Self::Str(text.as_ref().into())
    }

    pub(crate) fn list(items: Vec<Self>) -> Self {
        Self::List(Rc::new(items))
    }

    pub(crate) fn map(members: Map) -> Self {
        Self::Map(Members::of(members))
    }

    /// Returns a map with these members; the last of repeated ones counts.
    pub(crate) fn object(members: Vec<(Text, Self)>) -> Self {
        let members = Members(Rc::new(Stored {
            listed: RefCell::new(members),
            ..Stored::default()
        }));
        if members.0.listed.borrow().len() > FEW {
            members.sorted();
        }
        Self::Map(members)
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
            Self::Map(members) => !members.read().is_empty(),
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

    /// Appends what [`Self::print`] returns.
    pub(crate) fn print_into(&self, out: &mut String) {
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
                for (index, (name, value)) in members.read().iter().enumerate() {
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
