//! Fixes of single problems: members, values, and texts that are not JSON yet.

use super::ROOT;
use crate::assist::{Fix, Way, fixes};
use crate::definition::validate;
use crate::issue::IssueCode;
use crate::json::parse;

/// Returns every text that the fixes of the first issue lead to.
fn fixed_texts(text: &str) -> Vec<(String, String)> {
    let issues = validate(text);
    let first = issues
        .iter()
        .find(|issue| issue.code != IssueCode::Required || issues.len() == 1)
        .unwrap_or(&issues[0]);
    let apply = |fix: Fix| {
        let mut new = text.to_owned();
        for edit in fix.edits.iter().rev() {
            new.replace_range(edit.from..edit.to, &edit.insert);
        }
        (fix.title, new)
    };
    fixes(ROOT, text, first).into_iter().map(apply).collect()
}

fn definition(rest: &str) -> String {
    format!(
        r#"{{"name": "a", "use_keyless": true, "proxy": {{"listen_path": "/a", "target_url": "http://a.example"}}{rest}}}"#
    )
}

#[test]
fn misspelt_members_are_renamed_moved_or_removed() {
    let fixed = fixed_texts(&definition(r#", "tagz": ["x"]"#));
    assert_eq!(
        fixed[0],
        (
            "Rename to \"tags\"".to_owned(),
            definition(r#", "tags": ["x"]"#)
        )
    );
    assert_eq!(fixed[1], ("Remove \"tagz\"".to_owned(), definition("")));
    let fixed = fixed_texts(&definition(r#", "strip_listen_path": true"#));
    assert_eq!(fixed[0].0, "Move it into \"proxy\"");
    assert!(
        fixed[0]
            .1
            .contains(r#""target_url": "http://a.example", "strip_listen_path": true}}"#),
        "{}",
        fixed[0].1
    );
    let fixed = fixed_texts(&definition(r#", "auth_configs": {"jwtt": {}}"#));
    assert_eq!(fixed[0].0, "Rename to \"jwt\"");
}

#[test]
fn missing_members_are_added() {
    let text = r#"{"name": "a", "use_keyless": true, "proxy": {"listen_path": "/a"}}"#;
    assert_eq!(
        fixed_texts(text),
        [(
            "Add \"target_url\"".to_owned(),
            r#"{"name": "a", "use_keyless": true, "proxy": {"listen_path": "/a","target_url": "https://example.com"}}"#.to_owned()
        )]
    );
}

#[test]
fn values_are_fixed() {
    for (wrong, title, right) in [
        (
            r#", "active": "true""#,
            "Remove the quotes",
            r#", "active": true"#,
        ),
        (
            r#", "active": 0"#,
            "Write it as a boolean",
            r#", "active": false"#,
        ),
        (
            r#", "active": "yes""#,
            "Write it as a boolean",
            r#", "active": true"#,
        ),
        (
            r#", "active": "Off""#,
            "Write it as a boolean",
            r#", "active": false"#,
        ),
        (
            r#", "session_lifetime": "5""#,
            "Remove the quotes",
            r#", "session_lifetime": 5"#,
        ),
        (r#", "org_id": 5"#, "Put it in quotes", r#", "org_id": "5""#),
        (r#", "tags": "é""#, "Make it a list", r#", "tags": ["é"]"#),
        (
            r#", "protocol": "htp""#,
            "Write \"http\"",
            r#", "protocol": "http""#,
        ),
        (
            r#", "CORS": {"allowed_methods": ["get"]}"#,
            "Write GET",
            r#", "CORS": {"allowed_methods": ["GET"]}"#,
        ),
        (r#", "listen_port": 80"#, "Remove \"listen_port\"", ""),
        (
            r#", "enable_jwt": true"#,
            "Switch it off",
            r#", "enable_jwt": false"#,
        ),
        (
            r#", "org_id": "a", "org_id": "b""#,
            "Remove this one",
            r#", "org_id": "a""#,
        ),
        (
            r#", "tags": ["a", null]"#,
            "Remove \"1\"",
            r#", "tags": ["a"]"#,
        ),
    ] {
        let fixed = fixed_texts(&definition(wrong));
        assert_eq!(
            fixed.first(),
            Some(&(title.to_owned(), definition(right))),
            "{wrong}"
        );
    }
    let text = definition("").replace("\"/a\"", "\"a\"");
    assert_eq!(
        fixed_texts(&text),
        [("Write /a".to_owned(), definition(""))]
    );
}

#[test]
fn unfinished_json_is_fixed() {
    for (wrong, title, right) in [
        (r#"{"a": 1,}"#, "Remove the comma", r#"{"a": 1}"#),
        ("[1, 2, ]", "Remove the comma", "[1, 2 ]"),
        (
            r#"{"a": 1,, "b": 2}"#,
            "Remove the comma",
            r#"{"a": 1, "b": 2}"#,
        ),
        ("[,1]", "Remove the comma", "[1]"),
        (
            "{\"a\": 1\n \"b\": 2}",
            "Add a comma",
            "{\"a\": 1,\n \"b\": 2}",
        ),
        ("{\"a\": {}\n b: 2}", "Add a comma", "{\"a\": {},\n b: 2}"),
        (r#"["a" "b"]"#, "Add a comma", r#"["a", "b"]"#),
        (
            r#"[{"a": 1}{"b": 2}]"#,
            "Add a comma",
            r#"[{"a": 1},{"b": 2}]"#,
        ),
        ("[1 2]", "Add a comma", "[1, 2]"),
        (
            r#"{"a": 1; "b": 2}"#,
            "Write a comma",
            r#"{"a": 1, "b": 2}"#,
        ),
        (r#"{"a" 1}"#, "Add a colon", r#"{"a": 1}"#),
        (r#"{"a" = 1}"#, "Write a colon", r#"{"a" : 1}"#),
        (r#"{"a" => 1}"#, "Write a colon", r#"{"a" : 1}"#),
        ("{'a': 1}", "Use double quotes", "{\"a\": 1}"),
        (
            r#"{"a": 'it\'s "é" \n'}"#,
            "Use double quotes",
            r#"{"a": "it's \"é\" \n"}"#,
        ),
        (
            "{\"a\": `x\n\ty`}",
            "Use double quotes",
            r#"{"a": "x\n\ty"}"#,
        ),
        ("{\u{201c}a\u{201d}: 1}", "Use double quotes", "{\"a\": 1}"),
        ("{name: 1}", "Put the name in quotes", "{\"name\": 1}"),
        ("{$a-1.b : 1}", "Put the name in quotes", "{\"$a-1.b\" : 1}"),
        (
            r#"{"a": [GET, "POST"]}"#,
            "Put it in quotes",
            r#"{"a": ["GET", "POST"]}"#,
        ),
        (
            r#"{"a": http://a.example/b}"#,
            "Put it in quotes",
            r#"{"a": "http://a.example/b"}"#,
        ),
        ("{\"active\": True}", "Write true", "{\"active\": true}"),
        ("{\"a\": 1 // one\n}", "Remove the comment", "{\"a\": 1\n}"),
        (
            "{\n  // one\n  \"a\": 1}",
            "Remove the comment",
            "{\n  \"a\": 1}",
        ),
        ("# one\n{}", "Remove the comment", "{}"),
        (
            "{ /* one */ \"a\": 1}",
            "Remove the comment",
            "{  \"a\": 1}",
        ),
        ("{\"a\": 1} // one", "Remove the comment", "{\"a\": 1} "),
        ("{\"a\": 1};", "Remove what follows", "{\"a\": 1}"),
        ("\u{feff}{}", "Remove the byte order mark", "{}"),
        ("[+1]", "Remove the +", "[1]"),
        ("[.5]", "Write a zero before it", "[0.5]"),
        ("[5.]", "Write a zero behind it", "[5.0]"),
        ("[-007]", "Remove the zeros before it", "[-7]"),
        (r#"["\d"]"#, r"Write \\", r#"["\\d"]"#),
        ("[\"a\tb\"]", r"Write \t", r#"["a\tb"]"#),
        ("[\"a\u{1}b\"]", "Write it as an escape", r#"["a\u0001b"]"#),
    ] {
        let fixed = fixed_texts(wrong);
        let expected = (title.to_owned(), right.to_owned());
        assert_eq!(fixed.first(), Some(&expected), "{wrong}");
        let issues = validate(wrong);
        assert_eq!(fixes(ROOT, wrong, &issues[0])[0].way, Way::Plain, "{wrong}");
    }
}

#[test]
fn ambiguous_problems_are_left_to_the_user() {
    for (wrong, title, right) in [
        (r#"{"a": [1, 2"#, "Add ]} at the end", r#"{"a": [1, 2]}"#),
        (r#"{"a": [1, 2}"#, "Add a ]", r#"{"a": [1, 2]}"#),
        (r#"{"a": 1}}"#, "Remove what follows", r#"{"a": 1}"#),
        (
            "{\"a\": \"b,\n \"c\": 1}",
            "Close the string",
            "{\"a\": \"b\",\n \"c\": 1}",
        ),
        ("{\"a\": undefined}", "Write null", "{\"a\": null}"),
    ] {
        let fixed = fixed_texts(wrong);
        assert_eq!(
            fixed.first(),
            Some(&(title.to_owned(), right.to_owned())),
            "{wrong}"
        );
        let issues = validate(wrong);
        assert_eq!(
            fixes(ROOT, wrong, &issues[0])[0].way,
            Way::Choice,
            "{wrong}"
        );
        assert_eq!(all_fixed(wrong), (wrong.to_owned(), 0));
    }
    for hopeless in [
        "{\"active\": ",
        "{\"a\":1,",
        "{\"a\",}",
        "{\"a\": ,}",
        "{\"a\": 10s}",
        "{\"a\": 0x1F}",
        "{\"a\": new Date()}",
        "{'a",
        "{\"a\": 'b\n'}",
        "/* a",
        "name: Orders",
        "rules:\n  a:\n    given: $",
        "---\nname: Orders",
        "",
        "}",
        "[\"a",
    ] {
        assert_eq!(fixed_texts(hopeless), [], "{hopeless}");
    }
}

fn all_fixed(text: &str) -> (String, usize) {
    crate::assist::fix_all(ROOT, text)
}

#[test]
fn unambiguous_problems_are_fixed_at_once() {
    let text = "// an API\n{\n  name: 'Orders',\n  use_keyless: True\n  proxy: {\n    listen_path: 'orders', // public\n    target_url: 'http://a.example',\n    strip_listen_pth: \"true\",\n  },\n  preserve_host_header: 1,\n  zzz: 1,\n};\n";
    let (fixed, count) = all_fixed(text);
    assert_eq!(
        fixed,
        "{\n  \"name\": \"Orders\",\n  \"use_keyless\": true,\n  \"proxy\": {\n    \"listen_path\": \"/orders\",\n    \"target_url\": \"http://a.example\",\n    \"strip_listen_path\": true,\n    \"preserve_host_header\": true\n  },\n  \"zzz\": 1\n}\n"
    );
    assert_eq!(count, 23);
    assert_eq!(all_fixed(&fixed), (fixed.clone(), 0));
}

#[test]
fn a_url_without_a_scheme_may_have_either() {
    let text = definition("").replace("http://a.example", "a.example:8080/b");
    let expected = ["https", "http"].map(|scheme| {
        let url = format!("{scheme}://a.example:8080/b");
        (
            format!("Write {url}"),
            text.replace("a.example:8080/b", &url),
        )
    });
    assert_eq!(fixed_texts(&text), expected);
    for odd in ["ftp://a.example", "a b", ""] {
        let text = definition("").replace("http://a.example", odd);
        assert!(
            fixed_texts(&text)
                .iter()
                .all(|(title, _)| !title.starts_with("Write")),
            "{odd}"
        );
    }
}

#[test]
fn fixing_everything_terminates() {
    let nested = "[".repeat(4_000);
    let names = "{a".repeat(300);
    let many = "{a:'b' ".repeat(200);
    for text in [
        nested.as_str(),
        &names,
        &many,
        "'\\",
        "{\"\\",
        "é: 'é",
        "\u{2019}é\u{2018}",
        "[1e5.é]",
    ] {
        let (fixed, _) = all_fixed(text);
        assert!(fixed.len() <= text.len() * 3 + 10);
    }
}

#[test]
fn every_fix_leads_to_json() {
    let text = definition(
        r#", "graphql": {"enabled": true, "execution_mode": "x"}, "version_data": {"versions": {"a/b": {"extended_paths": {"size_limits": [{"path": "/é"}]}}}}"#,
    );
    for issue in validate(&text) {
        for fix in fixes(ROOT, &text, &issue) {
            let mut new = text.clone();
            for edit in fix.edits.iter().rev() {
                new.replace_range(edit.from..edit.to, &edit.insert);
            }
            assert!(parse(&new).is_ok(), "{} {new}", fix.title);
            assert_ne!(new, text);
        }
    }
}
