//! The versions of an API: how a request chooses one, and how their operations differ. Plain values over the
//! stored documents.

mod side;

use std::collections::BTreeSet;

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::stored;

use super::draft::plural;
use side::Side;

/// How a request chooses one of the versions of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chooser {
    /// Where a request names it: `header`, `url-param` or `url`.
    location: String,
    /// The header or parameter that names it.
    key: String,
    /// The version of requests that name none; empty for none.
    default: String,
    /// Whether requests for a version that there isn't get the default one.
    falls_back: bool,
    /// What the base itself is called among its versions; empty as long as it has no name.
    pub own_name: String,
}

impl Chooser {
    /// Reads it from what a base is administered as: `info.versioning` of a document's extension, or `definition`
    /// of a definition. `None` if all requests are of one version.
    #[must_use]
    pub fn of(base: &str) -> Option<Self> {
        let value = parse(base).ok()?;
        let (said, falls_back) = match stored::extension(&value) {
            Some((_, extension)) => (extension.pointer("/info/versioning")?, "fallbackToDefault"),
            None => (value.get("definition")?, "fallback_to_default"),
        };
        if said.bool("enabled") != Some(true) {
            return None;
        }
        let text = |name| said.str(name).unwrap_or_default().to_owned();
        Some(Self {
            location: text("location"),
            key: text("key"),
            default: text("default"),
            falls_back: said.bool(falls_back) == Some(true),
            own_name: text("name"),
        })
    }

    /// What a request says that is for this version, in words and as it is written.
    #[must_use]
    pub fn asked(&self, name: &str) -> (&'static str, String) {
        match self.location.as_str() {
            "header" => ("Header", format!("{}: {name}", self.key)),
            "url-param" => ("Query parameter", format!("{}={name}", self.key)),
            "url" => ("Path behind the listen path", format!("/{name}/")),
            _ => ("Nothing can", String::new()),
        }
    }

    /// What becomes of requests that name no version, or one that there isn't.
    #[must_use]
    pub fn otherwise(&self) -> String {
        let default = match self.default.as_str() {
            "" => return "A request that names no version is refused, and so is one that names another.".to_owned(),
            "self" => "the base itself".to_owned(),
            name => name.to_owned(),
        };
        let unknown = match self.falls_back {
            true => "so does one that names a version that there isn't",
            false => "one that names a version that there isn't is refused",
        };
        format!("A request that names no version gets {default}; {unknown}.")
    }
}

/// How an operation of a version stands to the one of the version that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Nobody knows: this version is no document.
    Unknown,
    /// It is in neither.
    Absent,
    /// It is here: this is the version that others are compared with.
    Here,
    /// It is the same in both.
    Same,
    /// It is in both, and says something else.
    Changed,
    /// It is only in this one.
    Added,
    /// It is only in the other one.
    Removed,
}

impl Standing {
    /// Whether there is a difference to be shown.
    #[must_use]
    pub const fn differs(self) -> bool {
        matches!(self, Self::Changed | Self::Added | Self::Removed)
    }
}

/// An operation that one of the versions has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its method, in upper case.
    pub method: String,
    /// Its path, as the first version has it that has the operation.
    pub path: String,
    /// What it does.
    pub summary: String,
    /// How it stands, in the order of the versions.
    pub cells: Vec<Standing>,
}

impl Row {
    /// Whether some version differs from the one that they are compared with.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.cells.iter().any(|standing| standing.differs())
    }

    /// Whether it is what somebody looks for; `wanted` is in lower case.
    #[must_use]
    pub fn answers(&self, wanted: &str) -> bool {
        let texts = [&self.method, &self.path, &self.summary];
        texts
            .iter()
            .any(|text| text.to_lowercase().contains(wanted))
    }
}

/// How many operations a version has, and how many of them differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Its operations; `None` if nobody knows them.
    pub operations: Option<usize>,
    /// Those that only it has.
    pub added: usize,
    /// Those that it says something else about.
    pub changed: usize,
    /// Those that only the other one has.
    pub removed: usize,
}

impl Count {
    /// What differs, in words.
    #[must_use]
    pub fn said(&self) -> String {
        let part = |count: usize, word| (count > 0).then(|| format!("{count} {word}"));
        let parts = [
            part(self.added, "added"),
            part(self.changed, "changed"),
            part(self.removed, "removed"),
        ];
        let said: Vec<String> = parts.into_iter().flatten().collect();
        match said.as_slice() {
            [] => "no difference".to_owned(),
            said => said.join(", "),
        }
    }

    /// How many operations it has, in words.
    #[must_use]
    pub fn operations(&self) -> String {
        self.operations.map_or_else(
            || "Not known".to_owned(),
            |count| plural(count, "operation"),
        )
    }
}

/// The operations of all versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    /// The operations: those of the version that the others are compared with in its order, then those that only
    /// others have.
    pub rows: Vec<Row>,
    /// The counts, in the order of the versions.
    pub counts: Vec<Count>,
}

/// Compares the operations of versions with those of the one at `with`. A text that is no document with operations
/// leaves what it has unknown.
#[must_use]
pub fn compare(texts: &[Option<&str>], with: usize) -> Table {
    let parsed: Vec<Option<Value<'_>>> = texts
        .iter()
        .map(|text| text.and_then(|text| parse(text).ok()))
        .collect();
    let sides: Vec<Option<Side<'_, '_>>> = parsed
        .iter()
        .map(|value| value.as_ref().map(Side::of))
        .collect();
    let basis = sides.get(with).and_then(Option::as_ref);
    let affected: Vec<_> = sides
        .iter()
        .map(|side| match (basis, side) {
            (Some(basis), Some(side)) => side::affected(basis, side),
            _ => BTreeSet::new(),
        })
        .collect();
    let mut table = Table {
        rows: Vec::new(),
        counts: vec![Count::default(); texts.len()],
    };
    let first = basis.into_iter().chain(sides.iter().flatten());
    let mut known = BTreeSet::new();
    let none = BTreeSet::new();
    for side in first {
        for operation in &side.operations {
            if !known.insert(operation.key.clone()) {
                continue;
            }
            let stands = |(at, other): (usize, &Option<Side<'_, '_>>)| {
                let (Some(basis), Some(other)) = (basis, other) else {
                    return Standing::Unknown;
                };
                match (basis.find(&operation.key), other.find(&operation.key)) {
                    (None, None) => Standing::Absent,
                    (Some(_), _) if at == with => Standing::Here,
                    (None, Some(_)) => Standing::Added,
                    (Some(_), None) => Standing::Removed,
                    (Some(before), Some(after)) => {
                        let affected = affected.get(at).unwrap_or(&none);
                        match side::alike(before, after, affected) {
                            true => Standing::Same,
                            false => Standing::Changed,
                        }
                    }
                }
            };
            table.rows.push(Row {
                method: operation.of.method.clone(),
                path: operation.of.path.to_owned(),
                summary: operation.summary().to_owned(),
                cells: sides.iter().enumerate().map(stands).collect(),
            });
        }
    }
    for (at, count) in table.counts.iter_mut().enumerate() {
        let of = |wanted: Standing| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
            cells.filter(|standing| **standing == wanted).count()
        };
        *count = Count {
            operations: sides
                .get(at)
                .and_then(Option::as_ref)
                .map(|side| side.operations.len()),
            added: of(Standing::Added),
            changed: of(Standing::Changed),
            removed: of(Standing::Removed),
        };
    }
    table
}

/// Something about an operation that two versions say differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub title: String,
    /// What the first one says; empty for nothing.
    pub before: String,
    /// What the second one says.
    pub after: String,
}

/// What two versions say differently about an operation: itself, what its path says for all of its operations, its
/// rules, the security that it inherits, and the components that it uses.
#[must_use]
pub fn difference(before: &str, after: &str, method: &str, path: &str) -> Vec<Part> {
    let (Ok(old), Ok(new)) = (parse(before), parse(after)) else {
        return Vec::new();
    };
    let (old, new) = (Side::of(&old), Side::of(&new));
    let key = side::key(method, path);
    let said = [
        (&old, old.find(&key), before),
        (&new, new.find(&key), after),
    ]
    .map(|(side, operation, text)| {
        operation
            .map(|operation| side.parts(operation, text))
            .unwrap_or_default()
    });
    let [old_parts, new_parts] = said;
    let mut parts = Vec::new();
    for (title, before, after) in side::beside(old_parts, new_parts) {
        parts.push(Part {
            title,
            before,
            after,
        });
    }
    if let (Some(one), Some(other)) = (old.find(&key), new.find(&key)) {
        for pointer in side::components_of((&old, one), (&new, other)) {
            parts.push(Part {
                before: old.component(&pointer, before),
                after: new.component(&pointer, after),
                title: pointer,
            });
        }
    }
    parts
}

/// A document as a new version of another API begins: without the id and the versions of the one that it is copied
/// from, under another name and listen path.
///
/// # Errors
/// The text is no JSON, or has something else where an extension would be.
pub fn copied(text: &str, name: &str, listen_path: &str) -> Result<String, EditError> {
    let document = parse(text).map_err(|_| EditError::NotFound)?;
    let Some((extension, said)) = stored::extension(&document) else {
        return Err(EditError::NotFound);
    };
    let at = |below: &str| format!("/{extension}{below}");
    let old_path = said.pointer("/server/listenPath/value");
    let old_path = old_path.and_then(Value::as_str).unwrap_or_default();
    let called = said.pointer("/info/name").and_then(Value::as_str);
    let servers = document
        .get("servers")
        .map(Value::items)
        .unwrap_or_default();
    // The gateway writes those of the listen path itself, and takes all others for somebody's own.
    let own: Vec<usize> = servers
        .iter()
        .enumerate()
        .filter(|(_, server)| is_at(server.str("url").unwrap_or_default(), old_path))
        .map(|(at, _)| at)
        .collect();
    let mut edited = text.to_owned();
    for number in own.iter().rev() {
        edited = edit::remove(&edited, &format!("/servers/{number}"))?;
    }
    for gone in [
        "/info/id",
        "/info/dbId",
        "/info/versioning",
        "/info/expiration",
    ] {
        edited = match edit::remove(&edited, &at(gone)) {
            Err(EditError::NotFound) => edited,
            without => without?,
        };
    }
    let called = format!("{} {name}", called.unwrap_or_default());
    edited = edit::set(&edited, &at("/info/name"), &quote(called.trim()))?;
    edit::set(
        &edited,
        &at("/server/listenPath/value"),
        &quote(listen_path),
    )
}

/// Whether an address is that of a listen path, on whichever host.
fn is_at(url: &str, listen_path: &str) -> bool {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest
            .find('/')
            .and_then(|at| rest.get(at..))
            .unwrap_or_default(),
        None => url,
    };
    path.trim_matches('/') == listen_path.trim_matches('/')
}

/// The listen path that a version may have beside the one that it is copied from.
#[must_use]
pub fn path_beside(listen_path: &str, name: &str) -> String {
    let allowed =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '-' | '_');
    let word: String = name
        .trim()
        .chars()
        .map(|letter| if allowed(letter) { letter } else { '-' })
        .collect();
    match listen_path.trim_end_matches('/') {
        "" => format!("/{word}/"),
        path => format!("{path}-{word}/"),
    }
}

#[cfg(test)]
mod tests;
