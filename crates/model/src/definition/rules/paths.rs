//! Rules about `extended_paths`: the content of single rules, and rules that shadow each other.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::versions::is_negative;
use super::{Rules, json_schema};
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Kind, Value, decimal, parse};
use crate::order::repeats;
use crate::text::reach::Reach;
use crate::text::{base64, path_rule, pattern, template};

/// Lists whose entries block or limit requests: without one of them more requests would pass, or none.
const PROTECTING: [&str; 7] = [
    "black_list",
    "white_list",
    "internal",
    "rate_limit",
    "size_limits",
    "validate_json",
    "validate_request",
];

impl Rules<'_, '_> {
    /// Refuses protecting rules of a version that can't be compiled here.
    pub(super) fn protecting_rules(&mut self, version: &Value<'_>, path: &Path<'_>) {
        let extended = version.bool("use_extended_paths") == Some(true);
        let lists = if extended { "extended_paths" } else { "paths" };
        let path = path.member(lists);
        for name in PROTECTING {
            let list = version.get(lists).and_then(|lists| lists.get(name));
            let path = path.member(name);
            let rows = list.map(Value::items).unwrap_or_default();
            for (index, row) in rows.iter().enumerate() {
                let path = path.element(index);
                if !extended {
                    self.protecting_path(row, &path);
                } else if row.bool("disabled") != Some(true)
                    && let Some(text) = row.get("path")
                {
                    self.protecting_path(text, &path.member("path"));
                }
            }
        }
    }

    fn protecting_path(&mut self, text: &Value<'_>, path: &Path<'_>) {
        const MESSAGE: &str = "this rule protects and couldn't be enforced: classes of Unicode can't be used here; name the characters, as in [a-zA-Zà-ÿ]";
        if text.as_str().is_some_and(path_rule::is_beyond) {
            self.findings.retract(text.span);
            self.findings
                .error(IssueCode::Format, text.span, path, MESSAGE);
        }
    }

    /// Checks every list of rules of one version.
    pub(super) fn path_rules(&mut self, rules: &Value<'_>, path: &Path<'_>) {
        for list in rules.members() {
            let path = path.member(&list.name);
            let check: fn(&Value<'_>, &Path<'_>, &mut Findings) = match &*list.name {
                "ignored" | "white_list" => opening,
                "circuit_breakers" => circuit_breaker,
                "hard_timeouts" => hard_timeout,
                "rate_limit" => rate_limit,
                "transform" | "transform_response" => transform,
                "url_rewrites" => url_rewrite,
                "validate_json" => validate_json,
                "virtual" => function,
                _ => |_, _, _| {},
            };
            for (index, rule) in list.value.items().iter().enumerate() {
                // The reference checks the timeouts of disabled rules as well.
                let off = rule.bool("disabled") == Some(true) && list.name != "hard_timeouts";
                if !off {
                    check(rule, &path.element(index), self.findings);
                }
            }
            duplicates(list.value.items(), &path, self.findings);
        }
    }
}

/// Of two rules for the same path and method only the first ever matches.
fn duplicates(rules: &[Value<'_>], path: &Path<'_>, findings: &mut Findings) {
    let on = |rule: &&Value<'_>| rule.bool("disabled") != Some(true);
    let key = |rule: &Value<'_>| {
        let method = rule.str("method").unwrap_or_default();
        // A method has no spaces, so two different rules never have the same key.
        Some(format!("{method} {}", rule.str("path")?))
    };
    let keys = rules.iter().map(|rule| Some(rule).filter(on).and_then(key));
    let (indices, keys): (Vec<usize>, Vec<String>) = keys
        .enumerate()
        .filter_map(|(index, key)| Some((index, key?)))
        .unzip();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    for (at, _) in repeats(&keys) {
        let Some((index, rule)) = indices.get(at).and_then(|at| Some((*at, rules.get(*at)?)))
        else {
            continue;
        };
        let method = rule.str("method").unwrap_or_default();
        let message = format!(
            "there is a rule for {} {} before this one, which hides it; remove one",
            if method.is_empty() {
                "every method of"
            } else {
                method
            },
            shown(rule.str("path").unwrap_or_default())
        );
        let span = rule.span.opening();
        findings.warning(IssueCode::Conflict, span, &path.element(index), message);
    }
}

/// Returns whether a number is below, at or above 0; an absent one counts as 0.
fn sign(rule: &Value<'_>, name: &str) -> Ordering {
    match rule.get(name).map(|value| &value.kind) {
        Some(Kind::Number(text)) => decimal::sign(text),
        _ => Ordering::Equal,
    }
}

/// Warns about the value of a member.
fn warn(
    rule: &Value<'_>,
    name: &str,
    path: &Path<'_>,
    code: IssueCode,
    message: impl Into<Cow<'static, str>>,
    findings: &mut Findings,
) {
    let span = rule
        .get(name)
        .map_or(rule.span.opening(), |value| value.span);
    findings.warning(code, span, &path.member(name), message);
}

/// Warns of a rule that grants access, or access without a key, and whose path may match after any segment.
fn opening(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    if let Some(value) = rule.get("path") {
        opened(value, &path.member("path"), findings);
    }
}

/// Like [`opening`], for the path itself. Nearly everybody writes paths that start with `/`, and the gateway's
/// configuration says whether those are anchored, so only paths that match elsewhere in any case are reported.
pub(super) fn opened(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let rule = value.as_str().filter(|text| path_rule::check(text).is_ok());
    let reach = rule.map(Reach::of);
    let found = reach.filter(|reach| *reach == Reach::Anywhere);
    if let Some(message) = found.and_then(Reach::message) {
        findings.warning(IssueCode::Unanchored, value.span, path, message);
    }
}

fn circuit_breaker(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    const NAME: &str = "threshold_percent";
    let Some(Kind::Number(part)) = rule.get(NAME).map(|value| &value.kind) else {
        return;
    };
    if decimal::sign(part).is_lt() || decimal::exceeds_one(part) {
        let message = "this is a part of all requests, from 0 to 1; 0.5 is half of them";
        warn(rule, NAME, path, IssueCode::Range, message, findings);
    }
}

fn hard_timeout(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    for name in ["timeout", "duration"] {
        if let Some(value) = rule.get(name).filter(|value| is_negative(value)) {
            // Reference section 6.1.
            findings.error(
                IssueCode::Range,
                value.span,
                &path.member(name),
                "invalid timeout value",
            );
        }
    }
}

fn rate_limit(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    if sign(rule, "per").is_le() {
        let message = "without a period the limit is off; write its seconds";
        warn(rule, "per", path, IssueCode::Range, message, findings);
    } else if sign(rule, "rate").is_eq() {
        let message = "a rate of 0 switches the limit off; write how many requests are let through";
        warn(rule, "rate", path, IssueCode::Range, message, findings);
    }
}

fn transform(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    const NAME: &str = "template_source";
    let Some(data) = rule.get("template_data") else {
        return;
    };
    let path = path.member("template_data");
    let Some(source) = data.str(NAME).filter(|source| !source.is_empty()) else {
        let message = "\"template_source\" is missing; write the template in base64";
        return warn(data, NAME, &path, IssueCode::Required, message, findings);
    };
    match data.str("template_mode") {
        Some("blob") => {}
        Some("file") => {
            let message = "there are no files here, so the rule does nothing; write the template itself \
                           into template_source, in base64, and blob here";
            return warn(
                data,
                "template_mode",
                &path,
                IssueCode::Unsupported,
                message,
                findings,
            );
        }
        _ => return,
    }
    match base64::decode(source).map(String::from_utf8) {
        Some(Ok(text)) => {
            if let Err(problem) = template::check(&text) {
                let message = format!("the template is wrong: {}", problem.message);
                warn(data, NAME, &path, IssueCode::Format, message, findings);
            }
        }
        _ => {
            let message = "with template_mode blob this is the template in base64";
            warn(data, NAME, &path, IssueCode::Format, message, findings);
        }
    }
}

fn function(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    const NAME: &str = "function_source_uri";
    let source = rule.str(NAME).filter(|source| !source.is_empty());
    if rule.str("function_source_type") == Some("blob")
        && source.is_some_and(|source| base64::decode(source).is_none())
    {
        let message = "with function_source_type blob this is the code in base64";
        warn(rule, NAME, path, IssueCode::Format, message, findings);
    }
}

/// `$3` needs a third group.
fn url_rewrite(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    let (Some(expression), Some(target)) = (rule.str("match_pattern"), rule.str("rewrite_to"))
    else {
        return;
    };
    let Ok(found) = pattern::check(expression) else {
        return;
    };
    let digits = |text: &str| {
        text.chars()
            .take_while(char::is_ascii_digit)
            .collect::<String>()
    };
    let numbers = target
        .split('$')
        .skip(1)
        .filter_map(|behind| digits(behind).parse().ok());
    let largest: usize = numbers.max().unwrap_or(0);
    if largest > found.groups {
        let message = format!(
            "${largest} is empty: match_pattern has {} groups in parentheses",
            found.groups
        );
        warn(
            rule,
            "rewrite_to",
            path,
            IssueCode::Conflict,
            message,
            findings,
        );
    }
}

fn validate_json(rule: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    const NAME: &str = "schema_b64";
    let schema = rule.get("schema");
    let encoded = rule.str(NAME).unwrap_or_default();
    if encoded.is_empty() || schema.is_some_and(|schema| !schema.members().is_empty()) {
        if let Some(schema) = schema {
            return json_schema::check(schema, &path.member("schema"), findings);
        }
        let message = "\"schema\" is missing, so no body is accepted; write the JSON Schema bodies have to fit";
        return warn(rule, "schema", path, IssueCode::Required, message, findings);
    }
    // Invalid Base64 was reported with the shape.
    let Some(bytes) = base64::decode(encoded) else {
        return;
    };
    let text = String::from_utf8(bytes).unwrap_or_default();
    let (issues, is_schema) = match parse(&text) {
        Ok(schema) => (json_schema::problems(&text, &schema), true),
        Err(issues) => (issues, false),
    };
    let worst = issues.iter().find(|issue| issue.is_error() && is_schema);
    if let (Some(issue), Some(value)) = (worst.or_else(|| issues.first()), rule.get(NAME)) {
        let message = format!("the schema is wrong: {issue}");
        let path = path.member(NAME);
        if worst.is_some() {
            findings.error(IssueCode::Format, value.span, &path, message);
        } else {
            findings.warning(IssueCode::Format, value.span, &path, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::definition::validate;
    use crate::issue::IssueCode;

    fn unanchored(version: &str) -> Vec<String> {
        let text = format!(
            r#"{{"name":"a","use_keyless":true,"proxy":{{"listen_path":"/a","target_url":"http://a.example"}},
               "version_data":{{"not_versioned":true,"versions":{{"v":{version}}}}}}}"#
        );
        let issues = validate(&text).into_iter();
        let found = issues.filter(|issue| issue.code == IssueCode::Unanchored);
        found
            .map(|issue| issue.pointer.replace("/version_data/versions/v", ""))
            .collect()
    }

    /// Fault H8: `orders` on an allow list granted access to `/internal/orders` without a warning. Rules that only
    /// restrict or change something, and paths that start with `/` as nearly all do, are ignored.
    #[test]
    fn unanchored_allowing_rule_is_reported() {
        let rows = r#"[{"path":"orders"},{"path":"/orders"},{"path":"^/a|/b"},{"path":"x("}]"#;
        let extended = format!(
            r#"{{"use_extended_paths":true,"extended_paths":{{
                "ignored":[{{"path":"public/.*","disabled":true}},{{"path":"public/.*"}}],
                "black_list":{rows},"url_rewrites":{rows},"white_list":{rows}}}}}"#
        );
        assert_eq!(
            unanchored(&extended),
            [
                "/extended_paths/ignored/1/path",
                "/extended_paths/white_list/0/path",
                "/extended_paths/white_list/2/path",
            ]
        );
        let lists = r#"{"black_list":["a"],"ignored":["b","/b"],"white_list":["^/c","c"]}"#;
        assert_eq!(
            unanchored(&format!(r#"{{"paths":{lists}}}"#)),
            ["/paths/ignored/0", "/paths/white_list/1"]
        );
        let unused = format!(r#"{{"use_extended_paths":true,"paths":{lists}}}"#);
        assert!(unanchored(&unused).is_empty());
    }
}
