//! Sprig's functions for lists, maps, defaults and types.

use super::{Args, Done, shown, to_int};

use crate::value::{Map, Value};
use gatewright_model::order::sorted_by;

pub(super) const NAMES: &str = "all any append chunk coalesce compact concat deepCopy default deepEqual dict dig empty fail \
    first get has hasKey hello initial join keys kindIs kindOf last list merge mergeOverwrite mustAppend mustChunk \
    mustCompact mustDeepCopy mustFirst mustHas mustInitial mustLast mustMerge mustMergeOverwrite mustPrepend mustPush \
    mustRest mustReverse mustSlice mustUniq mustWithout omit pick pluck prepend push rest reverse seq set slice sortAlpha \
    split splitList splitn ternary toStrings tuple typeIs typeIsLike typeOf uniq unset until untilStep values without";

/// The longest list that a function generates from numbers.
const LONGEST: usize = 100_000;

pub(super) fn by_name(name: &str, args: &Args<'_>) -> Done {
    let all = args.all();
    Ok(match name {
        "default" => match all.get(1) {
            Some(given) if given.truth() => given.clone(),
            _ => args.get(0)?.clone(),
        },
        "empty" => Value::Bool(!args.get(0)?.truth()),
        "coalesce" => all
            .iter()
            .find(|value| value.truth())
            .cloned()
            .unwrap_or_default(),
        "all" => Value::Bool(all.iter().all(Value::truth)),
        "any" => Value::Bool(all.iter().any(Value::truth)),
        "ternary" => args.get(if args.get(2)?.truth() { 0 } else { 1 })?.clone(),
        "fail" => return Err(args.shown(0)?),
        "kindOf" => Value::str(args.get(0)?.kind()),
        "kindIs" => Value::Bool(args.text(0)? == args.get(1)?.kind()),
        "typeOf" => Value::str(args.get(0)?.type_name()),
        // `typeIsLike` also accepts pointers, which don't occur.
        "typeIs" | "typeIsLike" => Value::Bool(args.text(0)? == args.get(1)?.type_name()),
        "deepEqual" => Value::Bool(args.get(0)? == args.get(1)?),
        "deepCopy" | "mustDeepCopy" => copied(args.get(0)?),
        "hello" => Value::str("Hello!"),
        "list" | "tuple" => Value::list(all.to_vec()),
        "dict" => {
            let mut members = Map::new();
            for pair in all.chunks(2) {
                if let Some(name) = pair.first() {
                    members.insert(
                        shown(name).into(),
                        pair.get(1).cloned().unwrap_or_else(|| Value::str("")),
                    );
                }
            }
            Value::map(members)
        }
        "get" => args
            .map(0)?
            .get(args.text(1)?)
            .cloned()
            .unwrap_or_else(|| Value::str("")),
        "hasKey" => Value::Bool(args.map(0)?.contains_key(args.text(1)?)),
        "set" => {
            args.set(args.text(1)?, args.get(2)?.clone())?;
            args.get(0)?.clone()
        }
        "unset" => {
            if let Ok(members) = args.members() {
                members.remove(args.text(1)?);
            }
            args.get(0)?.clone()
        }
        "pick" | "omit" => {
            let mut members = args.map(0)?;
            let names: Vec<String> = all.iter().skip(1).map(shown).collect();
            let is_named = |known: &str| names.iter().any(|name| name == known);
            members.retain(|known, _| is_named(known) == (name == "pick"));
            Value::map(members)
        }
        "keys" => {
            let mut names = Vec::new();
            for at in 0..all.len() {
                names.extend(args.map(at)?.into_keys().map(Value::Str));
            }
            Value::list(names)
        }
        "values" => Value::list(args.map(0)?.into_values().collect()),
        "pluck" => {
            let mut found = Vec::new();
            for at in 1..all.len() {
                found.extend(args.map(at)?.get(args.text(0)?).cloned());
            }
            Value::list(found)
        }
        "merge" | "mustMerge" | "mergeOverwrite" | "mustMergeOverwrite" => {
            let mut merged = Value::map(args.map(0)?);
            for at in 1..all.len() {
                merged = merge(
                    merged,
                    Value::map(args.map(at)?),
                    name.ends_with("Overwrite"),
                );
            }
            // The first map is changed.
            match (args.members(), &merged) {
                (Ok(_), Value::Map(merged)) => {
                    for (name, value) in merged.copy() {
                        args.set(&name, value)?;
                    }
                    args.get(0)?.clone()
                }
                _ => merged,
            }
        }
        "dig" => dig(args)?,
        "join" => Value::str(strings(args.get(1)?).join(&args.shown(0)?)),
        "toStrings" => Value::list(strings(args.get(0)?).into_iter().map(Value::str).collect()),
        "sortAlpha" => match args.get(0)? {
            Value::List(_) => {
                let texts = sorted_by(strings(args.get(0)?), |a, b| a.cmp(b));
                Value::list(texts.into_iter().map(Value::str).collect())
            }
            other => Value::list(vec![Value::str(shown(other))]),
        },
        "splitList" => Value::list(
            parts(args.text(1)?, args.text(0)?)
                .map(Value::str)
                .collect(),
        ),
        "split" => numbered(parts(args.text(1)?, args.text(0)?)),
        "splitn" => {
            let most = usize::try_from(args.int(1)?).unwrap_or(usize::MAX);
            numbered(args.text(2)?.splitn(most, args.text(0)?))
        }
        "until" => steps(0, args.int(0)?, args.int(0)?.signum())?,
        "untilStep" => steps(args.int(0)?, args.int(1)?, args.int(2)?)?,
        "seq" => sequence(args)?,
        "has" | "mustHas" => {
            let wanted = args.get(0)?;
            let is_there = *args.get(1)? != Value::Nil && args.list(1)?.contains(wanted);
            Value::Bool(is_there)
        }
        _ => list(name.trim_start_matches("must"), args)?,
    })
}

/// Calls a function of lists, whose variants start with `must`.
fn list(name: &str, args: &Args<'_>) -> Done {
    let all = args.all();
    let at = usize::from(name.eq_ignore_ascii_case("chunk"));
    if name.eq_ignore_ascii_case("concat") {
        let mut joined = Vec::new();
        for at in 0..all.len() {
            joined.extend(args.list(at)?);
        }
        return Ok(Value::list(joined));
    }
    let mut items = args.list(at)?;
    Ok(match name.to_lowercase().as_str() {
        "first" => items.first().cloned().unwrap_or_default(),
        "last" => items.last().cloned().unwrap_or_default(),
        "rest" => Value::list(items.get(1..).unwrap_or_default().to_vec()),
        "initial" => {
            items.pop();
            Value::list(items)
        }
        "append" | "push" => {
            items.push(args.get(1)?.clone());
            Value::list(items)
        }
        "prepend" => {
            items.insert(0, args.get(1)?.clone());
            Value::list(items)
        }
        "reverse" => {
            items.reverse();
            Value::list(items)
        }
        "uniq" => {
            let mut unique: Vec<Value> = Vec::new();
            for item in items {
                args.takes(unique.len())?;
                if !unique.contains(&item) {
                    unique.push(item);
                }
            }
            Value::list(unique)
        }
        "compact" => {
            items.retain(Value::truth);
            Value::list(items)
        }
        "without" => {
            let removed = all.get(1..).unwrap_or_default();
            items.retain(|item| !removed.contains(item));
            Value::list(items)
        }
        "slice" => {
            let from = all.get(1).map_or(0, to_int);
            let to = all.get(2).map(to_int);
            if items.is_empty() {
                return Ok(Value::Nil);
            }
            let from = usize::try_from(from).ok();
            let to = to.map_or(Some(items.len()), |to| usize::try_from(to).ok());
            let part = from.zip(to).and_then(|(from, to)| items.get(from..to));
            Value::list(part.ok_or("slice bounds out of range")?.to_vec())
        }
        _ => {
            let size = Some(args.size(0)?).filter(|size| *size > 0);
            let chunks = items.chunks(size.ok_or("integer divide by zero")?);
            Value::list(chunks.map(|chunk| Value::list(chunk.to_vec())).collect())
        }
    })
}

/// Converts the items of a list to texts, leaving out nil. Any other value counts as a list of one.
fn strings(value: &Value) -> Vec<String> {
    match value {
        Value::Nil => Vec::new(),
        Value::List(items) => items
            .iter()
            .filter(|item| **item != Value::Nil)
            .map(shown)
            .collect(),
        other => vec![shown(other)],
    }
}

fn parts<'t>(text: &'t str, between: &str) -> impl Iterator<Item = &'t str> {
    let parts: Vec<&str> = if between.is_empty() {
        text.split("").filter(|part| !part.is_empty()).collect()
    } else {
        text.split(between).collect()
    };
    parts.into_iter()
}

/// Returns a map with the keys `_0`, `_1`, …
fn numbered<'t>(parts: impl Iterator<Item = &'t str>) -> Value {
    let parts = parts.enumerate();
    Value::map(
        parts
            .map(|(at, part)| (format!("_{at}").into(), Value::str(part)))
            .collect(),
    )
}

fn merge(into: Value, from: Value, overwrites: bool) -> Value {
    match (into, from) {
        (Value::Map(into), Value::Map(from)) => {
            let mut merged = into.copy();
            for (name, value) in from.copy() {
                let value = match merged.remove(&name) {
                    Some(known) => merge(known, value, overwrites),
                    None => value,
                };
                merged.insert(name, value);
            }
            Value::map(merged)
        }
        (into, from) if overwrites || !into.truth() => from,
        (into, _) => into,
    }
}

/// Copies a value with everything in it.
fn copied(value: &Value) -> Value {
    match value {
        Value::List(items) => Value::list(items.iter().map(copied).collect()),
        Value::Map(members) => {
            let mut members = members.copy();
            for value in members.values_mut() {
                *value = copied(value);
            }
            Value::map(members)
        }
        other => other.clone(),
    }
}

/// `dig "a" "b" default map`.
fn dig(args: &Args<'_>) -> Done {
    let [first, names @ .., default, map] = args.all() else {
        return Err("dig needs at least three arguments".to_owned());
    };
    let mut value = map.clone();
    for name in [first].into_iter().chain(names) {
        value = match &value {
            Value::Map(members) => match members.get(&shown(name)) {
                Some(found) => found,
                None => return Ok(default.clone()),
            },
            other => return Err(format!("dig: {} is no map", other.type_name())),
        };
    }
    Ok(value)
}

fn steps(from: i64, to: i64, by: i64) -> Done {
    let mut found = Vec::new();
    let mut at = from;
    while by != 0 && ((by > 0 && at < to) || (by < 0 && at > to)) {
        if found.len() >= LONGEST {
            return Err("the list is too long".to_owned());
        }
        found.push(Value::Int(at));
        at = at.saturating_add(by);
    }
    Ok(Value::list(found))
}

/// `seq`: numbers separated by spaces, including the last one.
fn sequence(args: &Args<'_>) -> Done {
    let numbers: Vec<i64> = args.all().iter().map(to_int).collect();
    let (from, by, to) = match *numbers.as_slice() {
        [to] => (1, if to < 1 { -1 } else { 1 }, to),
        [from, to] => (from, if to < from { -1 } else { 1 }, to),
        [from, by, to] => (from, by, to),
        _ => return Ok(Value::str("")),
    };
    let Value::List(items) = steps(from, to.saturating_add(by.signum()), by)? else {
        return Ok(Value::Nil);
    };
    let texts: Vec<String> = items.iter().map(shown).collect();
    Ok(Value::str(texts.join(" ")))
}
