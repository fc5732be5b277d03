use super::*;

#[test]
fn accepts_patterns_go_compiles() {
    for text in [
        "",
        "a",
        "^/api/v[0-9]+/(users|posts)$",
        "(?i)abc",
        "(?s-m:.*)",
        "(?:a|b)*?",
        "(?P<name>x)(?<other>y)",
        r"\d+\.\w{2,5}\s",
        r"[\d\-.]",
        "[]a]",
        "[^]a]",
        "[a-]",
        "[-a]",
        "[a-c-e]",
        "[\\d-z]",
        "[[:alpha:]_]",
        "[a[]",
        r"[\pL\p{Greek}]",
        r"\Qa.(b\E*",
        r"\Q(",
        r"\x41\x{1F600}\011\0",
        "a{2}b{2,}c{2,5}",
        "a{,2}",
        "{",
        "a{",
        "}",
        "]",
        "é+",
        "a|",
        "|",
        "()",
        "(|a)",
        "x*|y+?",
        "^*",
        r"\C\z\A\b",
        "(a{10}){100}",
    ] {
        assert!(check(text).is_ok(), "{text}: {:?}", check(text));
    }
}

#[test]
fn rejects_patterns_go_rejects() {
    for text in [
        "(",
        ")",
        "a)",
        "(a",
        "[",
        "[a",
        "[]",
        "*",
        "+a",
        "(*a)",
        "a|*",
        "a**",
        "a+*",
        "a{2}{3}",
        "a??*",
        "(?=a)",
        "(?!a)",
        "(?<=a)",
        "(?<!a)",
        "(?P<>a)",
        "(?P<a b>x)",
        "(?P<n>a)(?P<n>b)",
        "(?P<n",
        "(?x)",
        "(?",
        "(?-)",
        "(?i",
        r"\",
        r"\1",
        r"\8",
        r"\y",
        r"\Z",
        r"\é",
        r"\x4",
        r"\x{110000}",
        r"\x{}",
        r"\p",
        r"\p{}",
        r"\p{Greek",
        "[z-a]",
        r"[a-\d]",
        "[[:foo:]]",
        r"[\b]",
        "a{1001}",
        "a{3,2}",
        "(a{100}){100}",
        "a{99999999999999}",
    ] {
        assert!(check(text).is_err(), "{text}");
    }
}

#[test]
fn groups_are_counted() {
    let groups = |text| check(text).unwrap().groups;
    assert_eq!(groups("(a)(?:b)(?P<c>d)((e))"), 4);
    assert_eq!(groups(r"\(a\)[(]"), 0);
}

#[test]
fn problems_have_positions() {
    let range = |text| check(text).unwrap_err().range.unwrap();
    assert_eq!(range("ab(c"), (2, 3));
    assert_eq!(range("a(?=b)"), (1, 4));
    assert_eq!(range("é[a"), (2, 3));
    assert_eq!(range("a**"), (2, 3));
}

#[test]
fn depth_and_length_are_safe() {
    assert!(check(&"(".repeat(1_000_000)).is_err());
    assert!(check(&"a".repeat(1_000_000)).is_ok());
    assert!(check(&"(a|".repeat(999)).is_err());
}

#[test]
fn unicode_classes_are_valid_but_uncompilable() {
    for (text, place) in [
        (r"^/\pL+$", Some((2, 5))),
        (r"/[^\p{Greek}]\pN", Some((3, 12))),
        (r"/\\pL", None),
        (r"/\Q\pL\E", None),
        ("/[[:alpha:]]", None),
    ] {
        assert_eq!(check(text).unwrap().unicode, place, "{text}");
        let wrong = check_compiled(text).err().map(|problem| problem.range);
        assert_eq!(wrong, place.map(Some), "{text}");
    }
}
