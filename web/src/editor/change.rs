//! What the form does to a text: each change touches as few bytes as it can.

use gatewright_model::assist::{Fix, first_value};
use gatewright_model::form::{Control, Subject, added_value, control, put, spot, typed};
use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::pointer::{array_index, push_token};
use gatewright_model::json::{Kind as Json, Value, parse};
use serde::Serialize;

/// A changed text, or why there is none.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Changed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The pointer of what was changed, as it is now.
    pub(super) pointer: String,
    /// The JSON text that was removed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) was: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) error: String,
}

/// Does something at a pointer. `how` is one of
/// - `put`: what was typed into the field's own control becomes the value
/// - `json`: the same for JSON text
/// - `add`: the value begins as what it is added for; `-` at the end of the pointer appends to a list
/// - `remove`: takes it away
/// - `restore`: puts back the JSON text of something that was removed
/// - `rename`: gives an entry of a map another name
/// - `move`: exchanges an element of a list with the one before it (`up`) or behind it
pub(super) fn change(
    subject: Subject,
    text: &str,
    how: &str,
    pointer: &str,
    input: &str,
) -> Changed {
    let outcome = parse(text)
        .map_err(|issues| EditError::Document(issues).to_string())
        .and_then(|document| {
            let act = Act {
                subject,
                text,
                document: &document,
                pointer,
            };
            match how {
                "put" | "json" => act.put(how == "json", input),
                "add" => act.add(),
                "remove" => act.remove(),
                "restore" => act.restore(input),
                "rename" => act.rename(input),
                "move" => act.shift(input == "up"),
                other => Err(format!("there is no {other}")),
            }
        });
    outcome.unwrap_or_else(|error| Changed {
        error: sentence(&error),
        ..Changed::default()
    })
}

/// The text with a fix of an issue applied.
pub(super) fn mended(text: &str, fix: &Fix) -> String {
    let mut text = text.to_owned();
    // From the back, so that the offsets before stay right.
    for edit in fix.edits.iter().rev() {
        if text.get(edit.from..edit.to).is_some() {
            text.replace_range(edit.from..edit.to, &edit.insert);
        }
    }
    text
}

fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let first = characters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(characters).collect()
}

type Outcome = Result<Changed, String>;

struct Act<'a> {
    subject: Subject,
    text: &'a str,
    document: &'a Value<'a>,
    pointer: &'a str,
}

impl Act<'_> {
    fn done(&self, text: Result<String, EditError>) -> Outcome {
        self.done_at(text, self.pointer.to_owned())
    }

    fn done_at(&self, text: Result<String, EditError>, pointer: String) -> Outcome {
        let text = text.map_err(|error| error.to_string())?;
        Ok(Changed {
            text: Some(text),
            pointer,
            ..Changed::default()
        })
    }

    /// The pointer of what is around the value, and its own name there.
    fn around(&self) -> (&str, &str) {
        self.pointer.rsplit_once('/').unwrap_or_default()
    }

    fn put(&self, json: bool, input: &str) -> Outcome {
        let spot = spot(self.subject, self.document, self.pointer);
        let control = match spot {
            Some(spot) if !json => {
                let name = spot.member.map_or("", |member| member.name);
                control(&spot.kind, name)
            }
            _ => Control::Json,
        };
        let value = typed(&control, input).map_err(|expected| format!("expected {expected}"))?;
        let before = self.document.pointer(self.pointer);
        // The same text written with other escapes stays as it is.
        let same =
            before.is_some_and(|before| parse(&value).is_ok_and(|value| same(before, &value)));
        if same && !json {
            return self.done(Ok(self.text.to_owned()));
        }
        self.done(put(self.text, self.pointer, Some(&value)))
    }

    fn add(&self) -> Outcome {
        if self
            .document
            .pointer(self.pointer)
            .is_some_and(|value| !value.is_null())
        {
            return Err(EditError::Taken.to_string());
        }
        let spot =
            spot(self.subject, self.document, self.pointer).ok_or("there is no such field")?;
        let (around, name) = self.around();
        let own = spot.member.filter(|member| member.name == name);
        let value = match own {
            // An element or entry is no member, even if it has the name of one.
            Some(member) if describes(self.subject, self.document, around) => added_value(member),
            _ => first_value(&spot.kind),
        };
        let mut pointer = self.pointer.to_owned();
        if let (Some(Json::Array(items)), "-") =
            (self.document.pointer(around).map(|value| &value.kind), name)
        {
            around.clone_into(&mut pointer);
            push_token(&mut pointer, &items.len().to_string());
        }
        self.done_at(edit::set(self.text, self.pointer, &value), pointer)
    }

    fn remove(&self) -> Outcome {
        let value = self.document.pointer(self.pointer);
        let was = value.map(|value| value.span.of(self.text).to_owned());
        let done = self.done(put(self.text, self.pointer, None))?;
        Ok(Changed {
            was: was.unwrap_or_default(),
            ..done
        })
    }

    fn restore(&self, json: &str) -> Outcome {
        let (around, name) = self.around();
        match self.document.pointer(around).map(|value| &value.kind) {
            Some(Json::Array(items)) => {
                let index = array_index(name).unwrap_or(items.len()).min(items.len());
                self.done(edit::insert(self.text, around, index, json))
            }
            _ if self.document.pointer(self.pointer).is_some() => Err(EditError::Taken.to_string()),
            _ => self.done(edit::set(self.text, self.pointer, json)),
        }
    }

    fn rename(&self, name: &str) -> Outcome {
        let mut pointer = self.around().0.to_owned();
        push_token(&mut pointer, name);
        self.done_at(edit::rename(self.text, self.pointer, name), pointer)
    }

    fn shift(&self, up: bool) -> Outcome {
        let (around, name) = self.around();
        let index = array_index(name).ok_or("this is no element of a list")?;
        let other = if up {
            index.checked_sub(1)
        } else {
            index.checked_add(1)
        };
        let other = other.ok_or("it is the first one")?;
        let pointer = format!("{around}/{other}");
        self.done_at(edit::swap(self.text, around, index, other), pointer)
    }
}

/// Whether the value at a pointer is an object whose members the table names.
fn describes(subject: Subject, document: &Value<'_>, pointer: &str) -> bool {
    let spot = spot(subject, document, pointer);
    spot.is_some_and(|spot| matches!(control(&spot.kind, ""), Control::Object(_)))
}

/// Whether both are the same text.
fn same(before: &Value<'_>, after: &Value<'_>) -> bool {
    matches!(before.kind, Json::String(_)) && before.same(after)
}
