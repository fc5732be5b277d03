use super::*;

const PRETTY: &str = "{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [1, 2]\n  },\n  \"e\": {}\n}\n";

fn done(result: Result<String, EditError>) -> String {
    let text = result.unwrap();
    parse(&text).unwrap();
    text
}

#[test]
fn a_value_is_replaced_in_place() {
    assert_eq!(
        done(set(PRETTY, "/a", " 2.0 ")),
        PRETTY.replace("1,\n", "2.0,\n")
    );
    assert_eq!(
        done(set(PRETTY, "/b/c/1", "null")),
        PRETTY.replace("[1, 2]", "[1, null]")
    );
    assert_eq!(done(set(" 1 ", "", "{}")), " {} ");
}

#[test]
fn a_new_member_looks_like_its_siblings() {
    assert_eq!(
        done(set(PRETTY, "/b/d", "true")),
        PRETTY.replace("[1, 2]\n", "[1, 2],\n    \"d\": true\n")
    );
    assert_eq!(
        done(set(PRETTY, "/e/f", "1")),
        PRETTY.replace("{}", "{\n    \"f\": 1\n  }")
    );
    assert_eq!(
        done(set(PRETTY, "/e/f/g", "1")),
        PRETTY.replace("{}", "{\n    \"f\": {\n      \"g\": 1\n    }\n  }")
    );
    assert_eq!(
        done(set(PRETTY, "/b/c/-", "3")),
        PRETTY.replace("[1, 2]", "[1, 2, 3]")
    );
    assert_eq!(
        done(set(PRETTY, "/b/c/2", "3")),
        PRETTY.replace("[1, 2]", "[1, 2, 3]")
    );
    assert_eq!(done(set(r#"{"a":1}"#, "/b", "2")), r#"{"a":1,"b":2}"#);
    assert_eq!(done(set("{}", "/a~1b", "2")), r#"{"a/b":2}"#);
    assert_eq!(done(set("{ }", "/a/b", "2")), r#"{"a":{"b":2}}"#);
    assert_eq!(done(set("[]", "/0", "2")), "[2]");
    assert_eq!(
        done(set("{\r\n\t\"a\" : 1\r\n}", "/b", "2")),
        "{\r\n\t\"a\" : 1,\r\n\t\"b\" : 2\r\n}"
    );
}

#[test]
fn removed_member_takes_its_comma_and_line() {
    assert_eq!(
        done(remove(PRETTY, "/a")),
        PRETTY.replace("\"a\": 1,\n  ", "")
    );
    assert_eq!(
        done(remove(PRETTY, "/e")),
        PRETTY.replace(",\n  \"e\": {}", "")
    );
    assert_eq!(
        done(remove(PRETTY, "/b/c/0")),
        PRETTY.replace("[1, 2]", "[2]")
    );
    assert_eq!(
        done(remove(PRETTY, "/b/c/1")),
        PRETTY.replace("[1, 2]", "[1]")
    );
    assert_eq!(
        done(remove(PRETTY, "/b/c")),
        PRETTY.replace("{\n    \"c\": [1, 2]\n  }", "{}")
    );
    assert_eq!(done(remove(r#"{"a":1,"b":2}"#, "/a")), r#"{"b":2}"#);
}

#[test]
fn impossible_edits_are_refused() {
    assert!(matches!(set("{", "/a", "1"), Err(EditError::Document(_))));
    assert!(matches!(set("{}", "/a", "{"), Err(EditError::Value(_))));
    assert_eq!(set("{}", "a", "1"), Err(EditError::Pointer));
    assert_eq!(set("{\"a\":1}", "/a/b", "1"), Err(EditError::NoContainer));
    assert_eq!(set("[1]", "/2", "1"), Err(EditError::NoContainer));
    assert_eq!(set("[1]", "/01", "1"), Err(EditError::NoContainer));
    assert_eq!(remove("{}", ""), Err(EditError::NotFound));
    assert_eq!(remove("{}", "/a"), Err(EditError::NotFound));
    assert_eq!(remove("[1]", "/1"), Err(EditError::NotFound));
    assert_eq!(remove("[1]", "/0/x"), Err(EditError::NotFound));
}

#[test]
fn member_is_renamed_in_place() {
    assert_eq!(
        done(rename(PRETTY, "/b/c", "a\"b")),
        PRETTY.replace("\"c\"", "\"a\\\"b\"")
    );
    assert_eq!(done(rename(PRETTY, "/a", "a")), PRETTY);
    assert_eq!(rename(PRETTY, "/a", "b"), Err(EditError::Taken));
    assert_eq!(rename(PRETTY, "/x", "y"), Err(EditError::NotFound));
    assert_eq!(rename(PRETTY, "/b/c/0", "y"), Err(EditError::NotFound));
    assert_eq!(rename(PRETTY, "", "y"), Err(EditError::NotFound));
}

#[test]
fn elements_change_places_with_their_text() {
    let text = "[1.0,\n  { \"a\":1 } , 3]";
    assert_eq!(done(swap(text, "", 0, 1)), "[{ \"a\":1 },\n  1.0 , 3]");
    assert_eq!(done(swap(text, "", 2, 0)), "[3,\n  { \"a\":1 } , 1.0]");
    assert_eq!(done(swap(text, "", 1, 1)), text);
    assert_eq!(swap(text, "", 0, 3), Err(EditError::NotFound));
    assert_eq!(swap("{}", "", 0, 0), Err(EditError::NotFound));
}

#[test]
fn an_element_is_put_between_others() {
    assert_eq!(done(insert("[1,2]", "", 0, "0")), "[0,1,2]");
    assert_eq!(done(insert("[1, 2]", "", 1, " 0 ")), "[1, 0, 2]");
    assert_eq!(done(insert("[1, 2]", "", 2, "3")), "[1, 2, 3]");
    assert_eq!(done(insert("[\n  1\n]", "", 0, "0")), "[\n  0,\n  1\n]");
    assert_eq!(insert("[1]", "", 2, "3"), Err(EditError::NotFound));
    assert_eq!(insert("{}", "", 0, "3"), Err(EditError::NotFound));
}
