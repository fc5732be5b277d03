//! Many problems are fixed at once: correctly, and without reading the text once for each of them.

use crate::assist::fixes::work;
use crate::assist::{fix_all, fix_definition};
use crate::json::{parse, quote};
use crate::shape::Root;

const MANY: usize = 3_000;

/// Measures how much was read to fix a text, in multiples of its length.
fn readings(text: &str, mend: impl Fn(&str) -> (String, usize)) -> (String, usize, usize) {
    work::take_count();
    let (fix_all, count) = mend(text);
    (fix_all, count, work::take_count().div_ceil(text.len()))
}

/// Fails at the first difference of two long texts.
fn same(made: &str, wanted: &str) {
    let pairs = made.lines().zip(wanted.lines());
    for (number, (made, wanted)) in pairs.enumerate() {
        assert!(
            made == wanted,
            "line {number}: {made:.300} instead of {wanted:.300}"
        );
    }
    assert!(made == wanted);
}

/// Returns a policy with `MANY` access rights, one per line.
fn policy(right: impl Fn(usize) -> String) -> String {
    let rights: Vec<String> = (0..MANY)
        .map(|number| format!("    \"api-{number}\": {}", right(number)))
        .collect();
    format!(
        "{{\n  \"id\": \"p\",\n  \"name\": \"p\",\n  \"access_rights\": {{\n{}\n  }}\n}}\n",
        rights.join(",\n")
    )
}

#[test]
fn thousands_of_values_are_fixed_in_few_passes() {
    let words = ["\"yes\"", "\"false\"", "1", "\"on\"", "\"true\""];
    let wrong = policy(|number| {
        let word = words[number % words.len()];
        format!("{{\"disable_introspection\": {word}, \"limit\": {{\"rate\": \"5\"}}}}")
    });
    let right = policy(|number| {
        let word = number % words.len() != 1;
        format!("{{\"disable_introspection\": {word}, \"limit\": {{\"rate\": 5}}}}")
    });
    let (text, count, times) = readings(&wrong, |text| fix_all(Root::Policy, text));
    same(&text, &right);
    assert_eq!(count, 2 * MANY);
    // One reading to see that it is JSON. Then each check lists 2,000 problems and costs a parse and a check, and a
    // last one finds none.
    let most = 1 + 2 * (2 * MANY / 2_000 + 1);
    assert!(times <= most, "{times} times");
    // The same on one line of a megabyte.
    let line = |text: &str| text.replace("\n", " ");
    let (text, _, times) = readings(&line(&wrong), |text| fix_all(Root::Policy, text));
    same(&text, &line(&right));
    assert!(times <= most, "{times} times");
}

#[test]
fn thousands_of_members_are_renamed_and_moved_in_few_passes() {
    let wrong = policy(|_| "{\"alowed_urls\": [], \"quota_max\": 5}".to_owned());
    let (text, _, times) = readings(&wrong, |text| fix_all(Root::Policy, text));
    let rights = parse(&text).unwrap();
    let right = rights.pointer("/access_rights/api-2999").unwrap();
    assert!(right.get("allowed_urls").is_some(), "{}", &text[..300]);
    assert!(times <= 30, "{times} times");
}

#[test]
fn thousands_of_syntax_errors_are_fixed_in_one_pass() {
    let member = |number: usize| {
        format!("    'api-{number}': {{versions: ['a', 'b',], limit: {{rate: +5}},}}, // one\n")
    };
    let members: String = (0..MANY / 6).map(member).collect();
    let wrong =
        format!("{{\n  id: 'p',\n  name: \"a\tb\"\n  access_rights: {{\n{members}  }},\n}};\n");
    let (text, count, times) = readings(&wrong, |text| fix_all(Root::Policy, text));
    let value = parse(&text).unwrap_or_else(|issues| panic!("{:?}", issues[0]));
    assert_eq!(value.str("name"), Some("a\tb"));
    let rate = value.pointer("/access_rights/api-499/limit/rate");
    assert_eq!(rate.and_then(|rate| rate.as_int()), Some(5));
    assert_eq!(
        value.pointer("/access_rights").unwrap().members().len(),
        MANY / 6
    );
    assert!(count >= MANY, "{count}");
    // Each error is reached by reading from the one before, and then the checks follow.
    assert!(times <= 12, "{times} times");
}

#[test]
fn thousands_of_ruleset_problems_are_fixed_in_few_passes() {
    let rules = |word: &str| {
        let rule = |number: usize| {
            format!(
                "\"r{number}\": {{\"given\": \"$\", \"recommended\": {word}, \"then\": {{\"function\": \"truthy\"}}}}"
            )
        };
        let rules: Vec<String> = (0..MANY).map(rule).collect();
        format!("{{\"rules\": {{\n{}\n}}}}", rules.join(",\n"))
    };
    let document =
        |rules: &str| format!("{{\"name\": \"r\\/\", \"definition\": {}}}", quote(rules));
    let (wrong, right) = (rules("\"yes\""), rules("true"));
    let (text, count, times) = readings(&wrong, fix_definition);
    assert!(text == right && count == MANY, "{count}");
    assert!(times <= 12, "{times} times");
    let (text, count, times) = readings(&document(&wrong), |text| fix_all(Root::Ruleset, text));
    assert!(text == document(&right) && count == MANY, "{count}");
    assert!(times <= 14, "{times} times");
}
