//! A page of a form, as the editor's module returns it.

use std::collections::BTreeMap;
use std::sync::Arc;

use gatewright_model::Position;
use gatewright_model::json::{Value, parse};

/// What a form currently shows, or why there is none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Page {
    /// The pointer of the page.
    pub(super) at: String,
    /// Pointers and names of the pages above it, and its own.
    pub(super) crumbs: Vec<(String, String)>,
    /// The fields by key; the page itself is [`PAGE`].
    pub(super) nodes: BTreeMap<String, Arc<Node>>,
    /// Why the text has no form, and the position of the reason.
    pub(super) problem: Option<(String, Position)>,
}

/// The key of the page itself.
pub(super) const PAGE: &str = "page";

/// One field. Its texts come from `web/src/editor/form.rs`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Node {
    pub(super) pointer: String,
    pub(super) name: String,
    pub(super) role: String,
    pub(super) control: String,
    /// The value that the control shows; `None` if the member is absent.
    pub(super) value: Option<String>,
    pub(super) kind: String,
    pub(super) doc: String,
    pub(super) support: String,
    pub(super) reason: String,
    pub(super) presence: String,
    pub(super) default: String,
    pub(super) values: Vec<String>,
    /// The display names of the values that are only ids.
    pub(super) labels: Vec<String>,
    pub(super) closed: bool,
    /// Whether it is a duration in seconds.
    pub(super) seconds: bool,
    pub(super) summary: String,
    pub(super) open: bool,
    /// Headings, each with the keys of its fields.
    pub(super) groups: Vec<(String, Vec<String>)>,
    pub(super) unknown: Vec<String>,
    pub(super) entries: Vec<String>,
    pub(super) from: usize,
    pub(super) matching: usize,
    pub(super) total: usize,
}

impl Node {
    /// Whether it has fields or entries of its own.
    pub(super) fn holds(&self) -> bool {
        self.value.is_some() && matches!(self.control.as_str(), "object" | "list" | "map")
    }

    /// Whether it is an entry of a list or map.
    pub(super) fn is_entry(&self) -> bool {
        matches!(self.role.as_str(), "item" | "entry")
    }
}

impl Page {
    /// Parses the module's result; an unreadable one is an empty page.
    pub(super) fn read(answer: &str) -> Self {
        let Ok(value) = parse(answer) else {
            return Self::default();
        };
        let pair = |crumb: &Value<'_>| {
            let texts = texts(Some(crumb));
            let mut texts = texts.into_iter();
            (
                texts.next().unwrap_or_default(),
                texts.next().unwrap_or_default(),
            )
        };
        let problem = value.get("problem").map(|problem| {
            let position = Position {
                line: number(problem, "line"),
                column: number(problem, "column"),
            };
            (text(problem, "message"), position)
        });
        Self {
            at: text(&value, "at"),
            crumbs: items(value.get("crumbs")).iter().map(pair).collect(),
            nodes: items(value.get("nodes"))
                .iter()
                .map(|value| (text(value, "key"), Arc::new(node(value))))
                .collect(),
            problem,
        }
    }

    /// Returns a field; an empty one for a key that is gone.
    pub(super) fn node(&self, key: &str) -> Arc<Node> {
        self.nodes.get(key).cloned().unwrap_or_default()
    }
}

fn node(value: &Value<'_>) -> Node {
    let group = |group: &Value<'_>| {
        let title = items(Some(group)).first().and_then(Value::as_str);
        let keys = items(Some(group)).get(1);
        (title.unwrap_or_default().to_owned(), texts(keys))
    };
    Node {
        pointer: text(value, "pointer"),
        name: text(value, "name"),
        role: text(value, "role"),
        control: text(value, "control"),
        value: value.str("value").map(str::to_owned),
        kind: text(value, "kind"),
        doc: text(value, "doc"),
        support: text(value, "support"),
        reason: text(value, "reason"),
        presence: text(value, "presence"),
        default: text(value, "default"),
        values: texts(value.get("values")),
        labels: texts(value.get("labels")),
        closed: value.bool("closed").unwrap_or_default(),
        seconds: value.bool("seconds").unwrap_or_default(),
        summary: text(value, "summary"),
        open: value.bool("open").unwrap_or_default(),
        groups: items(value.get("groups")).iter().map(group).collect(),
        unknown: texts(value.get("unknown")),
        entries: texts(value.get("entries")),
        from: number(value, "from"),
        matching: number(value, "matching"),
        total: number(value, "total"),
    }
}

/// A field that a search found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Found {
    pub(super) pointer: String,
    pub(super) title: String,
    pub(super) doc: String,
    pub(super) support: String,
    pub(super) reason: String,
    pub(super) section: String,
    pub(super) set: bool,
}

/// Parses the results of a search.
pub(super) fn found(answer: &str) -> Vec<Found> {
    let one = |value: &Value<'_>| Found {
        pointer: text(value, "pointer"),
        title: text(value, "title"),
        doc: text(value, "doc"),
        support: text(value, "support"),
        reason: text(value, "reason"),
        section: text(value, "section"),
        set: value.bool("set").unwrap_or_default(),
    };
    let answer = parse(answer).ok();
    items(answer.as_ref()).iter().map(one).collect()
}

pub(super) fn items<'v, 'a>(value: Option<&'v Value<'a>>) -> &'v [Value<'a>] {
    value.map(Value::items).unwrap_or_default()
}

pub(super) fn text(value: &Value<'_>, name: &str) -> String {
    value.str(name).unwrap_or_default().to_owned()
}

pub(super) fn texts(value: Option<&Value<'_>>) -> Vec<String> {
    let texts = items(value).iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

pub(super) fn number<T: TryFrom<i64> + Default>(value: &Value<'_>, name: &str) -> T {
    let number = value.int(name).unwrap_or_default();
    T::try_from(number).unwrap_or_default()
}
