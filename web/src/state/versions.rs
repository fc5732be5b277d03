//! The versions of an API: how a request selects one, and how their operations differ. Plain values over the stored
//! documents.

mod side;

use std::collections::BTreeSet;

use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::stored;

use super::draft::plural;
use super::sought::Sought;
use side::Side;

/// How a request selects a version of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chooser {
    /// Where a request names the version: `header`, `url-param` or `url`.
    location: String,
    /// The name of the header or parameter.
    key: String,
    /// The version for requests that name none; empty for none.
    default: String,
    /// Whether requests for an unknown version get the default one.
    falls_back: bool,
    /// The name of the base among its versions; empty as long as it has none.
    pub own_name: String,
}

impl Chooser {
    /// Reads it from a base: from `info.versioning` in the extension of a document, or from `definition` in a
    /// definition. `None` if versioning is off.
    #[must_use]
    pub fn of(base: &str) -> Option<Self> {
        let value = parse(base).ok()?;
        let (settings, falls_back) = match stored::extension(&value) {
            Some((_, extension)) => (extension.pointer("/info/versioning")?, "fallbackToDefault"),
            None => (value.get("definition")?, "fallback_to_default"),
        };
        if settings.bool("enabled") != Some(true) {
            return None;
        }
        let text = |name| settings.str(name).unwrap_or_default().to_owned();
        Some(Self {
            location: text("location"),
            key: text("key"),
            default: text("default"),
            falls_back: settings.bool(falls_back) == Some(true),
            own_name: text("name"),
        })
    }

    /// Returns what selects this version in a request: the location and the text.
    #[must_use]
    pub fn selector(&self, name: &str) -> (&'static str, String) {
        match self.location.as_str() {
            "header" => ("Header", format!("{}: {name}", self.key)),
            "url-param" => ("Query parameter", format!("{}={name}", self.key)),
            "url" => ("Path after the listen path", format!("/{name}/")),
            _ => ("Nothing can", String::new()),
        }
    }

    /// Says what happens to requests that name no version, or an unknown one.
    #[must_use]
    pub fn otherwise(&self) -> String {
        let default = match self.default.as_str() {
            "" => return "A request that names no version is refused, and so is one that names an unknown version.".to_owned(),
            "self" => "the base itself".to_owned(),
            name => name.to_owned(),
        };
        let unknown = match self.falls_back {
            true => "so does one that names an unknown version",
            false => "one that names an unknown version is refused",
        };
        format!("A request that names no version gets {default}; {unknown}.")
    }
}

/// How an operation of a version compares to the reference version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Unknown: this version has no document.
    Unknown,
    /// It is in neither version.
    Absent,
    /// It exists, and this is the reference version.
    Here,
    /// It is the same in both.
    Same,
    /// It is in both, but differs.
    Changed,
    /// It is only in this version.
    Added,
    /// It is only in the reference version.
    Removed,
}

impl Comparison {
    /// Whether there is a difference to show.
    #[must_use]
    pub const fn differs(self) -> bool {
        matches!(self, Self::Changed | Self::Added | Self::Removed)
    }
}

/// An operation that at least one version has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its method, in upper case.
    pub method: String,
    /// Its path, as in the first version that has it.
    pub path: String,
    /// Its summary.
    pub summary: String,
    /// How it compares, in the order of the versions.
    pub cells: Vec<Comparison>,
}

impl Row {
    /// Whether any version differs from the reference version.
    #[must_use]
    pub fn differs(&self) -> bool {
        self.cells.iter().any(|cell| cell.differs())
    }

    /// Whether it matches a search.
    #[must_use]
    pub fn answers(&self, sought: &Sought) -> bool {
        sought.is_in([&self.method, &self.path, &self.summary])
    }
}

/// How many operations a version has, and how many of them differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// The number of operations; `None` if unknown.
    pub operations: Option<usize>,
    /// Operations that only this version has.
    pub added: usize,
    /// Operations that differ.
    pub changed: usize,
    /// Operations that only the reference version has.
    pub removed: usize,
}

impl Count {
    /// Summarises the differences.
    #[must_use]
    pub fn summary(&self) -> String {
        let part = |count: usize, word| (count > 0).then(|| format!("{count} {word}"));
        let parts = [
            part(self.added, "added"),
            part(self.changed, "changed"),
            part(self.removed, "removed"),
        ];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        match parts.as_slice() {
            [] => "no difference".to_owned(),
            parts => parts.join(", "),
        }
    }

    /// Says how many operations it has.
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
    /// The operations: those of the reference version in its order, then those that only others have.
    pub rows: Vec<Row>,
    /// The counts, in the order of the versions.
    pub counts: Vec<Count>,
}

/// Compares the operations of versions to those of the reference version at index `with`. For a text that is not a
/// document with operations, they are unknown.
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
            let compare = |(at, other): (usize, &Option<Side<'_, '_>>)| {
                let (Some(basis), Some(other)) = (basis, other) else {
                    return Comparison::Unknown;
                };
                match (basis.find(&operation.key), other.find(&operation.key)) {
                    (None, None) => Comparison::Absent,
                    (Some(_), _) if at == with => Comparison::Here,
                    (None, Some(_)) => Comparison::Added,
                    (Some(_), None) => Comparison::Removed,
                    (Some(before), Some(after)) => {
                        let affected = affected.get(at).unwrap_or(&none);
                        match side::alike(before, after, affected) {
                            true => Comparison::Same,
                            false => Comparison::Changed,
                        }
                    }
                }
            };
            table.rows.push(Row {
                method: operation.of.method.clone(),
                path: operation.of.path.to_owned(),
                summary: operation.summary().to_owned(),
                cells: sides.iter().enumerate().map(compare).collect(),
            });
        }
    }
    for (at, count) in table.counts.iter_mut().enumerate() {
        let of = |wanted: Comparison| {
            let cells = table.rows.iter().filter_map(|row| row.cells.get(at));
            cells.filter(|cell| **cell == wanted).count()
        };
        *count = Count {
            operations: sides
                .get(at)
                .and_then(Option::as_ref)
                .map(|side| side.operations.len()),
            added: of(Comparison::Added),
            changed: of(Comparison::Changed),
            removed: of(Comparison::Removed),
        };
    }
    table
}

/// A part of an operation that differs between two versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Its heading.
    pub title: String,
    /// Its text in the first version; empty if it is missing.
    pub before: String,
    /// Its text in the second version.
    pub after: String,
}

/// Returns the differences between two versions of an operation: in itself, the parameters of its path, its rules, the
/// security it inherits, and the components it uses.
#[must_use]
pub fn difference(before: &str, after: &str, method: &str, path: &str) -> Vec<Part> {
    let (Ok(old), Ok(new)) = (parse(before), parse(after)) else {
        return Vec::new();
    };
    let (old, new) = (Side::of(&old), Side::of(&new));
    let key = side::key(method, path);
    let sides = [
        (&old, old.find(&key), before),
        (&new, new.find(&key), after),
    ]
    .map(|(side, operation, text)| {
        operation
            .map(|operation| side.parts(operation, text))
            .unwrap_or_default()
    });
    let [old_parts, new_parts] = sides;
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

/// Copies a document as a new version of another API: without its id and versions, under another name and listen path.
///
/// # Errors
/// If the text is not JSON, or has no extension.
pub fn copied(text: &str, name: &str, listen_path: &str) -> Result<String, EditError> {
    let document = parse(text).map_err(|_| EditError::NotFound)?;
    let Some((extension, settings)) = stored::extension(&document) else {
        return Err(EditError::NotFound);
    };
    let at = |below: &str| format!("/{extension}{below}");
    let old_path = settings.pointer("/server/listenPath/value");
    let old_path = old_path.and_then(Value::as_str).unwrap_or_default();
    let called = settings.pointer("/info/name").and_then(Value::as_str);
    let servers = document
        .get("servers")
        .map(Value::items)
        .unwrap_or_default();
    // The gateway itself adds the servers with the listen path, and takes all others to be the user's own.
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

/// Whether a URL has the listen path, on whichever host.
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

/// Suggests a listen path for a version next to that of the copied API.
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
