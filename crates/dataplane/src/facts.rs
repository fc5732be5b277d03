//! JSON that links write for extras.

use gatewright_model::json::quote;

/// A list of texts.
pub(crate) fn list<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    let mut json = String::new();
    push(&mut json, ['[', ']'], &mut texts.map(quote));
    json
}

/// An object; its values are JSON.
pub(crate) fn object<'n>(members: impl Iterator<Item = (&'n str, String)>) -> String {
    let mut json = String::new();
    push_object(&mut json, members);
    json
}

/// Appends an object; its values are JSON.
pub(crate) fn push_object<'n>(json: &mut String, members: impl Iterator<Item = (&'n str, String)>) {
    let mut members = members.map(|(name, value)| quote(name) + ":" + &value);
    push(json, ['{', '}'], &mut members);
}

// Not generic: each list would be another copy of it.
fn push(json: &mut String, [open, close]: [char; 2], parts: &mut dyn Iterator<Item = String>) {
    json.push(open);
    for (index, part) in parts.enumerate() {
        if index > 0 {
            json.push(',');
        }
        json.push_str(&part);
    }
    json.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_texts_are_quoted_and_values_are_not() {
        assert_eq!(list(["a", "\""].into_iter()), r#"["a","\""]"#);
        let members = [("a\"", "1".to_owned()), ("b", list([].into_iter()))];
        assert_eq!(object(members.into_iter()), r#"{"a\"":1,"b":[]}"#);
        assert_eq!(object([].into_iter()), "{}");
    }
}
