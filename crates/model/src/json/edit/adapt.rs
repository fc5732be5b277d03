//! Makes one document equal to another with as few edits as possible.

use super::{Changes, EditError, Edits, Layout};
use crate::json::{Kind, Value, parse};
use crate::merge::Index;

/// Edits `text` until its value equals `wanted`. Members that are already equal keep every byte and their position;
/// members that `wanted` lacks are removed, new ones are added last, formatted like their siblings. A changed value is
/// copied from `wanted`, and an array counts as one value.
///
/// # Errors
/// [`EditError::Document`] or [`EditError::Value`] for a text that is not JSON.
pub fn adapt(text: &str, wanted: &str) -> Result<String, EditError> {
    let root = parse(text).map_err(EditError::Document)?;
    let goal = parse(wanted).map_err(EditError::Value)?;
    let adapting = Adapting {
        text,
        root: &root,
        wanted,
    };
    let mut edits = Edits::new(text);
    adapting.value(&root, &goal, &mut edits);
    Ok(edits.apply())
}

struct Adapting<'m, 't> {
    text: &'m str,
    root: &'m Value<'t>,
    wanted: &'m str,
}

impl Adapting<'_, '_> {
    fn value(&self, old: &Value<'_>, new: &Value<'_>, edits: &mut Edits<'_>) {
        match (&old.kind, &new.kind) {
            (Kind::Object(_), Kind::Object(_)) => self.object(old, new, edits),
            _ if old.same(new) => {}
            _ => edits.replace(old.span.start, old.span.end, new.span.of(self.wanted)),
        }
    }

    fn object(&self, old: &Value<'_>, new: &Value<'_>, edits: &mut Edits<'_>) {
        let (before, after) = (Index::new(old.members()), Index::new(new.members()));
        let mut changes = Changes::default();
        for (at, member) in old.members().iter().enumerate() {
            match after.find(&member.name) {
                Some((_, now)) => self.value(&member.value, &now.value, edits),
                None => changes.removed.push(at),
            }
        }
        let added = new
            .members()
            .iter()
            .filter(|member| before.find(&member.name).is_none());
        changes.added = added
            .map(|member| {
                let json = member.value.span.of(self.wanted);
                (member.name.to_string(), json.to_owned())
            })
            .collect();
        if !changes.removed.is_empty() || !changes.added.is_empty() {
            let layout = Layout::of(self.text, self.root, old);
            edits.object(old, old.members(), &changes, &layout);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_value_keeps_every_byte() {
        let text = "{\n  \"a\" : [1,  2],\n  \"b\": { \"c\": 1, \"d\": 2 },\n  \"e\": null\n}\n";
        let wanted = r#"{"b":{"d":2,"f":{}},"a":[1,2],"g":null}"#;
        let expected =
            "{\n  \"a\" : [1,  2],\n  \"b\": { \"d\": 2, \"f\": {} },\n  \"g\": null\n}\n";
        assert_eq!(adapt(text, wanted).unwrap(), expected);
        assert_eq!(adapt(expected, wanted).unwrap(), expected);
    }

    #[test]
    fn whole_document_can_be_replaced() {
        for (text, wanted, expected) in [
            ("[1]", "{\"a\": 1}", "{\"a\": 1}"),
            ("{\"a\":1,\"b\":2}", "{}", "{}"),
            ("{\"a\":1}", "{\"b\":2}", "{\"b\":2}"),
            (" {} ", "{\"b\":2}", " {\"b\":2} "),
        ] {
            assert_eq!(adapt(text, wanted).unwrap(), expected, "{text} {wanted}");
        }
        assert!(matches!(adapt("{", "{}"), Err(EditError::Document(_))));
        assert!(matches!(adapt("{}", "{"), Err(EditError::Value(_))));
    }
}
