//! Small things that reading and writing messages share.

use gatewright_model::json::{Value, quote, written};

/// The member of that name; of several the last one, as the data plane reads messages.
pub(crate) fn last<'v, 't>(value: &'v Value<'t>, name: &str) -> Option<&'v Value<'t>> {
    let mut members = value.members().iter().rev();
    let found = members.find(|member| member.name == name)?;
    Some(&found.value)
}

/// A value as JSON, or what stands for none.
pub(crate) fn json_text(value: Option<&Value<'_>>, none: &str) -> String {
    value.map_or_else(|| none.to_owned(), written)
}

/// An object of members that are JSON.
pub(crate) fn object(members: &[(&str, String)]) -> String {
    let members = members.iter();
    let members: Vec<String> = members
        .map(|(name, json)| format!("{}:{json}", quote(name)))
        .collect();
    format!("{{{}}}", members.join(","))
}
