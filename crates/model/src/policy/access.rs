//! Merges the rights to one API that several policies grant (reference section 2.4, rows 9, 10 and 12). A list that
//! only one policy has is copied unchanged, except that entries with the same URL are merged.
//!
//! Lists are united as lists. An empty one adds nothing, so it doesn't lift the restrictions of another policy: the
//! same as in the reference, and the safe choice.

use super::limits::Pace;
use super::part::{Object, Part, array, array_of_texts, distinct, grouped};

/// The access definitions of one API, in the order of their policies.
pub(super) type Entries<'e, 'a> = &'e [Part<'a>];

/// Returns the first text that isn't empty, as JSON.
pub(super) fn first_text(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    only(entries, name)
        .first()
        .map(|part| part.json().to_owned())
}

/// `versions`: all texts, without duplicates.
pub(super) fn texts(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    combined(entries, name, |given| {
        let all: Vec<&str> = given
            .iter()
            .flat_map(|part| part.items())
            .filter_map(as_text)
            .collect();
        array_of_texts(&distinct(&all))
    })
}

/// `allowed_urls`: the methods of entries with the same URL and otherwise equal members are united; two entries with
/// different conditions stay separate.
pub(super) fn allowed_urls(entries: Entries<'_, '_>) -> Option<String> {
    let given = only(entries, "allowed_urls");
    let key = |spec: Part<'_>| {
        let others = spec
            .members()
            .filter(|(name, _)| !matches!(*name, "url" | "methods"));
        let mut key = spec.str("url").to_owned();
        for (name, value) in others.filter(|(_, value)| !value.is_empty()) {
            key.push('\0');
            key.push_str(name);
            key.push_str(value.json());
        }
        key
    };
    (!given.is_empty()).then(|| united(&given, "methods", key))
}

/// `allowed_types` and `restricted_types`: the fields of entries of the same type are united.
pub(super) fn types(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    combined(entries, name, |given| {
        united(given, "fields", |of| of.str("name").to_owned())
    })
}

/// `field_access_rights`: the greater depth wins, -1 being the greatest.
pub(super) fn fields(entries: Entries<'_, '_>) -> Option<String> {
    let depth = |part: Part<'_>| {
        let limits = part.get("limits")?.value;
        Some(crate::session::integer(limits, "max_query_depth"))
    };
    combined(entries, "field_access_rights", |given| {
        let key =
            |field: Part<'_>| format!("{}\0{}", field.str("type_name"), field.str("field_name"));
        best(given, key, |new, old| {
            let (new, old) = (depth(new).unwrap_or(0), depth(old).unwrap_or(0));
            old != -1 && (new == -1 || new > old)
        })
    })
}

/// `json_rpc_methods` and `mcp_primitives`: the higher rate for the same type and name wins.
pub(super) fn rates(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    combined(entries, name, |given| {
        let key = |of: Part<'_>| format!("{}\0{}", of.str("type"), of.str("name"));
        best(given, key, has_higher_rate)
    })
}

/// `endpoints`: the higher rate for the same path and method wins.
pub(super) fn endpoints(entries: Entries<'_, '_>) -> Option<String> {
    combined(entries, "endpoints", |given| {
        let all: Vec<Part<'_>> = given.iter().flat_map(|list| list.items()).collect();
        let keyed: Vec<_> = all
            .iter()
            .map(|endpoint| (endpoint.str("path"), *endpoint))
            .collect();
        let each = grouped(&keyed).into_iter().map(|same| {
            let lists: Vec<_> = same
                .iter()
                .filter_map(|endpoint| endpoint.get("methods"))
                .collect();
            let key = |method: Part<'_>| method.str("name").to_ascii_uppercase();
            with(&same, "methods", || best(&lists, key, has_higher_rate))
        });
        let each: Vec<String> = each.collect();
        array(each.iter().map(String::as_str))
    })
}

/// `json_rpc_methods_access_rights` and `mcp_access_rights`: lists of texts are united at any depth.
pub(super) fn rules(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    combined(entries, name, united_rules)
}

/// Whether any of them sets this flag, as JSON.
pub(super) fn any(entries: Entries<'_, '_>, name: &str) -> Option<String> {
    let on = entries.iter().any(|entry| entry.on(name));
    on.then(|| "true".to_owned())
}

/// Returns the non-empty values of a member.
fn only<'a>(entries: Entries<'_, 'a>, name: &str) -> Vec<Part<'a>> {
    let given = entries.iter().filter_map(|entry| entry.get(name));
    given.filter(|part| !part.is_empty()).collect()
}

/// Combines the values of several policies; a single one is copied unchanged.
fn combined(
    entries: Entries<'_, '_>,
    name: &str,
    combine: impl FnOnce(&[Part<'_>]) -> String,
) -> Option<String> {
    match only(entries, name).as_slice() {
        [] => None,
        [single] => Some(single.json().to_owned()),
        several => Some(combine(several)),
    }
}

fn as_text<'a>(part: Part<'a>) -> Option<&'a str> {
    part.value.as_str()
}

fn has_higher_rate(new: Part<'_>, old: Part<'_>) -> bool {
    pace(new).is_higher_than(pace(old))
}

fn pace(part: Part<'_>) -> Pace<'_> {
    part.get("limit").map(Pace::read).unwrap_or_default()
}

/// Groups list elements by key and picks the best of each group, in the order of first occurrence.
fn best(
    lists: &[Part<'_>],
    key: impl Fn(Part<'_>) -> String,
    wins: impl Fn(Part<'_>, Part<'_>) -> bool,
) -> String {
    let all: Vec<_> = lists
        .iter()
        .flat_map(|list| list.items())
        .map(|item| (key(item), item))
        .collect();
    let keyed: Vec<_> = all
        .iter()
        .map(|(key, item)| (key.as_str(), *item))
        .collect();
    let each = grouped(&keyed).into_iter().filter_map(|same| {
        same.into_iter()
            .reduce(|old, new| if wins(new, old) { new } else { old })
    });
    array(each.map(Part::json))
}

/// Groups list elements by key and takes the first of each group, with the texts of one member united over the group.
fn united(lists: &[Part<'_>], member: &str, key: impl Fn(Part<'_>) -> String) -> String {
    let all: Vec<_> = lists
        .iter()
        .flat_map(|list| list.items())
        .map(|item| (key(item), item))
        .collect();
    let keyed: Vec<_> = all
        .iter()
        .map(|(key, item)| (key.as_str(), *item))
        .collect();
    let each = grouped(&keyed).into_iter().map(|same| {
        with(&same, member, || {
            let texts: Vec<&str> = same.iter().flat_map(|item| item.texts(member)).collect();
            array_of_texts(&distinct(&texts))
        })
    });
    let each: Vec<String> = each.collect();
    array(each.iter().map(String::as_str))
}

/// Returns the first of several values with one member replaced; a single value is copied unchanged.
fn with(same: &[Part<'_>], member: &str, value: impl FnOnce() -> String) -> String {
    let [first, _, ..] = same else {
        return same
            .first()
            .map(|part| part.json())
            .unwrap_or_default()
            .to_owned();
    };
    let mut object = Object::default();
    for (name, part) in first.members().filter(|(name, _)| *name != member) {
        object.put(name, part.json());
    }
    object.put(member, &value());
    object.end().unwrap_or_default()
}

/// Unites objects member by member and lists of texts text by text; of anything else the first wins.
fn united_rules(given: &[Part<'_>]) -> String {
    let all: Vec<_> = given.iter().flat_map(|part| part.members()).collect();
    if all.is_empty() {
        let texts: Vec<&str> = given
            .iter()
            .flat_map(|part| part.items())
            .filter_map(as_text)
            .collect();
        let list = given.iter().any(|part| part.items().next().is_some());
        return match given.first() {
            Some(first) if !list => first.json().to_owned(),
            _ => array_of_texts(&distinct(&texts)),
        };
    }
    let named: Vec<_> = all
        .iter()
        .map(|(name, part)| (*name, (*name, *part)))
        .collect();
    let mut object = Object::default();
    for same in grouped(&named) {
        let parts: Vec<_> = same
            .iter()
            .map(|(_, part)| *part)
            .filter(|part| !part.is_empty())
            .collect();
        let name = same.first().map(|(name, _)| *name).unwrap_or_default();
        match parts.as_slice() {
            [] => {}
            [single] => object.put(name, single.json()),
            several => object.put(name, &united_rules(several)),
        }
    }
    object.end().unwrap_or_else(|| "{}".to_owned())
}
