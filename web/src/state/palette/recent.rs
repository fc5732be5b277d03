//! The most recent choices, as the browser stores them for this origin: names and addresses, no credentials.

use gatewright_model::json::{Value, parse, quote};

use super::{Entry, Kind};
use crate::routes::BASE;

/// The local storage key.
pub const STORED: &str = "gatewright.recent";
/// How many are stored.
const KEPT: usize = 8;

/// Parses the output of [`write`]; anything else is ignored.
#[must_use]
pub fn read(text: &str) -> Vec<Entry> {
    let value = parse(text).ok();
    let items = value.as_ref().map(Value::items).unwrap_or_default();
    let one = |item: &Value<'_>| {
        let text = |name: &str| item.str(name).unwrap_or_default();
        let url = text("url");
        let below = url.strip_prefix(BASE).filter(|rest| rest.starts_with('/'));
        let entry = Entry::object(
            Kind::of(text("kind"))?,
            text("id"),
            text("name"),
            below.map(|_| url.to_owned())?,
        );
        (!entry.name.is_empty()).then(|| entry.with_detail(text("detail")))
    };
    items.iter().filter_map(one).take(KEPT).collect()
}

/// Writes the entries as text.
#[must_use]
pub fn write(entries: &[Entry]) -> String {
    let one = |entry: &Entry| {
        let url = entry.url()?;
        let [kind, id, name, detail, url] = [
            entry.kind.word(),
            &entry.id,
            &entry.name,
            &entry.detail,
            url,
        ]
        .map(quote);
        Some(format!(
            r#"{{"kind":{kind},"id":{id},"name":{name},"detail":{detail},"url":{url}}}"#
        ))
    };
    let each: Vec<String> = entries.iter().filter_map(one).collect();
    format!("[{}]", each.join(","))
}

/// Returns the entries with another one in front.
#[must_use]
pub fn with(chosen: &Entry, before: Vec<Entry>) -> Vec<Entry> {
    if chosen.url().is_none() {
        return before;
    }
    let others = before.into_iter().filter(|entry| entry.act != chosen.act);
    let all = std::iter::once(chosen.clone()).chain(others);
    all.take(KEPT).collect()
}
