//! Editing mappings: the table in step with the patch, and the effect of a patch.

use gatewright_web::api::Document;
use gatewright_web::routes::{Area, Page};
use gatewright_web::state::curl::Curl;
use gatewright_web::state::listing::{Listing, ORDERS};
use gatewright_web::state::mappings::{Counts, Edit, Fate, NOTHING, Plan, edited, expected};
use wasm_bindgen_test::wasm_bindgen_test;

const DOCUMENT: &str = r#"{
  "name": "idp",
  "api_mappings": {
    "orders": {"scope_to_policy": {"read": "p1", "write": "p2"}, "note": 1.0},
    "a/b": {"scope_to_policy": {"all": "p3"}}
  }
}"#;

fn plan(patch: &str) -> Plan {
    Plan::of(DOCUMENT, patch, None, None)
}

fn text(value: &str) -> String {
    value.to_owned()
}

fn set(api_id: &str, scope: &str, policy: &str) -> Edit {
    Edit::Set {
        api_id: text(api_id),
        scope: text(scope),
        policy: text(policy),
    }
}

fn remove(api_id: &str, scope: &str) -> Edit {
    Edit::Remove {
        api_id: text(api_id),
        scope: text(scope),
    }
}

/// Returns the patch after edits, without its formatting.
fn after(edits: &[Edit]) -> String {
    let mut patch = text(NOTHING);
    for edit in edits {
        patch = edited(DOCUMENT, &patch, edit);
    }
    patch.split_whitespace().collect()
}

#[wasm_bindgen_test]
fn table_shows_stored_mappings_with_patch() {
    let plan = plan(
        r#"{"orders":{"scope_to_policy":{"read":"p9","write":null,"new":"p4"}},"a/b":null,"c":{}}"#,
    );
    let fates: Vec<(&str, Fate)> = plan
        .table
        .iter()
        .map(|mapping| (mapping.api_id.as_str(), mapping.fate))
        .collect();
    assert_eq!(
        fates,
        [
            ("orders", Fate::Same),
            ("a/b", Fate::Removed),
            ("c", Fate::Added)
        ]
    );
    let scopes: Vec<(&str, Fate)> = plan.table[0]
        .scopes
        .iter()
        .map(|scope| (scope.name.as_str(), scope.fate()))
        .collect();
    assert_eq!(
        scopes,
        [
            ("read", Fate::Changed),
            ("write", Fate::Removed),
            ("new", Fate::Added)
        ]
    );
    assert_eq!(plan.table[0].others, 1);
    assert_eq!(
        plan.counts(),
        Counts {
            changed: 1,
            added: 1,
            removed: 2,
            same: 0
        }
    );
    let removed: Vec<String> = plan.removed().into_iter().map(|gone| gone.api_id).collect();
    assert_eq!(removed, ["a/b"]);
}

#[wasm_bindgen_test]
fn patch_leaves_other_mappings_untouched() {
    let plan = plan(r#"{"orders":{"scope_to_policy":{"read":"p9"}}}"#);
    assert_eq!(plan.counts().same, 2);
    assert_eq!(
        plan.result.unwrap(),
        DOCUMENT.replace("\"p1\"", "\"p9\""),
        "every other byte stays"
    );
}

#[wasm_bindgen_test]
fn a_wrong_patch_keeps_the_table_of_the_last_right_one() {
    let right = plan(r#"{"a/b":null}"#);
    let wrong = Plan::of(DOCUMENT, r#"{"a/b":1}"#, None, Some(&right));
    assert_eq!(wrong.result, None);
    assert_eq!(wrong.table, right.table);
    assert_eq!(wrong.issues[0].pointer, "/a~1b");
    assert!(wrong.lacks().is_some());
}

#[wasm_bindgen_test]
fn unknown_api_warns_if_all_are_known() {
    let known = |id: &str| id == "orders";
    let plan = Plan::of(DOCUMENT, r#"{"orders":{},"x":{}}"#, Some(&known), None);
    assert_eq!(plan.issues.len(), 1);
    assert_eq!(plan.issues[0].pointer, "/x");
    assert!(plan.result.is_some());
}

#[wasm_bindgen_test]
fn an_edit_of_the_table_is_an_edit_of_the_patch() {
    assert_eq!(
        after(&[set("orders", "read", "p9")]),
        r#"{"orders":{"scope_to_policy":{"read":"p9"}}}"#
    );
    assert_eq!(
        after(&[set("orders", "read", "p9"), remove("orders", "write")]),
        r#"{"orders":{"scope_to_policy":{"read":"p9","write":null}}}"#
    );
    let all = Edit::RemoveAll {
        api_id: text("a/b"),
    };
    assert_eq!(after(&[all]), r#"{"a/b":null}"#);
}

#[wasm_bindgen_test]
fn undone_edit_leaves_no_patch() {
    let keep = Edit::Keep {
        api_id: text("orders"),
        scope: text("write"),
    };
    let (all, none) = (
        Edit::RemoveAll {
            api_id: text("a/b"),
        },
        Edit::KeepAll {
            api_id: text("a/b"),
        },
    );
    for edits in [
        vec![set("orders", "read", "p9"), set("orders", "read", "p1")],
        vec![remove("orders", "write"), keep],
        vec![all, none],
        vec![set("orders", "new", "p"), remove("orders", "new")],
    ] {
        assert_eq!(after(&edits), NOTHING, "{edits:?}");
    }
}

#[wasm_bindgen_test]
fn a_new_mapping_stays_when_its_last_scope_goes() {
    let add = Edit::Add { api_id: text("c") };
    let none = r#"{"c":{"scope_to_policy":{}}}"#;
    assert_eq!(after(std::slice::from_ref(&add)), none);
    let edits = [add.clone(), set("c", "s", "p"), remove("c", "s")];
    assert_eq!(after(&edits), none);
    let all = Edit::RemoveAll { api_id: text("c") };
    assert_eq!(after(&[add, all]), NOTHING);
}

#[wasm_bindgen_test]
fn patch_keeps_layout_and_hidden_members() {
    let patch = "{\n    \"orders\": {\n        \"note\": 2.0\n    }\n}";
    let edited = edited(DOCUMENT, patch, &set("a/b", "all", "p9"));
    assert!(
        edited.starts_with("{\n    \"orders\": {\n        \"note\": 2.0\n    },\n    \"a/b\": {")
    );
    assert!(plan(&edited).result.unwrap().contains("\"note\": 2.0"));
}

#[wasm_bindgen_test]
fn a_wrong_patch_is_not_edited() {
    assert_eq!(edited(DOCUMENT, "{", &set("orders", "read", "x")), "{");
}

#[wasm_bindgen_test]
fn expected_document_has_the_stored_time() {
    let document = r#"{"api_mappings":null,"last_updated":"then"}"#;
    let stored = r#"{"api_mappings":{"a":{}},"last_updated":"now"}"#;
    assert_eq!(expected(document, r#"{"a":{}}"#, stored).unwrap(), stored);
}

#[wasm_bindgen_test]
fn a_document_without_mappings_has_an_empty_table() {
    for document in ["{}", r#"{"api_mappings":null}"#] {
        assert_eq!(Plan::of(document, NOTHING, None, None).table, []);
        let patch = edited(document, NOTHING, &set("a", "s", "p"));
        assert_eq!(Plan::of(document, &patch, None, None).counts().added, 1);
    }
}

#[wasm_bindgen_test]
fn the_token_is_a_variable_in_a_copied_command() {
    let command = Curl::new("PATCH", "http://x/api/clientidps/1/mappings")
        .token()
        .body("application/merge-patch+json", "{\"a\":null}")
        .command();
    assert!(command.contains("\"Authorization: Bearer $DASHBOARD_TOKEN\""));
    assert!(command.contains("'Content-Type: application/merge-patch+json'"));
    assert!(command.ends_with("--data-binary '{\"a\":null}'"));
}

#[wasm_bindgen_test]
fn a_list_of_the_dashboard_lives_in_the_address() {
    let mut listing = Listing::parse(ORDERS, "q=a%20b&sort=name&p=2&active=true&sort=nonsense");
    assert_eq!(listing.filter("active"), "true");
    assert_eq!(listing.to_url("/x"), "/x?q=a%20b&sort=name&p=2&active=true");
    assert_eq!(
        listing.to_request(),
        "q=a%20b&sort=name&p=2&per_page=50&active=true"
    );
    listing.set_filter("active", "");
    assert_eq!(
        (listing.page, listing.to_url("/x").as_str()),
        (1, "/x?q=a%20b&sort=name")
    );
    assert_eq!(Listing::parse(ORDERS, "p=0&sort=x").to_url("/x"), "/x");
}

#[wasm_bindgen_test]
fn each_module_has_the_pages_of_its_area() {
    assert_eq!(Area::of("/console/client-idps/1?x=y"), Area::Dashboard);
    assert_eq!(Area::of("/console/audit"), Area::Dashboard);
    for (path, page) in [
        ("/console/keys/new", Page::NewKey),
        (
            "/console/certificates/acmeff",
            Page::Certificate("acmeff".to_owned()),
        ),
        ("/console/oauth/a", Page::OauthClients(Some("a".to_owned()))),
        ("/console/oauth/a/new", Page::NewOauthClient("a".to_owned())),
        (
            "/console/oauth/a/clients/new",
            Page::OauthClient("a".to_owned(), "new".to_owned()),
        ),
        ("/console/jwt/a", Page::Jwt),
    ] {
        assert_eq!(
            (Area::of(path), Page::of(path)),
            (Area::Trust, page),
            "{path}"
        );
    }
    assert_eq!(Area::of("/console/keys/newer"), Area::Access);
    for other in [
        "/console/apis/audit",
        "/console/auditor",
        "/console/apis/cache",
        "/console/apis/a/chain",
        "/console/apis/a/cache/b",
    ] {
        assert_eq!(Area::of(other), Area::Gateway, "{other}");
    }
    for first in [
        "/console",
        "/console/",
        "/console/overview?api=a",
        "/console/connect",
        "/console/try/orders",
    ] {
        assert_eq!(Area::of(first), Area::Overview, "{first}");
    }
    for sent in [
        "/console/reload?show=skipped",
        "/console/batch?api=a",
        "/console/apis/a/upstreams/",
        "/console/apis/a/cache?window=1h",
    ] {
        assert_eq!(Area::of(sent), Area::Traffic, "{sent}");
    }
    for (path, area) in [
        ("/console/openapi/a/versions", Area::Offered),
        ("/console/mcp/a/catalogue", Area::Offered),
        ("/console/mcp/a/yaml", Area::Offered),
        ("/console/openapi/a/yaml", Area::Offered),
        ("/console/openapi/yaml", Area::Described),
        ("/console/mcp/a/versions", Area::Described),
        ("/console/openapi/versions", Area::Described),
        ("/console/openapi/a/other", Area::Described),
    ] {
        assert_eq!(Area::of(path), area, "{path}");
    }
    assert_eq!(
        Page::of("/console/openapi/a/versions/"),
        Page::Versions("a".to_owned())
    );
    assert_eq!(
        Page::of("/console/apis/a/cache?window=1h"),
        Page::Cache("a".to_owned())
    );
    assert_eq!(
        Page::of("/console/apis/a/upstreams/"),
        Page::Upstreams("a".to_owned())
    );
    assert_eq!(
        Page::of("/console/client-idps/0123"),
        Page::ClientIdp("0123".to_owned())
    );
}

#[wasm_bindgen_test]
fn a_document_names_its_revision() {
    let document = Document {
        etag: "\"7\"".to_owned(),
        ..Document::default()
    };
    assert_eq!(document.revision(), Some(7));
}
