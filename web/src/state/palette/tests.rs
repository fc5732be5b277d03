use super::rank::closest;
use super::*;
use crate::routes;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn api(id: &str, name: &str) -> Entry {
    Entry::object(Kind::Api, id, name, routes::api(id)).with_detail(format!("/{id}/"))
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
            .with_keywords(["okta-prod".to_owned()]),
    ]);
    all
}

/// Returns an identity with this access to every part of the gateway.
fn somebody(access: &str) -> Identity {
    let groups = ["apis", "keys", "policies", "oauth", "figures", "tools"];
    let rights = groups
        .map(|group| format!("\"{group}\":\"{access}\""))
        .join(",");
    Identity::read(&format!(
        r#"{{"gateway":true,"dashboard":true,"rights":{{"clientidps":"write","gateway":{{{rights}}}}}}}"#
    ))
}

fn everybody() -> Identity {
    somebody("write")
}

/// No listen path in this list has an expression.
fn fits(_: &str, _: &str) -> bool {
    true
}

#[test]
fn a_called_path_finds_the_api_that_serves_it_and_offers_to_try_it() {
    let route = |mut entry: Entry, listen: &str| {
        entry.route = Some((String::new(), listen.to_owned()));
        entry
    };
    let all = [
        route(api("orders", "Orders"), "/orders/"),
        route(api("a1", "Old orders"), "/orders/old/"),
    ];
    let found = |typed: &str, access: &str| -> Vec<(String, Act)> {
        let found = find(typed, &all, &[], &somebody(access), &fits).into_iter();
        found
            .map(|line| (line.entry.name, line.entry.act))
            .collect()
    };
    let orders = (
        "Orders".to_owned(),
        Act::Go("/console/apis/orders".to_owned()),
    );
    let url = "/console/try/orders?path=%2Forders%2F42%3FA%3D1".to_owned();
    let try_it = ("Try /orders/42?A=1 at Orders".to_owned(), Act::Go(url));
    assert_eq!(
        found("http://localhost:8787/orders/42?A=1", "write")[..2],
        [try_it, orders.clone()]
    );
    assert_eq!(found("/orders/42", "read")[..1], [orders]);
    assert_eq!(found("/orders/old/1", "read")[0].0, "Old orders");
    assert_eq!(search_text(" /Orders/42 "), "/Orders/42");
}

#[test]
fn member_is_found_in_reference_and_definition() {
    let of = |typed: &str| -> Vec<(Kind, String, String)> {
        let found = find(typed, &[], &[], &everybody(), &fits).into_iter();
        found
            .map(|line| (line.entry.kind, line.entry.name, line.entry.detail))
            .collect()
    };
    let has = |found: &[(Kind, String, String)], kind, name: &str, detail: &str| {
        found.contains(&(kind, name.to_owned(), detail.to_owned()))
    };
    let quota = of("quota_max");
    assert!(has(&quota, Kind::Member, "quota_max", "of Policies"));
    assert!(has(
        &quota,
        Kind::Page,
        "Policies",
        "where quota_max is set"
    ));
    assert!(has(&quota, Kind::Page, "Keys", "where quota_max is set"));
    assert!(of("quota").iter().any(|(kind, ..)| *kind == Kind::Member));
    assert!(of("proxy").iter().any(|(_, name, _)| name == "proxy"));
    let found = find("listen_path", &[], &[], &everybody(), &fits);
    let url = "/console/reference?of=api_definition&type=ProxyConfig&at=listen_path";
    assert_eq!(found.first().and_then(|line| line.entry.url()), Some(url));
    assert_eq!(
        find("gold", &all(), &[], &everybody(), &fits)[0].entry.id,
        "gold"
    );
    assert!(of("qu").is_empty(), "too short for a guess");
    let blind = Identity::read(r#"{"dashboard":true,"rights":{"hooks":"read"}}"#);
    let found = find("quota_max", &[], &[], &blind, &fits);
    assert!(
        found.iter().all(|line| line.entry.kind == Kind::Member),
        "no page that may not be seen"
    );
}

#[test]
fn read_only_users_are_offered_no_writes() {
    let reader = somebody("read");
    let mut all = all();
    all.retain(|entry| offered(entry, &reader));
    let names = |typed: &str| -> Vec<String> {
        let found = find(typed, &all, &[], &reader, &fits).into_iter();
        found.map(|line| line.entry.name).collect()
    };
    assert_eq!(names("new api"), [""; 0]);
    assert!(!names("delete orders").contains(&"Delete Orders".to_owned()));
    assert!(!names("try orders").contains(&"Try Orders".to_owned()));
    assert_eq!(names("revisions orders")[..1], ["Revisions of Orders"]);
    assert_eq!(names("new client idp")[..1], ["New client IdP"]);
}

fn names(typed: &str) -> Vec<String> {
    let found = find(typed, &all(), &[], &everybody(), &fits);
    found.into_iter().map(|line| line.entry.name).collect()
}

fn first(typed: &str) -> Entry {
    find(typed, &all(), &[], &everybody(), &fits)
        .remove(0)
        .entry
}

#[test]
fn ranking_is_exact_prefix_word_part_then_guess() {
    assert_eq!(
        names("orders"),
        ["Orders", "Back orders", "Preorders", "Order"],
        "the last one is a letter away"
    );
    assert_eq!(names("order")[..2], ["Order", "Orders"]);
    assert_eq!(first("gold").id, "gold");
}

#[test]
fn pickers_forgive_typos_and_offer_the_closest_first() {
    let names = ["Border", "Orders, version 2", "Orders", "Payments"].map(str::to_owned);
    let found = closest("Ordrs ", names.to_vec(), |name| [name]);
    assert_eq!(found, ["Orders, version 2", "Orders"]);
    assert_eq!(
        closest("orders", names.to_vec(), |name| [name])[0],
        "Orders"
    );
    assert!(closest("xyzzy", names.to_vec(), |name| [name]).is_empty());
}

#[test]
fn short_words_allow_one_typo_and_long_ones_two() {
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
fn initials_find_words() {
    assert_eq!(first("gldn").id, "golden-partners");
    assert!(
        !names("rds").contains(&"Orders".to_owned()),
        "not from its middle"
    );
}

#[test]
fn synonyms_and_kinds_are_searched() {
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
fn verb_and_object_find_the_action() {
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
        ("delete acme", "Revoke acme", routes::key("ff00")),
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
fn verb_alone_offers_recent_choices() {
    let recent = [api("preorders", "Preorders")];
    let found = find("try", &all(), &recent, &everybody(), &fits);
    assert_eq!(found[0].entry.name, "Try an API", "the page");
    let tried: Vec<_> = found
        .iter()
        .filter(|line| line.rank >= rank::GUESS)
        .collect();
    assert_eq!(tried[0].entry.name, "Try Preorders");
}

#[test]
fn recent_choices_come_first_without_a_query() {
    let recent = [api("orders", "Orders"), first("keys")];
    let found = find("", &all(), &recent, &everybody(), &fits);
    let names: Vec<&str> = found.iter().map(|line| &*line.entry.name).collect();
    assert_eq!(names[..3], ["Orders", "Keys", "New API"]);
    assert_eq!(names.iter().filter(|name| **name == "Keys").count(), 1);
    assert!(!names.contains(&"Preorders"), "objects are searched for");
}

#[test]
fn recent_choice_wins_a_tie() {
    let all = [policy("gold-a"), policy("gold-b")];
    assert_eq!(
        find("gold", &all, &[], &everybody(), &fits)[0].entry.id,
        "gold-a"
    );
    assert_eq!(
        find("gold", &all, &[policy("gold-b")], &everybody(), &fits)[0]
            .entry
            .id,
        "gold-b"
    );
}

#[test]
fn stored_choices_round_trip_and_stay_in_the_console() {
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
fn query_is_shortened_until_the_gateway_finds_something() {
    assert_eq!(search_text(" Try Orders "), "orders");
    assert_eq!(search_text("orders"), "orders");
    assert_eq!(search_text("try"), "try");
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
