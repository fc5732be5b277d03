//! Completion of ids that only the caller knows.

use crate::assist::{Completion, Place, complete};
use crate::shape::Root;

/// Returns the completions at the `|` of a text, with two APIs and a policy known.
fn offered(root: Root, marked: &str) -> Vec<Completion> {
    let offset = marked.find('|').unwrap();
    let text = marked.replacen('|', "", 1);
    complete(root.into(), &text, offset, &|place| {
        let ids: &[(&str, &str)] = match place {
            Place::Names("/access_rights") | Place::Value("/access_rights/orders/api_id") => {
                &[("orders", "Orders"), ("pets", "")]
            }
            Place::Value("/apply_policies/0" | "/apply_policies/1") => &[("gold", "Gold")],
            _ => &[],
        };
        let pair = |(id, name): &(&str, &str)| ((*id).to_owned(), (*name).to_owned());
        ids.iter().map(pair).collect()
    })
}

fn labels(root: Root, marked: &str) -> Vec<String> {
    let offers = offered(root, marked).into_iter();
    offers.map(|offer| offer.label).collect()
}

#[test]
fn ids_are_offered_in_id_positions() {
    let offers = offered(Root::Policy, r#"{"access_rights": {"|"}}"#);
    assert_eq!(offers[0].label, "orders");
    assert_eq!(offers[0].detail, "Orders");
    assert_eq!(offers[0].insert, r#""orders": {}"#);
    let rest = labels(Root::Policy, r#"{"access_rights": {"orders": {}, "|"}}"#);
    assert_eq!(rest, ["pets"], "the other one is there");
    let value = r#"{"access_rights": {"orders": {"api_id": "|"}}}"#;
    assert_eq!(labels(Root::Session, value), ["\"orders\"", "\"pets\""]);
    let bare = labels(Root::Session, r#"{"apply_policies": [|]}"#);
    assert_eq!(bare[0], "\"gold\"");
    let second = offered(Root::Session, r#"{"apply_policies": ["silver", "|"]}"#);
    assert_eq!(
        (second[0].label.as_str(), second[0].detail.as_str()),
        ("\"gold\"", "Gold")
    );
    assert!(labels(Root::Session, r#"{"alias": "|"}"#).is_empty());
}
