//! Objects in parameters, whose members are in turn texts or objects (OpenAPI 3.1 section 4.8.12, *deepObject*).

use super::super::json::{Json, Members};
use super::super::schema::{Schemas, types};
use super::{Found, Source, Unread, primitive};
use std::collections::BTreeMap;

/// Reads the object with members such as `name[member]` and `name[member][inner]`.
pub(super) fn object(
    schemas: &Schemas,
    schema: &Json,
    name: &str,
    source: &Source<'_>,
) -> Result<Found, Unread> {
    let mut tree = Members::new();
    for (known, text) in source.all {
        let Some(rest) = known
            .strip_prefix(name)
            .filter(|rest| rest.starts_with('['))
        else {
            continue;
        };
        let keys: Vec<&str> = rest
            .split('[')
            .filter_map(|part| Some(part.split_once(']')?.0))
            .collect();
        if !keys.is_empty() {
            placed(&mut tree, &keys, text)?;
        }
    }
    if tree.is_empty() {
        return Ok(Found::default());
    }
    shaped(schemas, schema, &Json::Object(tree), &[], super::HOPS).map(Found::there)
}

const NO_INDEXES: &str = "array items must be set with indexes";

fn at(path: &[&str], why: &str) -> Unread {
    match path.is_empty() {
        true => why.to_owned(),
        false => format!("path {}: {why}", path.join(".")),
    }
}

/// Inserts a text at the path of its keys.
fn placed(tree: &mut Members, keys: &[&str], text: &str) -> Result<(), Unread> {
    let mut tree = tree;
    let Some((last, outer)) = keys.split_last() else {
        return Ok(());
    };
    for key in outer {
        let inner = tree
            .entry((*key).to_owned().into())
            .or_insert_with(|| Json::Object(Members::new()));
        match inner {
            Json::Object(inner) => tree = inner,
            _ => return Err(at(keys, "path is not convertible to primitive")),
        }
    }
    match tree.insert((*last).to_owned().into(), Json::text_of(text.to_owned())) {
        Some(_) => Err(at(keys, NO_INDEXES)),
        None => Ok(()),
    }
}

/// Converts a tree of texts to the types of its schema; unknown members are left out.
pub(super) fn shaped(
    schemas: &Schemas,
    schema: &Json,
    tree: &Json,
    path: &[&str],
    hops: u32,
) -> Result<Option<Json>, Unread> {
    let schema = schemas.resolved(schema).unwrap_or(schema);
    let Some(hops) = hops.checked_sub(1) else {
        return Ok(None);
    };
    let inner = |schema: &Json, name: &str, tree: &Json| {
        let path = [path, &[name]].concat();
        shaped(schemas, schema, tree, &path, hops)
    };
    match (types(schema).as_slice(), tree) {
        (["array"], Json::Object(members)) => {
            let nothing = Json::Bool(true);
            let of_item = schema.get("items").unwrap_or(&nothing);
            let mut items = BTreeMap::new();
            for (name, tree) in members {
                let wrong = || {
                    let why =
                        "could not convert value map to array: array indexes must be integers";
                    at(path, why)
                };
                let index: usize = name.parse().map_err(|_| wrong())?;
                items.insert(index, inner(of_item, name, tree)?.unwrap_or(Json::Null));
            }
            let count = items.len();
            let is_dense = items.keys().copied().eq(0..count);
            let items: Vec<Json> = items.into_values().collect();
            match is_dense {
                true => Ok(Some(Json::List(items))),
                false => Err(at(path, NO_INDEXES)),
            }
        }
        (["array"], _) => Err(at(path, NO_INDEXES)),
        (["object"], Json::Object(members)) => {
            let mut object = BTreeMap::new();
            let known = schema.get("properties");
            let others = schema.get("additionalProperties");
            let others = others.filter(|others| matches!(others, Json::Object(_)));
            for (name, tree) in members {
                let known = known.and_then(|known| known.get(name)).or(others);
                if let Some(known) = known
                    && let Some(value) = inner(known, name, tree)?
                {
                    object.insert(name.clone(), value);
                }
            }
            Ok(Some(Json::Object(object)))
        }
        (["object"], _) => Ok(Some(tree.clone())),
        _ => {
            let mut parts = ["anyOf", "oneOf", "allOf"]
                .iter()
                .flat_map(|name| schema.list(name))
                .peekable();
            if parts.peek().is_some() {
                return Ok(combined(parts.filter_map(|part| {
                    shaped(schemas, part, tree, path, hops).ok()?
                })));
            }
            match tree {
                Json::Text(text) => primitive(schema, text).map_err(|why| at(path, &why)),
                _ => Err(at(path, "path is not convertible to primitive")),
            }
        }
    }
}

/// Combines what the parts of a schema have read: all members of objects, or the first value that isn't one.
fn combined(values: impl Iterator<Item = Json>) -> Option<Json> {
    let mut members = BTreeMap::new();
    for value in values {
        match value {
            Json::Object(more) => members.extend(more),
            other => return Some(other),
        }
    }
    (!members.is_empty()).then_some(Json::Object(members))
}
