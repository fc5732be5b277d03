//! The form view of a document: sections, fields, and values in readable form.
//!
//! A form is another view of the same text. It reads with [`Value::pointer`] and writes single values with
//! [`crate::json::edit`], so switching between form and text loses nothing.

mod search;
mod subject;
mod values;

pub use search::{Hit, search, search_of};
pub use subject::Subject;
pub use values::{fits, is_set, put, summary, typed};

use crate::assist::default_value;
use crate::json::Value;
use crate::json::pointer::{push_token, tokens};
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

/// Returns the initial value of a member that a person adds: its default, but `true` for a switch: nobody adds one to
/// leave it off.
#[must_use]
pub fn added_value(member: &Member) -> String {
    match member.kind {
        Kind::Bool => "true".to_owned(),
        _ => default_value(member),
    }
}

/// Ranks a member among those that can be added: enforced ones first, unsupported ones last. An older form of a member
/// ranks after its newer form.
#[must_use]
pub fn rank(member: &Member) -> u8 {
    match member.support {
        Support::Enforced if !is_older(member.doc) => 0,
        Support::Unsupported(_) => 2,
        _ => 1,
    }
}

/// Whether a sentence calls its member an older form of another one.
fn is_older(doc: &str) -> bool {
    doc.starts_with("Older form") || doc.contains("older form")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

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
            ("dont_set_quota_on_create", "true"),
            ("tags", "[]"),
        ] {
            assert_eq!(added_value(member(Root::ApiDefinition, name)), value);
        }
    }

    #[test]
    fn older_forms_rank_after_their_newer_forms() {
        for (root, older, newer) in [
            (Root::ApiDefinition, "auth", "auth_configs"),
            (Root::ApiDefinition, "jwt_scope_claim_name", "scopes"),
            (Root::Session, "apply_policy_id", "apply_policies"),
        ] {
            let [older, newer] = [older, newer].map(|name| rank(member(root, name)));
            assert!(older > newer);
        }
    }

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
}
