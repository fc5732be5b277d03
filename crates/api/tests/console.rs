//! The console's own lists of resources, compared with the tables here. The console is compiled for the browser only,
//! and its modules have to stay small, so these lists are written by hand.

#![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

use gatewright_api::RESOURCES;
use gatewright_api::dashboard::endpoint::DASHBOARD;
use gatewright_api::dashboard::{Group, Part};
use gatewright_api::endpoint::ENDPOINTS;

fn source(file: &str) -> String {
    let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web/");
    std::fs::read_to_string(format!("{web}{file}")).unwrap()
}

/// Returns what follows a text up to another one.
fn between<'a>(source: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = source.split_once(from).unwrap();
    rest.split_once(to).unwrap().0
}

/// Returns the texts and words of each row of a constant, such as `["api", "API", "true"]`.
fn rows(file: &str, constant: &str) -> Vec<Vec<String>> {
    let source = source(file);
    let table = between(&source, &format!(" {constant}: ["), "\n];");
    let (_, table) = table.split_once("= [").unwrap();
    let mut rows: Vec<Vec<String>> = Vec::new();
    for (at, part) in table.split('"').enumerate() {
        if at % 2 == 1 {
            rows.last_mut().unwrap().push(part.to_owned());
            continue;
        }
        for (at, part) in part.split('(').enumerate() {
            if at > 0 {
                rows.push(Vec::new());
            }
            let words = part
                .split([',', ')', ' ', '\n'])
                .filter(|word| !word.is_empty());
            rows.last_mut()
                .into_iter()
                .for_each(|row| row.extend(words.clone().map(str::to_owned)));
        }
    }
    rows
}

#[test]
fn the_trail_names_every_kind_and_knows_what_can_be_compared() {
    let mut shown: Vec<_> = rows("src/pages/audit/tools.rs", "SUBJECTS")
        .into_iter()
        .map(|row| (row.first().unwrap().clone(), row.last().unwrap() == "true"))
        .collect();
    let mut known: Vec<_> = RESOURCES
        .iter()
        .map(|row| (row.word.to_owned(), row.compared.is_some()))
        .collect();
    shown.sort();
    known.sort();
    assert_eq!(shown, known);
}

#[test]
fn documents_are_listed_where_they_are() {
    let group = source("src/api/group.rs");
    let paths = between(&group, "pub const fn path(", "\n    }\n")
        .split("=> \"")
        .skip(1);
    let paths: Vec<&str> = paths.map(|path| path.split('"').next().unwrap()).collect();
    let admin = ENDPOINTS.iter().map(|row| (row.method, row.path));
    let lists: Vec<_> = admin
        .chain(DASHBOARD.iter().map(|row| (row.method, row.path)))
        .collect();
    for path in &paths {
        assert!(lists.contains(&("GET", path)), "{path}");
    }
    for row in RESOURCES.iter().filter(|row| row.compared.is_some()) {
        let is_listed = row.paths.iter().any(|path| paths.contains(path));
        assert!(is_listed, "{}", row.word);
    }
}

#[test]
fn a_credential_can_be_given_access_to_every_group_and_part() {
    let rows = rows("src/api/dashboard/credentials.rs", "GROUPS");
    let offered = rows.iter().filter_map(|row| row.first());
    let known = Group::ALL.map(Group::word).into_iter();
    assert!(offered.eq(known.chain(Part::ALL.map(Part::word))));
    // A page whose right has an unknown label would require none.
    let rights = source("src/routes/rights.rs");
    let labels = between(&rights, "let group = match first", "_ => return");
    for label in labels.split("=> \"").skip(1) {
        let label = label.split('"').next();
        assert!(
            rows.iter()
                .any(|row| row.get(1).map(String::as_str) == label),
            "{label:?}"
        );
    }
}

#[test]
fn what_the_trail_names_has_a_page() {
    let links = source("src/routes/links.rs");
    let pages = between(&links, "pub fn document(", "\n}\n");
    // An import has no document, a sign-in ends by itself, and the trail doesn't say which API a client belongs to.
    let without = ["import", "oauth_client", "sign_in"];
    for row in RESOURCES {
        let has_page = pages.contains(&format!("(\"{}\", ", row.word));
        assert_eq!(has_page, !without.contains(&row.word), "{}", row.word);
    }
}

#[test]
fn revisions_of_every_kind_of_document_can_be_compared() {
    let compared = rows("src/routes.rs", "COMPARED");
    let paths = compared.iter().filter_map(|row| row.first());
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    for row in RESOURCES.iter().filter(|row| row.compared.is_some()) {
        assert!(
            row.paths.iter().any(|path| paths.contains(path)),
            "{}",
            row.word
        );
    }
}

#[test]
fn the_palette_finds_every_kind_and_every_page_of_the_menu() {
    let kinds = rows("src/state/palette.rs", "KINDS");
    // Clients are listed by API only, and the others have no documents.
    let without = ["import", "oauth_client", "reload", "sign_in"];
    for row in RESOURCES {
        let found = kinds
            .iter()
            .any(|kind| kind.get(1).is_some_and(|word| word == row.word));
        assert_eq!(found, !without.contains(&row.word), "{}", row.word);
    }
    let pages = rows("src/state/palette/commands.rs", "PAGES");
    let menu = source("src/pages/shell/nav.rs");
    for entry in between(&menu, "const GROUPS: ", "\n];")
        .split("(routes::")
        .skip(1)
    {
        let page = format!("routes::{}", entry.split(',').next().unwrap());
        assert!(pages.iter().any(|row| row.contains(&page)), "{page}");
    }
}

#[test]
fn the_first_script_loads_the_modules_that_routes_name() {
    let (routes, script) = (source("src/routes.rs"), source("boot/early.js"));
    for area in [
        "DASHBOARD",
        "DOCUMENTS",
        "DESCRIBED",
        "TRAFFIC_PAGES",
        "TRUST",
        "ACCESS",
        "REFERENCE_PAGES",
    ] {
        let words = between(&routes, &format!("const {area}: [&str; "), ";\n");
        let words: Vec<&str> = words.split('"').skip(1).step_by(2).collect();
        assert!(script.contains(&format!("({}", words.join("|"))), "{area}");
    }
}
