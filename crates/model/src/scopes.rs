//! The scopes of a token and the policies they grant (specification, *Client identity providers*; reference 3.9).
//!
//! The console tests a mapping with the functions the edge uses.

use crate::json::{Kind, Value};

/// The claim that holds the scopes if a mapping names none.
pub const CLAIM: &str = "scope";

/// Finds a claim by its exact name, or else by a path of names separated by dots.
#[must_use]
pub fn claim<'v, 't>(claims: &'v Value<'t>, name: &str) -> Option<&'v Value<'t>> {
    if let Some(member) = claims.member(name) {
        return Some(&member.value);
    }
    let mut at = claims;
    for part in name.split('.') {
        at = &at.member(part)?.value;
    }
    Some(at)
}

/// Splits a claim into texts: the elements of a list and of the lists in it, or the words of a text separated by
/// whitespace. Commas are part of a word.
#[must_use]
pub fn words<'v>(value: &'v Value<'_>) -> Vec<&'v str> {
    match &value.kind {
        Kind::String(text) => text.split_whitespace().collect(),
        _ => elements(value),
    }
}

fn elements<'v>(list: &'v Value<'_>) -> Vec<&'v str> {
    let texts = |item: &'v Value<'_>| {
        item.as_str()
            .map_or_else(|| elements(item), |text| vec![text])
    };
    list.items().iter().flat_map(texts).collect()
}

/// Returns the policies granted by scopes according to a mapping of scopes to policy ids, each once, in the order of
/// the scopes. Scopes that are not in the mapping grant nothing.
#[must_use]
pub fn policies<'m>(mapping: &[(&str, &'m str)], scopes: &[&str]) -> Vec<&'m str> {
    let mut policies = Vec::new();
    for scope in scopes {
        for (_, policy) in mapping.iter().filter(|(known, _)| known == scope) {
            if !policies.contains(policy) {
                policies.push(*policy);
            }
        }
    }
    policies
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    #[test]
    fn a_claim_is_found_by_its_name_and_by_a_path() {
        let claims = r#"{"scope":"a b","realm":{"access":["c","d e",1]},"x.y":"z",
            "lists":[["e f",["g",{"i":"j"}]],"h"]}"#;
        let claims = parse(claims).expect("it is JSON");
        let words_of = |name: &str| claim(&claims, name).map(words);
        assert_eq!(words_of("scope"), Some(vec!["a", "b"]));
        assert_eq!(words_of("realm.access"), Some(vec!["c", "d e"]));
        assert_eq!(words_of("x.y"), Some(vec!["z"]));
        assert_eq!(words_of("realm.none"), None);
        assert_eq!(words_of("realm"), Some(Vec::new()));
        assert_eq!(words_of("lists"), Some(vec!["e f", "g", "h"]));
    }

    #[test]
    fn scopes_give_each_policy_once() {
        let mapping = [("read", "p1"), ("write", "p2"), ("all", "p1")];
        assert_eq!(
            policies(&mapping, &["all", "none", "write", "read"]),
            ["p1", "p2"]
        );
        assert!(policies(&mapping, &["READ"]).is_empty());
    }
}
