mod fix_all;
mod ids;
mod openapi;

use super::*;
use crate::definition::validate;
use crate::document;
use crate::issue::IssueCode;
use crate::json::{parse, quote};
use crate::ruleset::check_definition;
use crate::shape::Root;

const ROOT: Root = Root::ApiDefinition;

/// Returns the completions at the `|` of a text.
fn offered(marked: &str) -> Vec<Completion> {
    let offset = marked.find('|').unwrap();
    complete(ROOT.into(), &marked.replacen('|', "", 1), offset, &|_| {
        Vec::new()
    })
}

fn labels(marked: &str) -> Vec<String> {
    offered(marked)
        .into_iter()
        .map(|offer| offer.label)
        .collect()
}

/// Returns the text after accepting a completion, with the caret as `|`.
fn after_accepting(marked: &str, label: &str) -> String {
    let offer = offered(marked)
        .into_iter()
        .find(|offer| offer.label == label);
    let offer = offer.unwrap_or_else(|| panic!("{label} isn't offered: {:?}", labels(marked)));
    let mut text = marked.replacen('|', "", 1);
    let mut insert = offer.insert;
    insert.insert(offer.caret, '|');
    text.replace_range(offer.from..offer.to, &insert);
    text
}

#[test]
fn members_that_are_not_there_yet_are_offered() {
    let all = labels("{|}");
    assert!(all.len() > 90 && all[0] == "name");
    let some = labels(r#"{"name": "a", "pr|", "use_keyless": true}"#);
    assert!(some.contains(&"proxy".to_owned()) && !some.contains(&"name".to_owned()));
    assert!(
        !some.contains(&"use_keyless".to_owned()),
        "also those behind the cursor"
    );
    assert!(labels(r#"{"proxy": {"|"}}"#).contains(&"listen_path".to_owned()));
    assert!(
        labels(r#"{"version_data":{"versions":{"v1":{"extended_paths":{"white_list":[{"|"}]}}}}}"#)
            .contains(&"ignore_case".to_owned())
    );
}

#[test]
fn unfinished_texts_are_understood() {
    assert!(labels("{\n  \"name\": \"a\",\n  \"|\n  \"proxy\": {\n").contains(&"tags".to_owned()));
    assert!(
        labels("{\"proxy\": {\"target_url\": \"http://a\", \"li|")
            .contains(&"listen_path".to_owned())
    );
    assert!(labels("{\"proxy\": {pr|").contains(&"preserve_host_header".to_owned()));
    assert!(labels("{\"graphql\": {\"version\": |").contains(&"\"2\"".to_owned()));
    assert!(labels("{\"a\": [[[{|").is_empty());
    assert_eq!(labels("|"), ["an API definition"]);
    for text in [
        "[|]",
        "|{}",
        "{}|",
        "\"|\"",
        "{\"name\"|}",
        "{\"name\":\"a|\"}",
        "]|",
        "}|",
        ",|",
        ":|",
    ] {
        assert!(labels(text).is_empty(), "{text}: {:?}", labels(text));
    }
}

#[test]
fn values_are_offered() {
    assert_eq!(labels(r#"{"active": |}"#), ["true", "false"]);
    assert_eq!(labels(r#"{"use_keyless": t|}"#), ["true", "false"]);
    assert!(labels(r#"{"definition":{"location":"|"}}"#).contains(&"\"url-param\"".to_owned()));
    assert!(labels(r#"{"CORS":{"allowed_methods":["GET", |]}}"#).contains(&"\"PATCH\"".to_owned()));
    assert_eq!(labels(r#"{"cache_options":{"cache_timeout": |}}"#), ["60"]);
    assert_eq!(labels(r#"{"proxy": |}"#), ["{}"]);
    assert!(labels(r#"{"auth_configs": {"|"}}"#).contains(&"jwt".to_owned()));
    assert!(labels(r#"{"error_overrides": {"|": []}}"#).contains(&"4xx".to_owned()));
}

#[test]
fn type_named_by_sibling_member_is_used() {
    let text = r#"{"event_handlers":{"events":{"KeyExpired":[{"handler_meta":{|},"handler_name":"eh_web_hook_handler"}]}}}"#;
    assert!(labels(text).contains(&"target_path".to_owned()));
    assert!(labels(&text.replace("eh_web_hook", "x")).is_empty());
}

#[test]
fn accepted_completions_fit_their_position() {
    assert_eq!(after_accepting("{|}", "name"), r#"{"name": "|"}"#);
    assert_eq!(after_accepting(r#"{"na|": 1}"#, "name"), r#"{"name"|: 1}"#);
    assert_eq!(
        after_accepting(r#"{ | "name": "a"}"#, "tags"),
        r#"{ "tags": [|], "name": "a"}"#
    );
    assert_eq!(
        after_accepting(r#"{"active": f|}"#, "true"),
        r#"{"active": true|}"#
    );
    assert_eq!(after_accepting("{ac|}", "active"), r#"{"active": true|}"#);
    let text = after_accepting("|", "an API definition").replace('|', "a");
    assert!(
        validate(&text).iter().all(|issue| !issue.is_error()),
        "{text}"
    );
}

#[test]
fn members_are_explained() {
    let text = r#"{"proxy": {"listen_path": "/a"}, "error_overrides": {"403": []}, "zzz": 1}"#;
    let at = |needle: &str| hover(ROOT.into(), text, text.find(needle).unwrap());
    let found = at("listen_path").unwrap();
    assert_eq!(found.title, "proxy.listen_path");
    assert_eq!(
        (found.support.as_str(), found.kind.as_str()),
        ("enforced", "a string: a listen path")
    );
    assert_eq!(&text[found.from..found.to], "\"listen_path\"");
    assert_eq!(at("/a").unwrap().doc, found.doc);
    assert_eq!(at("403").unwrap().title, "error_overrides.403");
    assert!(at("zzz").is_none() && hover(ROOT.into(), text, 0).is_none());
}

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
    super::fix_all(ROOT, text)
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

/// Returns the definitions that the fixes of each issue of a ruleset's document lead to.
fn fixed_rules(definition: &str) -> Vec<(String, String)> {
    let text = format!(
        "{{\"name\": \"r\",\n \"definition\": {}}}",
        quote(definition)
    );
    let mut fixed = Vec::new();
    for issue in document::validate(Root::Ruleset, &text) {
        for fix in fixes(Root::Ruleset, &text, &issue) {
            let mut new = text.clone();
            for edit in fix.edits.iter().rev() {
                new.replace_range(edit.from..edit.to, &edit.insert);
            }
            let value = parse(&new).unwrap();
            assert_eq!(value.str("name"), Some("r"), "{new}");
            let inner = value.str("definition").unwrap_or_default().to_owned();
            fixed.push((fix.title, inner));
        }
    }
    fixed
}

#[test]
fn ruleset_definition_is_fixed_in_place() {
    let rule = |rest: &str| {
        format!("{{\n  \"rules\": {{\"é\": {{{rest}\"then\": {{\"function\": \"truthy\"}}}}}}\n}}")
    };
    for (wrong, title, right) in [
        (
            rule("").replace("{\"then", "{\"severity\": \"warn\", \"then"),
            "Add \"given\"",
            rule("\"severity\": \"warn\", ").replace("}}}\n", "}, \"given\": \"$\"}}\n"),
        ),
        (
            rule("\"given\": \"$\", ").replace("\"rules", "\"alises\": {},\n  \"rules"),
            "Rename to \"aliases\"",
            rule("\"given\": \"$\", ").replace("\"rules", "\"aliases\": {},\n  \"rules"),
        ),
        (
            rule("\"given\": \"$\", \"recommended\": \"true\", "),
            "Remove the quotes",
            rule("\"given\": \"$\", \"recommended\": true, "),
        ),
        (
            rule("\"given\": \"$\", ").replace("}}}\n", "}}},\n"),
            "Remove the comma",
            rule("\"given\": \"$\", "),
        ),
    ] {
        let fixed = fixed_rules(&wrong);
        let expected = (title.to_owned(), right);
        assert_eq!(fixed.first(), Some(&expected), "{wrong}");
        let inner = check_definition(&wrong);
        assert_eq!(definition_fixes(&wrong, &inner[0])[0].title, title);
    }
}

#[test]
fn no_fix_removes_the_definition_of_a_ruleset() {
    for wrong in [
        "[]",
        "{}",
        "a: 1",
        "{\"rules\": 3}",
        "{\"extends\": 1}",
        "{\"rules\": {\"a\": {\"given\": [], \"then\": 1, \"zz\": 1}}}",
    ] {
        for (title, inner) in fixed_rules(wrong) {
            assert!(
                !inner.is_empty() && !title.contains("definition"),
                "{wrong} {title}"
            );
        }
    }
}
