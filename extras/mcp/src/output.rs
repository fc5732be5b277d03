//! Whether the result of a tool matches its `outputSchema`
//! (<https://modelcontextprotocol.io/specification/2025-11-25/server/tools>, *Output Schema*).
//!
//! The promise: every keyword that such a schema contains (`crates/model/src/openapi/compile/tools/outputs.rs`) is
//! checked according to JSON Schema 2020-12. A check that takes too many steps, as with a schema that references
//! itself, counts as a mismatch.

use crate::parts::last;
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Kind, Value, decimal};

/// The maximum number of comparisons of a schema with a value.
const MAX_STEPS: u32 = 1_000_000;

/// The maximum nesting of schemas, references included.
const MAX_DEPTH: u32 = 256;

const DEFS: &str = "#/$defs/";

/// Returns why a value doesn't match a schema; `None` if it does.
pub(crate) fn mismatch(schema: &Value<'_>, value: &Value<'_>) -> Option<String> {
    let mut check = Check {
        root: schema,
        steps: 0,
        depth: 0,
    };
    let Mismatch { pointer, why } = check.schema(schema, value).err()?;
    Some(match pointer.is_empty() {
        true => why,
        false => format!("{pointer}: {why}"),
    })
}

struct Check<'s> {
    root: &'s Value<'s>,
    steps: u32,
    depth: u32,
}

/// A mismatch and its position, as a JSON Pointer.
struct Mismatch {
    pointer: String,
    why: String,
}

impl Mismatch {
    /// Prepends a token to the position of a mismatch within a part.
    fn within(mut self, token: &str) -> Self {
        let mut pointer = String::new();
        push_token(&mut pointer, token);
        self.pointer.insert_str(0, &pointer);
        self
    }
}

fn because(why: impl Into<String>) -> Result<(), Mismatch> {
    Err(Mismatch {
        pointer: String::new(),
        why: why.into(),
    })
}

impl<'s> Check<'s> {
    fn schema(&mut self, schema: &'s Value<'s>, value: &Value<'_>) -> Result<(), Mismatch> {
        self.steps = self.steps.saturating_add(1);
        self.depth = self.depth.saturating_add(1);
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            return because("it takes too many steps to say whether this fits");
        }
        for keyword in schema.members() {
            self.keyword(schema, &keyword.name, &keyword.value, value)?;
        }
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    fn keyword(
        &mut self,
        schema: &'s Value<'s>,
        name: &str,
        expected: &'s Value<'s>,
        value: &Value<'_>,
    ) -> Result<(), Mismatch> {
        match name {
            "$ref" => {
                let name = expected.as_str().and_then(|to| to.strip_prefix(DEFS));
                let root = self.root;
                let target = name.and_then(|name| root.get("$defs")?.get(name));
                target.map_or(Ok(()), |target| self.schema(target, value))
            }
            "type" => is_of(expected, value),
            "enum" if !expected.items().iter().any(|listed| is_same(listed, value)) => {
                because("it is none of the listed values")
            }
            "const" if !is_same(expected, value) => because("it is another value"),
            "required" => {
                let object = matches!(value.kind, Kind::Object(_));
                let mut names = expected.items().iter().filter_map(Value::as_str);
                let missing = names.find(|name| object && last(value, name).is_none());
                missing.map_or(Ok(()), |name| {
                    because(format!("the member {name} is missing"))
                })
            }
            "properties" | "additionalProperties" => {
                let known = schema.get("properties");
                for member in value.members() {
                    let of_member = match (name, known.and_then(|known| known.get(&member.name))) {
                        ("properties", found) => found,
                        (_, Some(_)) => None,
                        (_, None) => Some(expected),
                    };
                    if let Some(of_member) = of_member {
                        let fits = self.schema(of_member, &member.value);
                        fits.map_err(|mismatch| mismatch.within(&member.name))?;
                    }
                }
                Ok(())
            }
            "items" => {
                for (number, item) in value.items().iter().enumerate() {
                    let fits = self.schema(expected, item);
                    fits.map_err(|mismatch| mismatch.within(&number.to_string()))?;
                }
                Ok(())
            }
            "allOf" => {
                let mut parts = expected.items().iter();
                parts.try_for_each(|part| self.schema(part, value))
            }
            "anyOf" => {
                let depth = self.depth;
                for part in expected.items() {
                    self.depth = depth;
                    if self.schema(part, value).is_ok() {
                        return Ok(());
                    }
                }
                because("it fits none of the alternatives")
            }
            _ => Ok(()),
        }
    }
}

fn is_of(expected: &Value<'_>, value: &Value<'_>) -> Result<(), Mismatch> {
    let types = match &expected.kind {
        Kind::Array(types) => types.as_slice(),
        _ => std::slice::from_ref(expected),
    };
    let types: Vec<&str> = types.iter().filter_map(Value::as_str).collect();
    let is_one = |kind: &&str| match (*kind, &value.kind) {
        ("object", Kind::Object(_))
        | ("array", Kind::Array(_))
        | ("string", Kind::String(_))
        | ("boolean", Kind::Bool(_))
        | ("null", Kind::Null) => true,
        ("number", Kind::Number(text)) => is_finite(text),
        ("integer", Kind::Number(text)) => is_finite(text) && decimal::is_integer(text),
        _ => false,
    };
    match types.iter().any(is_one) {
        true => Ok(()),
        false => because(format!(
            "it is {}, not {}",
            value.kind.type_name(),
            types.join(" or ")
        )),
    }
}

/// Whether the clients that check a number next can hold it: they parse it as a floating-point number.
fn is_finite(text: &str) -> bool {
    const LARGEST: &str = "1.7976931348623157e308";
    decimal::compare(text.trim_start_matches('-'), LARGEST).is_le()
}

/// Whether two scalar values are equal.
fn is_same(one: &Value<'_>, other: &Value<'_>) -> bool {
    match (&one.kind, &other.kind) {
        (Kind::Number(one), Kind::Number(other)) => decimal::compare(one, other).is_eq(),
        (one, other) => one == other,
    }
}
