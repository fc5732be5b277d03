//! Small texts that demand a lot of work.

use super::*;

fn code(yaml: &str) -> IssueCode {
    issues(yaml)[0].code
}

#[test]
fn aliases_of_aliases_end_where_a_document_does() {
    let mut yaml = "a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]\n".to_owned();
    for level in 1..40 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        yaml.push_str(&format!("a{level}: &a{level} [{alias}]\n"));
    }
    assert_eq!(code(&yaml), IssueCode::TooLarge);
    // Also if each of them is empty.
    assert_eq!(
        code(&yaml.replace("lol, ", "").replace("lol", "")),
        IssueCode::TooLarge
    );
}

#[test]
fn merged_maps_are_visited_once() {
    let mut yaml = "a0: &a0 {x: 1}\n".to_owned();
    for level in 1..60 {
        let alias = format!("*a{}, ", level - 1).repeat(9);
        yaml.push_str(&format!("a{level}: &a{level} {{<<: [{alias}]}}\n"));
    }
    assert!(json(&yaml).ends_with(r#""a59":{"x":1}}"#));
    let read = read(&yaml).unwrap();
    let issue = Issue {
        pointer: "/a59/y".to_owned(),
        ..issues("[").remove(0)
    };
    assert_eq!(read.placed(vec![issue])[0].start.line, 60);
}

#[test]
fn many_maps_that_merge_many_members_end() {
    let members: String = (0..20_000).map(|at| format!("m{at}: 1, ")).collect();
    let maps: String = (0..2_000).map(|_| "- {<<: *m}\n").collect();
    assert_eq!(
        code(&format!("m: &m {{{members}}}\nl:\n{maps}")),
        IssueCode::TooLarge
    );
}

#[test]
fn a_chain_of_maps_that_merge_each_other_ends() {
    let mut yaml = "o:\n  k0: &k0 {x: 1}\n".to_owned();
    for level in 1..2_000 {
        yaml.push_str(&format!("  k{level}: &k{level} {{<<: *k{}}}\n", level - 1));
    }
    yaml.push_str("  <<: *k1999\n");
    assert_eq!(code(&yaml), IssueCode::TooDeep);
}

#[test]
fn nothing_nests_deeper_than_json_may() {
    let deepest = crate::json::MAX_DEPTH;
    for (open, close, between) in [("[", "]", ""), ("{a: ", "}", ""), ("- ", "", "")] {
        let nested =
            |depth: usize| format!("{}{between}1{}\n", open.repeat(depth), close.repeat(depth));
        json(&nested(deepest));
        for depth in [deepest + 1, 200, 300, 100_000] {
            assert_eq!(code(&nested(depth)), IssueCode::TooDeep, "{open}{depth}");
        }
    }
    let mut block = String::new();
    for depth in 0..400 {
        block.push_str(&format!("{}a:\n", " ".repeat(depth)));
    }
    assert_eq!(code(&block), IssueCode::TooDeep);
    // Also through aliases.
    let mut aliases = "a0: &a0 [1]\n".to_owned();
    for level in 1..200 {
        aliases.push_str(&format!("a{level}: &a{level} [*a{}]\n", level - 1));
    }
    assert_eq!(code(&aliases), IssueCode::TooDeep);
}

#[test]
fn a_text_is_no_longer_than_a_document() {
    let long = format!("a: {}", "x".repeat(MAX_BYTES));
    assert_eq!(code(&long), IssueCode::TooLarge);
    let many = "-\n".repeat(MAX_NODES + 1);
    assert_eq!(code(&many), IssueCode::TooLarge);
}

#[test]
fn many_anchors_and_members_are_fast() {
    let anchors: String = (0..50_000)
        .map(|at| format!("a{at}: &x{at} *x\n"))
        .collect();
    assert_eq!(code(&anchors), IssueCode::Syntax);
    let twice: String = (0..50_000).map(|at| format!("m{}: 1\n", at / 2)).collect();
    assert_eq!(code(&twice), IssueCode::DuplicateMember);
}

#[test]
fn odd_texts_are_handled() {
    for yaml in [
        "\0",
        "a: \0",
        "&",
        "*",
        "!",
        "|",
        ">",
        "%",
        "@",
        "`",
        "? ",
        ": ",
        "- ",
        "---",
        "...",
        "--- ---",
        "{",
        "}",
        "[",
        "]",
        ",",
        "&a &b c",
        "!!x",
        "!<",
        "%TAG",
        "\u{85}",
        "\u{2028}",
        "a: |\n\tb",
        "\t",
        "\r",
        "a\r b: c",
        "? ? ? a",
        "- -\t- a",
        "'",
        "\"",
        "\"\\",
        "\"\\u",
        "\"\\ud800\"",
        "\"\\udc00\"",
        "&a: b",
        "*a : b",
        "{a: b: c}",
        "[a: b, ? c : d, e]",
        "{? }",
        "[? ]",
        "!!map",
        "!!seq []",
        "&a",
        "--- |1\n x",
        "a: |9\n",
        "a: >-+\n",
        "%YAML 1.2",
        "%YAML 9999999999.1\n---",
    ] {
        if let Ok(found) = read(yaml)
            && let Ok((json, _)) = found.json()
        {
            crate::json::parse(&json)
                .unwrap_or_else(|issues| panic!("{yaml:?}: {json}: {issues:?}"));
        }
    }
}
