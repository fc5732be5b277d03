//! The form view of a document: sections, fields, and values in readable form.
//!
//! A form is another view of the same text. It reads with [`Value::pointer`] and writes single values with
//! [`crate::json::edit`], so switching between form and text loses nothing.

mod subject;

pub use subject::Subject;

use crate::assist::default_value;
use crate::json::edit::{self, EditError};
use crate::json::pointer::{push_token, tokens};
use crate::json::{Kind as Json, Value, quote};
use crate::order::order;
use crate::shape::{Format, Kind, Member, Root, Spot, Support, Tagged, Type};

/// Fields under one heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The heading; empty where a type has no sections.
    pub title: &'static str,
    /// Its fields, in the order of the table.
    pub fields: Vec<Field>,
}

/// One field.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// The member in the table of types.
    pub member: &'static Member,
    /// The control that edits it.
    pub control: Control,
}

/// The control that edits a value.
#[derive(Clone, Copy, Debug)]
pub enum Control {
    /// An on/off switch.
    Switch,
    /// One line of text, possibly in a given format.
    Text(Option<Format>),
    /// Several lines of text: schemas, templates, bodies.
    Lines,
    /// A selection from fixed texts.
    Choice {
        /// The texts to choose from.
        values: &'static [&'static str],
        /// Whether other texts are refused.
        closed: bool,
    },
    /// A number without a fraction.
    Integer {
        /// The smallest allowed value.
        min: i64,
        /// The largest allowed value.
        max: i64,
    },
    /// A number.
    Number,
    /// A list of values, each with a control of its own.
    List(&'static Kind),
    /// Names and values, each with a control of its own.
    Map(&'static Kind),
    /// The fields of another type, folded up.
    Object(&'static Type),
    /// Fields that depend on the value of another member.
    Tagged(&'static Tagged),
    /// JSON text.
    Json,
}

/// Members whose texts are usually longer than a line.
const LONG: [&str; 9] = [
    "body",
    "data",
    "definition",
    "description",
    "filter",
    "merged_sdl",
    "operation",
    "schema",
    "sdl",
];

/// Returns the sections for a kind of document.
#[must_use]
pub fn sections(root: Root) -> Vec<Section> {
    sections_of(root.shape())
}

/// Returns the sections for a type.
#[must_use]
pub fn sections_of(of: &'static Type) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for member in of.members {
        let field = Field {
            member,
            control: control(member.kind, member.name),
        };
        match (member.section(), sections.last_mut()) {
            (None, Some(section)) => section.fields.push(field),
            (title, _) => sections.push(Section {
                title: title.unwrap_or_default(),
                fields: vec![field],
            }),
        }
    }
    sections
}

/// Returns the control for values of a kind. `name` is the member's: some names usually have texts longer than a line.
#[must_use]
pub fn control(kind: &Kind, name: &str) -> Control {
    match *kind {
        Kind::Bool => Control::Switch,
        Kind::Text if LONG.contains(&name) => Control::Lines,
        Kind::Format(Format::Template | Format::Json) => Control::Lines,
        Kind::Text => Control::Text(None),
        Kind::Format(format) => Control::Text(Some(format)),
        Kind::Enum(choice) => Control::Choice {
            values: choice.values,
            closed: choice.severity == crate::Severity::Error,
        },
        Kind::Integer(bounds) => Control::Integer {
            min: bounds.min,
            max: bounds.max,
        },
        Kind::Number => Control::Number,
        Kind::Duration => Control::Text(Some(Format::Duration)),
        Kind::Array(inner) => Control::List(inner),
        Kind::Map(_, inner) => Control::Map(inner),
        Kind::Object(of) => Control::Object(of),
        Kind::Tagged(tagged) => Control::Tagged(tagged),
        Kind::Free | Kind::Any => Control::Json,
    }
}

/// Whether a member is a duration in seconds, according to its sentence in the table.
#[must_use]
pub fn is_seconds(member: &Member) -> bool {
    let number = matches!(member.kind, Kind::Integer(_) | Kind::Number);
    let words = || member.doc.split(|letter: char| !letter.is_alphanumeric());
    let mut before = "";
    let mut seconds = words().any(|word| {
        let found = word == "seconds" && before != "Unix";
        before = word;
        found
    });
    seconds &= !words().any(|word| matches!(word, "nanoseconds" | "milliseconds"));
    number && seconds
}

/// Returns the initial value of a member that a person adds: its default, or `true` for a switch without one.
#[must_use]
pub fn added_value(member: &Member) -> String {
    match (member.kind, member.default()) {
        (Kind::Bool, None) => "true".to_owned(),
        _ => default_value(member),
    }
}

/// Ranks a member among those that can be added: enforced ones first, unsupported ones last. An older form of a member
/// ranks after its newer form.
#[must_use]
pub fn rank(member: &Member) -> u8 {
    match member.support {
        Support::Enforced if !member.doc.contains("older form") => 0,
        Support::Unsupported(_) => 2,
        _ => 1,
    }
}

/// A field anywhere below a type, found by a search.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The path to it: member names, with `*` for an array element or a map entry.
    pub path: Vec<&'static str>,
    /// The member in the table of types.
    pub member: &'static Member,
}

/// The maximum number of hits a search returns.
const MOST: usize = 200;

/// Finds the fields whose path or sentence contains every word of a query, ignoring case. Fields whose name, or a word
/// of it, starts with the query come first, then enforced ones, then shorter paths.
#[must_use]
pub fn search(root: Root, query: &str) -> Vec<Hit> {
    search_of(root.shape(), query)
}

/// Like [`search`], below a type.
#[must_use]
pub fn search_of(of: &'static Type, query: &str) -> Vec<Hit> {
    let query = query.trim().to_ascii_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    find(of, &words, &mut Vec::new(), &mut Vec::new(), &mut hits);
    let key = |at: usize| {
        let hit: Option<&Hit> = hits.get(at);
        let name = |hit: &Hit| hit.member.name.to_ascii_lowercase();
        let first = |hit: &Hit| {
            name(hit).split('_').any(|word| word.starts_with(&query))
                || name(hit).starts_with(&query)
        };
        hit.map(|hit| (!first(hit), rank(hit.member), hit.path.len()))
    };
    let order = order(hits.len(), &mut |a, b| key(a).cmp(&key(b)));
    let best = order.into_iter().take(MOST);
    best.filter_map(|at| hits.get(at).cloned()).collect()
}

fn find(
    of: &'static Type,
    words: &[&str],
    path: &mut Vec<&'static str>,
    inside: &mut Vec<&'static str>,
    hits: &mut Vec<Hit>,
) {
    // A recursive type would never end.
    if inside.contains(&of.name) {
        return;
    }
    inside.push(of.name);
    for member in of.members {
        path.push(member.name);
        let text = format!("{} {}", path.join("."), member.doc).to_ascii_lowercase();
        if words.iter().all(|word| text.contains(word)) {
            hits.push(Hit {
                path: path.clone(),
                member,
            });
        }
        let before = path.len();
        let mut kind = member.kind;
        while let Kind::Array(inner) | Kind::Map(_, inner) = kind {
            path.push("*");
            kind = inner;
        }
        if let Kind::Object(of) = kind {
            find(of, words, path, inside, hits);
        }
        path.truncate(before);
        path.pop();
    }
    inside.pop();
}

/// Whether an object has a member that is not null.
#[must_use]
pub fn is_set(object: &Value<'_>, name: &str) -> bool {
    object.get(name).is_some()
}

/// Summarises a value in one line: texts without quotes, lists and objects by their size.
#[must_use]
pub fn summary(value: &Value<'_>) -> String {
    let count = |length: usize, one: &str, several: &str| match length {
        0 => "empty".to_owned(),
        1 => format!("1 {one}"),
        more => format!("{more} {several}"),
    };
    match &value.kind {
        Json::Null => "not set".to_owned(),
        Json::Bool(true) => "yes".to_owned(),
        Json::Bool(false) => "no".to_owned(),
        Json::Number(text) => (*text).to_owned(),
        Json::String(text) => text.to_string(),
        Json::Array(items) => count(items.len(), "entry", "entries"),
        Json::Object(members) => count(members.len(), "member", "members"),
    }
}

/// Returns the JSON text for what a person typed into a control of one line.
///
/// # Errors
/// A short sentence naming the expected input.
pub fn typed(control: &Control, input: &str) -> Result<String, &'static str> {
    match control {
        Control::Switch if matches!(input, "true" | "false") => Ok(input.to_owned()),
        Control::Switch => Err("true or false"),
        Control::Integer { .. } => match input.trim().parse::<i64>() {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err("a whole number"),
        },
        Control::Number => number(input).ok_or("a number"),
        // Seconds are written as a number.
        Control::Text(Some(Format::Duration)) => Ok(number(input).unwrap_or_else(|| quote(input))),
        Control::Text(_) | Control::Lines | Control::Choice { .. } => Ok(quote(input)),
        Control::List(_)
        | Control::Map(_)
        | Control::Object(_)
        | Control::Tagged(_)
        | Control::Json => {
            let read = crate::json::parse(input).map(|value| value.span.of(input).to_owned());
            read.map_err(|_| "JSON")
        }
    }
}

/// Rewrites a number as JSON requires it: people also type leading zeros or a plus sign, which mean nothing.
fn number(input: &str) -> Option<String> {
    let input = input.trim();
    let (sign, rest) = match input.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", input.strip_prefix('+').unwrap_or(input)),
    };
    let digits = rest.trim_start_matches('0');
    let zero = if digits.starts_with(|first: char| first.is_ascii_digit()) {
        ""
    } else {
        rest.get(..1).filter(|first| *first == "0")?
    };
    let text = format!("{sign}{zero}{digits}");
    let value = crate::json::parse(&text);
    value
        .is_ok_and(|value| matches!(value.kind, Json::Number(_)))
        .then_some(text)
}

/// Whether a control can show and change a value without losing any part of it.
#[must_use]
pub fn fits(control: &Control, value: &Value<'_>) -> bool {
    match (control, &value.kind) {
        (Control::Switch, Json::Bool(_))
        | (Control::Number | Control::Text(Some(Format::Duration)), Json::Number(_))
        | (Control::List(_), Json::Array(_))
        | (Control::Map(_) | Control::Object(_), Json::Object(_))
        | (Control::Json, _) => true,
        (Control::Integer { .. }, Json::Number(_)) => value.as_int().is_some(),
        // A one-line field drops line breaks; a multi-line field writes all of them as \n.
        (Control::Text(_) | Control::Choice { .. }, Json::String(text)) => {
            !text.contains(['\n', '\r'])
        }
        (Control::Lines, Json::String(text)) => !text.contains('\r'),
        _ => false,
    }
}

/// Finds what the table says about the value at a JSON Pointer. The value need not exist; the document is needed for
/// the texts that select dependent types.
#[must_use]
pub fn spot(subject: Subject, document: &Value<'_>, pointer: &str) -> Option<Spot> {
    let mut value = Some(document);
    let mut spot = subject.spot(document);
    for token in tokens(pointer)? {
        spot = spot.step(&token, |name| value?.str(name))?;
        let mut next = String::new();
        push_token(&mut next, &token);
        value = value.and_then(|value| value.pointer(&next));
    }
    Some(spot)
}

/// Sets the value at a pointer, or removes it if `json` is `None`, and returns the new text.
///
/// # Errors
/// See [`EditError`].
pub fn put(text: &str, pointer: &str, json: Option<&str>) -> Result<String, EditError> {
    match json {
        Some(json) => edit::set(text, pointer, json),
        None => match edit::remove(text, pointer) {
            Err(EditError::NotFound) => Ok(text.to_owned()),
            other => other,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(root: Root, name: &str) -> &'static Member {
        let mut members = root.shape().members.iter();
        members.find(|member| member.name == name).unwrap()
    }

    #[test]
    fn durations_are_detected_by_their_description() {
        for (root, name, seconds) in [
            (Root::Policy, "per", true),
            (Root::Policy, "quota_renewal_rate", true),
            (Root::Policy, "key_expires_in", true),
            (Root::Policy, "rate", false),
            (Root::Policy, "last_updated", false),
            (Root::Session, "expires", false),
            (Root::Session, "quota_renews", false),
            (Root::Session, "throttle_interval", true),
            (Root::ApiDefinition, "session_lifetime", true),
            (Root::ApiDefinition, "hmac_allowed_clock_skew", false),
        ] {
            assert_eq!(is_seconds(member(root, name)), seconds, "{name}");
        }
    }

    #[test]
    fn new_members_get_their_intended_value() {
        for (name, value) in [
            ("use_standard_auth", "true"),
            ("active", "true"),
            ("dont_set_quota_on_create", "false"),
            ("tags", "[]"),
        ] {
            assert_eq!(added_value(member(Root::ApiDefinition, name)), value);
        }
    }

    #[test]
    fn enforced_members_rank_first() {
        let hits = search(Root::ApiDefinition, "auth");
        let begin = hits
            .iter()
            .filter(|hit| hit.member.name.starts_with("auth"));
        let ranks: Vec<u8> = begin.map(|hit| rank(hit.member)).collect();
        assert!(ranks.len() > 2 && ranks.is_sorted(), "{ranks:?}");
        let place = |name| hits.iter().position(|hit| hit.path == [name]);
        assert!(place("use_standard_auth").unwrap() < 30);
    }
    use crate::json::parse;

    #[test]
    fn every_member_is_in_one_section() {
        for root in Root::ALL {
            let sections = sections(root);
            let count: usize = sections.iter().map(|section| section.fields.len()).sum();
            assert_eq!(count, root.shape().members.len());
        }
        let titles: Vec<_> = sections(Root::ApiDefinition)
            .iter()
            .map(|section| section.title)
            .collect();
        assert_eq!(
            titles[..3],
            ["What it is", "Where it is served", "Versions"]
        );
    }

    #[test]
    fn fields_are_found_by_keywords() {
        let paths = |query| -> Vec<String> {
            search(Root::ApiDefinition, query)
                .into_iter()
                .map(|hit| hit.path.join("."))
                .collect()
        };
        assert_eq!(paths("listen_pa")[0], "proxy.listen_path");
        assert!(paths("Circuit").contains(
            &"version_data.versions.*.extended_paths.circuit_breakers.*.samples".to_owned()
        ));
        assert!(paths("trailing slash").contains(&"proxy.disable_strip_slash".to_owned()));
        assert!(paths("").is_empty() && paths("xyzzy").is_empty());
    }

    #[test]
    fn typed_input_becomes_json() {
        let of = |pointer| control_at(pointer);
        assert_eq!(typed(&of("/active"), "true").as_deref(), Ok("true"));
        assert_eq!(typed(&of("/name"), "a\"b").as_deref(), Ok("\"a\\\"b\""));
        assert_eq!(typed(&of("/session_lifetime"), " 07 ").as_deref(), Ok("7"));
        assert!(typed(&of("/session_lifetime"), "1.5").is_err());
        let timeout = of("/version_data/versions/v1/global_enforce_timeout");
        assert_eq!(typed(&timeout, " 10 ").as_deref(), Ok("10"));
        assert_eq!(typed(&timeout, "10s").as_deref(), Ok("\"10s\""));
        assert_eq!(
            typed(&of("/hmac_allowed_clock_skew"), "-1.50").as_deref(),
            Ok("-1.50")
        );
        for (input, json) in [
            ("0100", "100"),
            ("+5", "5"),
            ("-007.50", "-7.50"),
            ("00", "0"),
            ("0.5", "0.5"),
        ] {
            let typed = typed(&of("/hmac_allowed_clock_skew"), input);
            assert_eq!(typed.as_deref(), Ok(json), "{input}");
        }
        for input in ["", "-", ".5", "1.", "0x1", "+-1", "é"] {
            assert!(
                typed(&of("/hmac_allowed_clock_skew"), input).is_err(),
                "{input}"
            );
        }
        assert_eq!(typed(&of("/tags"), " [1] ").as_deref(), Ok("[1]"));
    }

    fn control_at(pointer: &str) -> Control {
        let member = crate::shape::at(Root::ApiDefinition, pointer)
            .unwrap()
            .member
            .unwrap();
        control(member.kind, member.name)
    }

    #[test]
    fn control_shows_only_values_it_can_write() {
        let fit = |pointer, json| fits(&control_at(pointer), &parse(json).unwrap());
        assert!(fit("/active", "false") && !fit("/active", "\"false\""));
        assert!(fit("/session_lifetime", "1.0") && !fit("/session_lifetime", "1.5"));
        assert!(fit("/name", "\"a\"") && !fit("/name", "\"a\\nb\"") && !fit("/name", "null"));
        assert!(fits(&Control::Lines, &parse("\"a\\nb\"").unwrap()));
        assert!(!fits(&Control::Lines, &parse("\"a\\r\\nb\"").unwrap()));
        assert!(fit("/tags", "[1]") && !fit("/tags", "{}"));
    }

    #[test]
    fn kind_depends_on_sibling_values() {
        let text =
            r#"{"event_handlers":{"events":{"x":[{"handler_name":"eh_web_hook_handler"}]}}}"#;
        let document = parse(text).unwrap();
        let meta = "/event_handlers/events/x/0/handler_meta";
        let found = spot(Root::ApiDefinition.into(), &document, meta).unwrap();
        assert!(matches!(found.kind, Kind::Object(_)));
        let elsewhere = "/event_handlers/events/y/0/handler_meta";
        let found = spot(Root::ApiDefinition.into(), &document, elsewhere).unwrap();
        assert!(matches!(found.kind, Kind::Free));
        assert!(spot(Root::ApiDefinition.into(), &document, "/nope").is_none());
    }

    #[test]
    fn values_are_put_and_shown() {
        let text = put("{\n  \"a\": 1\n}", "/tags", Some("[]")).unwrap();
        assert_eq!(text, "{\n  \"a\": 1,\n  \"tags\": []\n}");
        assert_eq!(put(&text, "/tags", None).unwrap(), "{\n  \"a\": 1\n}");
        assert_eq!(put(&text, "/zzz", None).unwrap(), text);
        let value = parse(r#"{"a":null,"b":[1],"c":true,"d":"x"}"#).unwrap();
        assert!(!is_set(&value, "a") && is_set(&value, "b"));
        assert_eq!(summary(value.pointer("/b").unwrap()), "1 entry");
        assert_eq!(summary(&value), "4 members");
    }
}
