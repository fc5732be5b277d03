//! One page of a document's form as JSON, ready to be displayed.
//!
//! A page is one object, list or map of the document. Objects inside it are folded or unfolded in place; entries of
//! lists and maps that hold more than a plain value are pages of their own. However large the document, a page stays
//! small: whatever is folded, filtered out or on another sheet is left out.

use gatewright_model::form::{Control, Subject, control, fits, sections_of, spot, summary};
use gatewright_model::json::pointer::push_token;
use gatewright_model::json::{Kind as Json, Value, parse};
use gatewright_model::shape::{Kind, Member, Presence, Switch, Type};
use gatewright_web::state::sought::lowered;
use serde::{Deserialize, Serialize};

use super::location::{crumbs, is_container, settle};
use super::node::{Node, described, headline, shown};

/// Entries per sheet on the page of a list.
pub(super) const SHEET: usize = 50;
/// Maximum number of entries of a list that are shown inline, among other fields.
pub(super) const INLINE: usize = 12;
/// Maximum number of members outside the table that are listed.
const UNKNOWN: usize = 50;
/// Maximum length in bytes of a value that can be edited in a form.
const LONGEST: usize = 20_000;

/// The label of an entry whose name should come from elsewhere in the document, but doesn't occur there.
const NOWHERE: &str = "not in the document";

/// The state of the view.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct View {
    /// The pointer of the page.
    pub(super) at: String,
    /// Pointers of unfolded objects, and of folded ones.
    open: Vec<String>,
    shut: Vec<String>,
    /// The index of the first entry on the sheet, among those that match the filter.
    from: usize,
    filter: String,
    /// Pointer and control of the focused field, which keeps that control.
    held: Option<(String, String)>,
    /// Pointers of missing required members, which are shown although they are not set.
    missing: Vec<String>,
}

/// A page, or why there is none.
#[derive(Debug, Default, Serialize)]
pub(super) struct Page {
    at: String,
    crumbs: Vec<(String, String)>,
    nodes: Vec<Node>,
    #[serde(skip_serializing_if = "Option::is_none")]
    problem: Option<Problem>,
}

/// Why a text has no form, and the position of the problem.
#[derive(Debug, Serialize)]
struct Problem {
    message: String,
    line: u32,
    column: u32,
}

/// Builds the page that `view` selects, or the closest one that exists.
pub(super) fn page(subject: Subject, text: &str, view: &View) -> Page {
    let document = match parse(text) {
        Ok(document) if matches!(document.kind, Json::Object(_)) => document,
        Ok(_) => {
            let message = format!(
                "The document is not {}: it is not an object",
                subject.title()
            );
            return Page::broken(message, 1, 1);
        }
        Err(issues) => {
            let first = issues.first();
            let (line, column) =
                first.map_or((1, 1), |issue| (issue.start.line, issue.start.column));
            let message = first.map(|issue| issue.message.clone());
            return Page::broken(message.unwrap_or_default(), line, column);
        }
    };
    let at = settle(subject, &document, &view.at);
    let mut builder = Builder {
        subject,
        document: &document,
        text,
        view,
        nodes: Vec::new(),
    };
    if let (Some(spot), Some(value)) = (spot(subject, &document, &at), document.pointer(&at)) {
        let field = Field {
            key: "page".to_owned(),
            pointer: at.clone(),
            name: String::new(),
            role: "page",
            label: String::new(),
            kind: spot.kind,
            member: spot.member,
        };
        builder.add(&field, Some(value));
    }
    Page {
        crumbs: crumbs(subject, &document, &at),
        at,
        nodes: builder.nodes,
        problem: None,
    }
}

impl Page {
    fn broken(message: String, line: u32, column: u32) -> Self {
        let problem = Some(Problem {
            message,
            line,
            column,
        });
        Self {
            problem,
            ..Self::default()
        }
    }
}

/// A value of the document and its description in the table.
pub(super) struct Field {
    pub(super) key: String,
    pub(super) pointer: String,
    pub(super) name: String,
    pub(super) role: &'static str,
    /// The name of an entry, defined elsewhere in the document.
    pub(super) label: String,
    pub(super) kind: Kind,
    pub(super) member: Option<&'static Member>,
}

impl Field {
    /// Returns the field of a child.
    fn below(&self, token: &str, role: &'static str, kind: Kind) -> Self {
        let mut pointer = self.pointer.clone();
        push_token(&mut pointer, token);
        Self {
            key: format!("{}/{token}", self.key),
            pointer,
            name: token.to_owned(),
            role,
            label: String::new(),
            kind,
            member: None,
        }
    }
}

struct Builder<'a> {
    subject: Subject,
    document: &'a Value<'a>,
    text: &'a str,
    view: &'a View,
    nodes: Vec<Node>,
}

impl Builder<'_> {
    /// Adds a field with everything unfolded inside it, and returns its key.
    fn add(&mut self, field: &Field, value: Option<&Value<'_>>) -> String {
        let control = self.control(field, value);
        let mut node = described(field, &control);
        if let Some(value) = value {
            node.value = Some(shown(self.text, value, &control));
            if is_container(&control) {
                node.summary = headline(value, &field.label);
                node.value = Some(String::new());
            } else if value.span.end.saturating_sub(value.span.start) > LONGEST {
                node.control = "long";
                node.value = Some(String::new());
                node.summary = summary(value).chars().take(80).collect();
            }
        }
        let at = self.nodes.len();
        let key = node.key.clone();
        node.open = self.unfolded(field, &node);
        let open = node.open;
        self.nodes.push(node);
        if let (Some(value), true) = (value, open) {
            let filled = match control {
                Control::Object(of) => self.members(field, of, value),
                Control::List(inner) | Control::Map(inner) => self.entries(field, inner, value),
                _ => Node::default(),
            };
            if let Some(node) = self.nodes.get_mut(at) {
                // Unless there are other names, those in the table are kept.
                if !filled.values.is_empty() {
                    (node.values, node.labels) = (filled.values, filled.labels);
                }
                node.groups = filled.groups;
                node.unknown = filled.unknown;
                node.entries = filled.entries;
                (node.from, node.matching, node.total) =
                    (filled.from, filled.matching, filled.total);
            }
        }
        key
    }

    /// Returns the control given by the table if it can show the value, else JSON.
    fn control(&self, field: &Field, value: Option<&Value<'_>>) -> Control {
        let usual = match control(&field.kind, field.member.map_or("", |member| member.name)) {
            Control::Tagged(_) => Control::Json,
            other => other,
        };
        let Some(value) = value else { return usual };
        let held = self.view.held.as_ref();
        let held = held.filter(|(pointer, _)| *pointer == field.pointer);
        match held.map(|(_, control)| control.as_str()) {
            Some("json") => return Control::Json,
            Some("lines") if fits(&Control::Lines, value) => return Control::Lines,
            _ => {}
        }
        let text = matches!(usual, Control::Text(_) | Control::Choice { .. });
        if fits(&usual, value) {
            usual
        } else if text && fits(&Control::Lines, value) {
            Control::Lines
        } else {
            Control::Json
        }
    }

    /// Whether a field's contents are shown. Initially, only required objects, lists and maps are unfolded.
    fn unfolded(&self, field: &Field, node: &Node) -> bool {
        let listed = |list: &[String]| list.contains(&field.pointer);
        match (field.role, node.control) {
            ("page", _) => true,
            ("member", "object" | "list" | "map") => {
                let first = node.control != "object" || node.presence == "required";
                listed(&self.view.open) || (first && !listed(&self.view.shut))
            }
            _ => false,
        }
    }

    fn members(&mut self, field: &Field, of: &'static Type, value: &Value<'_>) -> Node {
        let mut filled = Node::default();
        for section in sections_of(of) {
            let mut keys = Vec::new();
            for found in section.fields {
                let member = found.member;
                let there = value.member(member.name).map(|member| &member.value);
                let kind = match *member.kind {
                    Kind::Tagged(tagged) => tagged.of(value).map_or(Kind::Free, Kind::Object),
                    kind => kind,
                };
                let mut below = field.below(member.name, "member", kind);
                below.member = Some(member);
                let shown = there.is_some()
                    || always(of, member)
                    || self.view.missing.contains(&below.pointer);
                if !shown {
                    continue;
                }
                keys.push(self.add(&below, there));
            }
            if !keys.is_empty() {
                filled.groups.push((section.title, keys));
            }
        }
        let unknown = value.members().iter();
        let unknown: Vec<_> = unknown
            .filter(|member| of.member(&member.name).is_none())
            .collect();
        filled.total = unknown.len();
        for member in unknown.into_iter().take(UNKNOWN) {
            let below = field.below(&member.name, "unknown", Kind::Any);
            filled.unknown.push(self.add(&below, Some(&member.value)));
        }
        filled
    }

    /// Builds the entries of a list or map that are visible now.
    fn entries(&mut self, field: &Field, inner: &Kind, value: &Value<'_>) -> Node {
        let members = value.members().iter();
        let members = members.map(|member| (&*member.name, &member.value));
        let items = value.items().iter().map(|item| ("", item));
        let all = members.chain(items).enumerate();
        let mut filled = Node::default();
        let names = self.subject.names(self.document, &field.pointer);
        let words = self.words(field);
        let (from, most) = match field.role {
            "page" => (self.view.from, SHEET),
            _ => (0, INLINE),
        };
        for (index, (name, value)) in all {
            filled.total = index.saturating_add(1);
            if !words.is_empty() && !has_words(self.text, name, value, &words) {
                continue;
            }
            let number = filled.matching;
            filled.matching = number.saturating_add(1);
            if number < from || filled.entries.len() >= most {
                continue;
            }
            let map = matches!(field.kind, Kind::Map(..));
            let mut below = if map {
                field.below(name, "entry", *inner)
            } else {
                field.below(&index.to_string(), "item", *inner)
            };
            if !map {
                below.name = filled.total.to_string();
            }
            if let Some(names) = &names {
                let known = names.iter().find(|(known, _)| known == name);
                below.label = known.map_or(NOWHERE, |(_, label)| label).to_owned();
            }
            // A renamed entry keeps its row.
            below.key = format!("{}#{index}", field.key);
            filled.entries.push(self.add(&below, Some(value)));
        }
        filled.from = from;
        let open = names.unwrap_or_default().into_iter();
        let open = open.filter(|(name, _)| value.member(name).is_none());
        (filled.values, filled.labels) = open.map(|(name, label)| (name.into(), label)).unzip();
        filled
    }

    /// Returns the words that entries of this page have to contain.
    fn words(&self, field: &Field) -> Vec<String> {
        let filter = match field.role {
            "page" => lowered(&self.view.filter),
            _ => String::new(),
        };
        filter.split_whitespace().map(str::to_owned).collect()
    }
}

fn has_words(text: &str, name: &str, value: &Value<'_>, words: &[String]) -> bool {
    let text = lowered(&format!("{name} {}", value.span.of(text)));
    words.iter().all(|word| text.contains(word))
}

/// Whether a member is shown even if it is not set: required ones, and the switch that enables the object as a whole.
fn always(of: &Type, member: &Member) -> bool {
    let switch = matches!(of.switch, Switch::On(name) if name == member.name);
    switch || member.presence() != Presence::Optional
}
