//! The list's filters and the address bar.

use gatewright_web::state::filters::Filters;
use wasm_bindgen_test::wasm_bindgen_test;

#[wasm_bindgen_test]
fn the_standard_needs_no_query() {
    assert_eq!(Filters::default().to_query(), "");
    assert_eq!(Filters::parse(""), Filters::default());
    assert!(!Filters::default().narrowed());
}

#[wasm_bindgen_test]
fn filters_survive_the_address_bar() {
    let filters = Filters {
        q: "pay & co".to_owned(),
        state: "pending".to_owned(),
        tag: "eu".to_owned(),
        sort: "updated_at".to_owned(),
        descending: true,
        page: 3,
        per_page: 100,
    };
    assert_eq!(Filters::parse(&filters.to_query()), filters);
    assert!(filters.narrowed());
}

#[wasm_bindgen_test]
fn invalid_filters_are_ignored() {
    assert_eq!(
        Filters::parse("state=odd&sort=-secret&p=0&per_page=7&x=1"),
        Filters::default()
    );
}

#[wasm_bindgen_test]
fn sorting_again_turns_the_order_round_and_goes_to_the_first_page() {
    let page_three = Filters {
        page: 3,
        ..Filters::default()
    };
    let by_path = page_three.sorted_by("listen_path");
    assert_eq!(
        (by_path.sort.as_str(), by_path.descending, by_path.page),
        ("listen_path", false, 1)
    );
    assert!(by_path.sorted_by("listen_path").descending);
    assert!(page_three.sorted_by("name").descending);
}

#[wasm_bindgen_test]
fn request_contains_all_filters() {
    let filters = Filters {
        q: "  pay ".to_owned(),
        ..Filters::default()
    };
    assert_eq!(
        filters.to_request(),
        "view=summary&q=pay&sort=name&p=1&per_page=50"
    );
}
