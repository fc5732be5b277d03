//! The edits that the form makes to a text: each touches as few bytes as possible.

use gatewright_model::assist::{Fix, first_value};
use gatewright_model::form::{Control, Subject, added_value, control, put, spot, typed};
use gatewright_model::json::edit::{self, EditError};
use gatewright_model::json::pointer::{array_index, push_token};
use gatewright_model::json::{Kind as Json, Value, parse};
use serde::Serialize;

/// The edited text, or why there is none.
#[derive(Debug, Default, PartialEq, Serialize)]
pub(super) struct Changed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    /// The pointer of what was changed, as it is after the edit.
    pub(super) pointer: String,
    /// The JSON text that was removed.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) was: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) error: String,
}

/// Makes a change at a pointer. `how` is one of
/// - `put`: sets the value to what was typed into the field's own control
/// - `json`: sets the value to JSON text
/// - `add`: adds a member or an entry with its initial value; `-` at the end of the pointer appends to a list
/// - `remove`: removes it
/// - `restore`: puts back the JSON text of something that was removed
/// - `rename`: renames an entry of a map
/// - `move`: swaps an element of a list with the previous one (`up`) or the next one
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

/// Returns the text with a fix applied.
pub(super) fn with_fix(text: &str, fix: &Fix) -> String {
    let mut text = text.to_owned();
    // From the end, so that earlier offsets stay valid.
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

    /// Returns the pointer of the parent, and the value's own name in it.
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
        // A text that differs only in its escapes is left alone.
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
            // An element or entry is not a member, even if it shares a member's name.
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
        let index = array_index(name).ok_or("this is not an element of a list")?;
        let other = if up {
            index.checked_sub(1)
        } else {
            index.checked_add(1)
        };
        let other = other.ok_or("it is already the first one")?;
        let pointer = format!("{around}/{other}");
        self.done_at(edit::swap(self.text, around, index, other), pointer)
    }
}

/// Whether the value at a pointer is an object with members in the table.
fn describes(subject: Subject, document: &Value<'_>, pointer: &str) -> bool {
    let spot = spot(subject, document, pointer);
    spot.is_some_and(|spot| matches!(control(&spot.kind, ""), Control::Object(_)))
}

/// Whether both are strings with the same content.
fn same(before: &Value<'_>, after: &Value<'_>) -> bool {
    matches!(before.kind, Json::String(_)) && before.same(after)
}
