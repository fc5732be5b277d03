//! A part of an export (`docs/backup.md`): the lines of some documents, between a first and a last line as a whole one
//! has them, so that an import takes it.

use gatewright_model::json::{Value, edit, parse, parse_shallow};

use super::Kind;

/// How deep the id of a line lies: an object in an object.
const DEPTH: usize = 2;

/// What is read of what a line is about.
fn told<T>(line: &str, read: impl Fn(&Value<'_>) -> Option<T>) -> Option<T> {
    let value = parse_shallow(line, DEPTH);
    let inner = value.as_ref().and_then(|value| value.members().first());
    read(&inner?.value)
}

/// How lists call what a line is about: a policy by the id that its text gives it, the line by another one.
fn id_of(inner: &Value<'_>) -> Option<String> {
    if inner.str("kind") != Some("policy") {
        return inner.str("id").map(str::to_owned);
    }
    let policy = parse(inner.str("text")?).ok()?;
    let given = |name: &str| policy.str(name).filter(|id| !id.is_empty());
    given("id").or_else(|| given("_id")).map(str::to_owned)
}

/// An export that is being read, line by line.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// How the lines begin that are looked at.
    begins: &'static str,
    wanted: Vec<String>,
    found: Vec<String>,
    first: Option<String>,
    lines: Vec<String>,
    last: Option<String>,
}

/// A file without its last line, which has the digest of all before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// The lines.
    pub text: String,
    member: &'static str,
    count: usize,
    number: i64,
    left_out: i64,
}

impl Excerpt {
    /// Keeps what has one of these ids.
    #[must_use]
    pub fn of(kind: Kind, mut ids: Vec<String>) -> Self {
        ids.sort_unstable();
        Self {
            begins: match kind {
                Kind::Api => "{\"api\":",
                Kind::Key => "{\"session\":{\"owner\":\"key\",",
                Kind::Policy => "{\"record\":{\"kind\":\"policy\",",
            },
            wanted: ids,
            ..Self::default()
        }
    }

    /// Takes the next line.
    pub fn push(&mut self, line: String) {
        if self.first.is_none() {
            self.first = Some(line);
        } else if line.starts_with("{\"end\":") {
            self.last = Some(line);
        } else if line.starts_with(self.begins)
            && let Some(id) = told(&line, id_of)
            && self.wanted.binary_search(&id).is_ok()
        {
            self.found.push(id);
            self.lines.push(line);
        }
    }

    /// Whether the document of an id has come.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.found.iter().any(|found| found == id)
    }

    /// The file but for its last line; none if the export broke off. What seals nothing needs no passphrase.
    #[must_use]
    pub fn body(self) -> Option<Body> {
        let (first, last) = (self.first?, self.last?);
        let last = parse(&last).ok()?;
        let end = last.get("end")?;
        let seal = |value: &Value<'_>| value.get("sealed").map(drop);
        let sealed = self.lines.iter().any(|line| told(line, seal).is_some());
        let first = match sealed {
            true => first,
            false => edit::set(&first, "/export/sealing", "null").ok()?,
        };
        let (number, left_out) = (end.int("number")?, end.int("secrets_left_out")?);
        let count = self.lines.len();
        let mut text = first;
        text.push('\n');
        for line in self.lines {
            text.push_str(&line);
            text.push('\n');
        }
        Some(Body {
            text,
            member: self.begins.split('"').nth(1).unwrap_or_default(),
            count,
            number,
            left_out,
        })
    }
}

impl Body {
    /// The whole file, by the digest of its lines: SHA-256 in hexadecimal digits.
    #[must_use]
    pub fn closed(self, sha256: &str) -> String {
        let Self {
            mut text,
            member,
            count,
            number,
            left_out,
        } = self;
        text.push_str(&format!(
            "{{\"end\":{{\"number\":{number},\"written_meanwhile\":0,\"counts\":{{\"{member}\":{count}}},\"secrets_left_out\":{left_out},\"sha256\":\"{sha256}\"}}}}\n"
        ));
        text
    }
}
