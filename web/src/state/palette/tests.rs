use super::*;
use crate::routes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn api(id: &str, name: &str) -> Entry {
    Entry::object(Kind::Api, id, name, routes::api(id)).told(format!("/{id}/"))
}

fn policy(id: &str) -> Entry {
    Entry::object(Kind::Policy, id, "", routes::policy(id))
}

fn all() -> Vec<Entry> {
    let mut all = commands::all();
    all.extend([
        api("orders", "Orders"),
        api("preorders", "Preorders"),
        api("reorder", "Back orders"),
        api("a1", "Order"),
        policy("gold"),
        policy("golden-partners"),
        Entry::object(Kind::Key, "ff00", "acme", routes::key("ff00")),
        Entry::object(Kind::ClientIdp, "5f", "Okta", routes::client_idp("5f"))
            .by(["okta-prod".to_owned()]),
    ]);
    all
}

fn names(typed: &str) -> Vec<String> {
    let found = find(typed, &all(), &[]);
    found.into_iter().map(|line| line.entry.name).collect()
}

fn first(typed: &str) -> Entry {
    find(typed, &all(), &[]).remove(0).entry
}

#[test]
fn an_exact_name_comes_before_a_beginning_a_word_a_part_and_a_guess() {
    assert_eq!(
        names("orders"),
        ["Orders", "Back orders", "Preorders", "Order"],
        "the last one is a letter away"
    );
    assert_eq!(names("order")[..2], ["Order", "Orders"]);
    assert_eq!(first("gold").id, "gold");
}

#[test]
fn typing_errors_are_forgiven_one_in_short_words_and_two_in_long_ones() {
    for (typed, expected) in [
        ("ordrs", "Orders"),
        ("oders", "Orders"),
        ("ordesr", "Orders"),
        ("oredrs", "Orders"),
        ("preodrers", "Preorders"),
        ("golden partnars", "golden-partners"),
        ("webhoks", "Webhooks"),
        ("polcies", "Policies"),
        ("certifictaes", "Certificates"),
    ] {
        assert!(
            names(typed).iter().take(2).any(|name| name == expected),
            "{typed}: {:?}",
            names(typed)
        );
    }
    assert!(names("zzzz").is_empty());
    assert!(
        names("ab")
            .iter()
            .all(|name| name.to_lowercase().contains("ab"))
    );
}

#[test]
fn letters_in_their_order_find_words_they_begin() {
    assert_eq!(first("gldn").id, "golden-partners");
    assert!(
        !names("rds").contains(&"Orders".to_owned()),
        "not from its middle"
    );
}

#[test]
fn what_else_something_is_called_finds_it_and_so_does_its_kind_beside_its_name() {
    assert_eq!(first("okta-prod").name, "Okta");
    assert_eq!(first("policy gold").id, "gold");
    assert_eq!(first("key acme").id, "ff00");
    assert_eq!(first("new key").url(), Some(routes::NEW_KEY));
    assert_eq!(first("help").act, Act::Help);
    assert_eq!(first("disconnect").act, Act::SignOut);
    assert_eq!(first("log out").act, Act::SignOut);
    assert!(
        !names("policy").contains(&"gold".to_owned()),
        "a kind alone is its page"
    );
}

#[test]
fn a_verb_leads_to_what_is_done_with_an_object() {
    for (typed, name, url) in [
        ("try orders", "Try Orders", routes::try_it("orders")),
        ("orders try", "Try Orders", routes::try_it("orders")),
        ("try ordrs", "Try Orders", routes::try_it("orders")),
        (
            "charts orders",
            "Charts of Orders",
            routes::overview("1h", "orders"),
        ),
        (
            "traffic orders",
            "Charts of Orders",
            routes::overview("1h", "orders"),
        ),
        (
            "revisions orders",
            "Revisions of Orders",
            routes::revisions("orders"),
        ),
        (
            "revi orders",
            "Revisions of Orders",
            routes::revisions("orders"),
        ),
        ("delete orders", "Delete Orders", routes::api("orders")),
        ("delete gold", "Delete gold", routes::policy("gold")),
        ("keys gold", "Keys with gold", routes::keys_of("gold")),
        (
            "clients orders",
            "OAuth clients of Orders",
            routes::oauth_clients("orders"),
        ),
    ] {
        let found = first(typed);
        assert_eq!((&*found.name, found.url()), (name, Some(&*url)), "{typed}");
    }
    assert!(!names("revisions gold").contains(&"Revisions of gold".to_owned()));
}

#[test]
fn a_verb_alone_offers_what_was_chosen_last() {
    let recent = [api("preorders", "Preorders")];
    let found = find("try", &all(), &recent);
    assert_eq!(found[0].entry.name, "Try an API", "the page");
    let tried: Vec<_> = found
        .iter()
        .filter(|line| line.rank >= rank::GUESS)
        .collect();
    assert_eq!(tried[0].entry.name, "Try Preorders");
}

#[test]
fn without_a_text_the_last_ones_come_first_and_once() {
    let recent = [api("orders", "Orders"), first("keys")];
    let found = find("", &all(), &recent);
    let names: Vec<&str> = found.iter().map(|line| &*line.entry.name).collect();
    assert_eq!(names[..3], ["Orders", "Keys", "New API"]);
    assert_eq!(names.iter().filter(|name| **name == "Keys").count(), 1);
    assert!(!names.contains(&"Preorders"), "objects are searched for");
}

#[test]
fn of_what_answers_as_well_the_last_one_chosen_comes_first() {
    let all = [policy("gold-a"), policy("gold-b")];
    assert_eq!(find("gold", &all, &[])[0].entry.id, "gold-a");
    assert_eq!(
        find("gold", &all, &[policy("gold-b")])[0].entry.id,
        "gold-b"
    );
}

#[test]
fn what_is_kept_is_read_again_and_leads_nowhere_else() {
    let kept = recent::with(&api("orders", "Or\"ders"), vec![policy("gold")]);
    assert_eq!(recent::read(&recent::write(&kept)), kept);
    let again = recent::with(&policy("gold"), kept);
    let ids: Vec<&str> = again.iter().map(|entry| &*entry.id).collect();
    assert_eq!(ids, ["gold", "orders"]);
    let theme = first("dark theme");
    assert_eq!(
        recent::with(&theme, again.clone()),
        again,
        "no address, nothing to go back to"
    );
    for bad in [
        "",
        "{}",
        "[1]",
        r#"[{"kind":"api","name":"x","url":"https://example.com/"}]"#,
        r#"[{"kind":"api","name":"x","url":"/consoles/x"}]"#,
        r#"[{"kind":"odd","name":"x","url":"/console/x"}]"#,
    ] {
        assert!(recent::read(bad).is_empty(), "{bad}");
    }
}

#[test]
fn the_gateway_is_asked_for_the_object_and_for_less_where_nothing_answers() {
    assert_eq!(asked(" Try Orders "), "orders");
    assert_eq!(asked("orders"), "orders");
    assert_eq!(asked("try"), "try");
    assert_eq!(shorter("ordrs"), Some("ord".to_owned()));
    assert_eq!(shorter("my ordrs"), Some("ord".to_owned()));
    assert_eq!(shorter("or"), None);
}

#[test]
fn kinds_have_words_of_their_own() {
    for (kind, word, _) in KINDS {
        assert_eq!((Kind::of(word), kind.word()), (Some(kind), word));
    }
    assert_eq!(Kind::of("nothing"), None);
}
