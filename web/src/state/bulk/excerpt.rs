//! An excerpt of an export (`docs/backup.md`): the lines of some documents between the first and the last line of a
//! complete one, so that it can be imported.

use gatewright_model::json::{Value, edit, parse, parse_shallow};

use super::Kind;

/// The nesting depth of a line's id: an object within an object.
const DEPTH: usize = 2;

/// Reads something from the object inside a line.
fn read_inner<T>(line: &str, read: impl Fn(&Value<'_>) -> Option<T>) -> Option<T> {
    let value = parse_shallow(line, DEPTH);
    let inner = value.as_ref().and_then(|value| value.members().first());
    read(&inner?.value)
}

/// Returns the id that lists use: for a policy that is in its text, while the line has an internal one.
fn id_of(inner: &Value<'_>) -> Option<String> {
    if inner.str("kind") != Some("policy") {
        return inner.str("id").map(str::to_owned);
    }
    let policy = parse(inner.str("text")?).ok()?;
    let given = |name: &str| policy.str(name).filter(|id| !id.is_empty());
    given("id").or_else(|| given("_id")).map(str::to_owned)
}

/// An export as it is read, line by line.
#[derive(Clone, Debug, Default)]
pub struct Excerpt {
    /// The prefix of lines that may be kept.
    begins: &'static str,
    wanted: Vec<String>,
    found: Vec<String>,
    first: Option<String>,
    lines: Vec<String>,
    last: Option<String>,
}

/// The file without its last line, which contains the digest of everything before it.
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
    /// Starts an excerpt of the documents with these ids.
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

    /// Processes the next line.
    pub fn push(&mut self, line: String) {
        if self.first.is_none() {
            self.first = Some(line);
        } else if line.starts_with("{\"end\":") {
            self.last = Some(line);
        } else if line.starts_with(self.begins)
            && let Some(id) = read_inner(&line, id_of)
            && self.wanted.binary_search(&id).is_ok()
        {
            self.found.push(id);
            self.lines.push(line);
        }
    }

    /// Whether the document with an id has been found.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.found.iter().any(|found| found == id)
    }

    /// Returns the file without its last line, or `None` if the export broke off. If nothing in it is sealed, it
    /// requires no passphrase.
    #[must_use]
    pub fn body(self) -> Option<Body> {
        let (first, last) = (self.first?, self.last?);
        let last = parse(&last).ok()?;
        let end = last.get("end")?;
        let seal = |value: &Value<'_>| value.get("sealed").map(drop);
        let sealed = self
            .lines
            .iter()
            .any(|line| read_inner(line, seal).is_some());
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
    /// Returns the complete file, given the SHA-256 of its lines in hexadecimal.
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
