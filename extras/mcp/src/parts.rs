//! Helpers shared by reading and writing messages.

use gatewright_model::json::{Value, quote, written};

/// Returns the member of that name; the last of several, as the data plane reads messages.
pub(crate) fn last<'v, 't>(value: &'v Value<'t>, name: &str) -> Option<&'v Value<'t>> {
    let mut members = value.members().iter().rev();
    let found = members.find(|member| member.name == name)?;
    Some(&found.value)
}

/// Returns a value as JSON, or `none` if there is none.
pub(crate) fn json_text(value: Option<&Value<'_>>, none: &str) -> String {
    value.map_or_else(|| none.to_owned(), written)
}

/// Returns an object whose members are given as JSON.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members = members.iter();
    let members: Vec<String> = members
        .map(|(name, json)| format!("{}:{json}", quote(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}
