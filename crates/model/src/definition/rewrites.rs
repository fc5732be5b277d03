//! Collects the jq filters and templates that rewrite bodies, so that a write can have them checked by the modules that
//! run them.
//!
//! The check uses the same module that handles requests, so a rule that would leave every body unchanged is found
//! before it is served. The modules receive texts and return reports; the locations in the definition, or in the
//! OpenAPI document it is compiled from, are known here.

use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::Path;
use crate::json::{Span, Value, parse};
use crate::openapi::stored;
use crate::text::{self, base64};

/// The maximum number of texts checked by a write. A filter is compiled with the complete jq library, and nobody writes
/// more of them by hand; those beyond are compiled when they are needed.
const MAX_SOURCES: usize = 200;

/// The longest reason quoted in a message, in characters: it may contain parts of the text.
const MAX_REASON: usize = 200;

/// A filter or a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The module that runs it, `jq` or `transform`.
    pub module: &'static str,
    /// The source text for the module.
    pub text: String,
}

/// Returns the texts to check, in the order expected of [`broken`]'s reports. Duplicates are included: modules cache
/// what they have compiled.
#[must_use]
pub fn sources(definition: &str) -> Vec<Source> {
    let mut sources = Vec::new();
    if let Ok(value) = parse(definition) {
        each(&value, |source, _, _| sources.push(source));
    }
    sources
}

/// Returns warnings about the texts that a module can't read. `reports` are the module's reports in the order of
/// [`sources`], as JSON with the reason in `error` or `broken` and the position in the text as `line` and `column`.
#[must_use]
pub fn broken(definition: &str, reports: &[String]) -> Vec<Issue> {
    let mut findings = Findings::default();
    let mut reports = reports.iter();
    if let Ok(value) = parse(definition) {
        each(&value, |source, span, path| {
            let report = reports.next().map_or("", String::as_str);
            if let Some(reason) = reason(report) {
                let word = match source.module {
                    "jq" => "filter",
                    _ => "template",
                };
                let message = format!(
                    "the {word} is wrong{reason}; mend it, or the rule leaves bodies as they are"
                );
                findings.warning(IssueCode::Format, span, path, message);
            }
        });
    }
    findings.into_issues(definition)
}

/// Receives a text, the span of the value it comes from, and its path.
type Take<'t> = &'t mut dyn FnMut(Source, Span, &Path<'_>);

/// Calls `take` with each text of a definition, or of an OpenAPI document with its extension.
fn each(text: &Value<'_>, mut take: impl FnMut(Source, Span, &Path<'_>)) {
    let mut left = MAX_SOURCES;
    let take: Take<'_> = &mut |source, span, path| {
        if let Some(less) = left.checked_sub(1) {
            left = less;
            take(source, span, path);
        }
    };
    of_definition(text, take);
    of_document(text, take);
}

fn of_definition(definition: &Value<'_>, take: Take<'_>) {
    let path = Path::Root.member("version_data");
    let path = path.member("versions");
    let versions = definition.get("version_data");
    let versions = versions.and_then(|data| data.get("versions"));
    for version in versions.map(Value::members).unwrap_or_default() {
        let path = path.member(&version.name);
        let path = path.member("extended_paths");
        let lists = version.value.get("extended_paths");
        for list in lists.map(Value::members).unwrap_or_default() {
            let read = match &*list.name {
                "transform" | "transform_response" => template,
                "transform_jq" | "transform_jq_response" => filter,
                _ => continue,
            };
            let path = path.member(&list.name);
            for (index, rule) in list.value.items().iter().enumerate() {
                let source = Some(rule).filter(|rule| rule.bool("disabled") != Some(true));
                let Some(source) = source.and_then(read) else {
                    continue;
                };
                let path = path.element(index);
                if source.module == "jq" {
                    let span = rule.get("filter").map_or(rule.span, |value| value.span);
                    take(source, span, &path.member("filter"));
                } else {
                    let data = rule.get("template_data");
                    let text = data.and_then(|data| data.get("template_source"));
                    let span = text.map_or(rule.span, |value| value.span);
                    let path = path.member("template_data");
                    take(source, span, &path.member("template_source"));
                }
            }
        }
    }
}

/// Visits the templates of single operations, tools, resources and prompts. No other check verifies that their blocks
/// are closed.
fn of_document(document: &Value<'_>, take: Take<'_>) {
    let Some((name, extension)) = stored::extension(document) else {
        return;
    };
    let path = Path::Root.member(name);
    let path = path.member("middleware");
    let middleware = extension.get("middleware");
    for group in middleware.map(Value::members).unwrap_or_default() {
        if !GROUPS.contains(&&*group.name) {
            continue;
        }
        let path = path.member(&group.name);
        for operation in group.value.members() {
            let path = path.member(&operation.name);
            for name in ["transformRequestBody", "transformResponseBody"] {
                let rule = operation.value.get(name);
                let rule = rule.filter(|rule| rule.bool("enabled") == Some(true));
                let Some(body) = rule.and_then(|rule| rule.get("body")) else {
                    continue;
                };
                if let Some(text) = decoded(body.as_str().unwrap_or_default()) {
                    let path = path.member(name);
                    let module = "transform";
                    take(Source { module, text }, body.span, &path.member("body"));
                }
            }
        }
    }
}

/// The groups of an extension whose entries have rules of their own.
const GROUPS: [&str; 4] = ["operations", "mcpTools", "mcpResources", "mcpPrompts"];

fn decoded(source: &str) -> Option<String> {
    let source = Some(source).filter(|source| !source.is_empty());
    String::from_utf8(base64::decode(source?)?).ok()
}

fn filter(rule: &Value<'_>) -> Option<Source> {
    let text = rule.str("filter").filter(|text| !text.trim().is_empty())?;
    Some(Source {
        module: "jq",
        text: text.to_owned(),
    })
}

/// Returns a template whose actions and blocks are closed: the check of definitions has already warned of any other.
fn template(rule: &Value<'_>) -> Option<Source> {
    let data = rule.get("template_data")?;
    let is_here = data.str("template_mode") == Some("blob");
    let source = data.str("template_source").filter(|_| is_here)?;
    let text = decoded(source)?;
    text::template::check(&text).ok()?;
    Some(Source {
        module: "transform",
        text,
    })
}

/// Words the position and the reason of a failure as the rest of a sentence; `None` for a text that was read, or a
/// report without a reason.
fn reason(report: &str) -> Option<String> {
    let value = parse(report).ok()?;
    let why = value.str("broken").or_else(|| value.str("error"))?;
    let number = |name| value.get(name).map(|number| number.span.of(report));
    Some(match (number("line"), number("column")) {
        (Some(line), Some(column)) => {
            let own = format!("line {line}: ");
            let why = why.strip_prefix(&*own).unwrap_or(why);
            format!(" in line {line}, column {column}: {}", cut(why))
        }
        _ => format!(": {}", cut(why)),
    })
}

/// Shortens a reason to a readable length.
fn cut(why: &str) -> String {
    why.chars().take(MAX_REASON).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rules of one version; `e3sgLmEgfX0=` is `{{ .a }}`, `e3tpZiAuYX19` an `if` without its end.
    fn definition(lists: &str) -> String {
        format!(
            r#"{{"version_data":{{"versions":{{"a/b":{{"use_extended_paths":true,"extended_paths":{lists}}}}}}}}}"#
        )
    }

    fn texts(definition: &str) -> Vec<(&'static str, String)> {
        let sources = sources(definition).into_iter();
        sources.map(|source| (source.module, source.text)).collect()
    }

    #[test]
    fn filters_and_templates_are_read_unless_disabled() {
        let lists = r#"{"transform_jq":[{"filter":"."},{"filter":" "},{"filter":"x","disabled":true},{}],
            "transform_jq_response":[{"filter":".b"}],
            "transform":[{"template_data":{"template_mode":"blob","template_source":"e3sgLmEgfX0="}},
                {"template_data":{"template_mode":"blob","template_source":"e3tpZiAuYX19"}},
                {"template_data":{"template_mode":"file","template_source":"e3sgLmEgfX0="}}],
            "transform_response":[{"template_data":{"template_mode":"blob","template_source":"?"}}],
            "transform_headers":[{"filter":"y"}]}"#;
        let expected = [("jq", "."), ("jq", ".b"), ("transform", "{{ .a }}")];
        let expected = expected.map(|(module, text)| (module, text.to_owned()));
        assert_eq!(texts(&definition(lists)), expected);
        assert!(texts("{}").is_empty() && texts("[").is_empty());
    }

    #[test]
    fn unreadable_text_is_reported_with_its_pointer() {
        let text = definition(
            r#"{"transform_jq":[{"filter":"."},{"filter":"}"},{"filter":"f"}],"transform":[{"template_data":
            {"template_mode":"blob","template_source":"e3sgLmEgfX0="}}]}"#,
        );
        let reports = [
            "{}",
            r#"{"error":"line 1: a term was expected","line":1,"column":3}"#,
            r#"{"error":"the filter f/0 is not known"}"#,
            r#"{"broken":"function \"a\" not defined","line":2,"column":5}"#,
        ];
        let found = broken(&text, &reports.map(str::to_owned));
        let said: Vec<(&str, &str, bool)> = found
            .iter()
            .map(|issue| (&*issue.pointer, &*issue.message, issue.is_error()))
            .collect();
        let rest = "; mend it, or the rule leaves bodies as they are";
        let path = "/version_data/versions/a~1b/extended_paths";
        let expected = [
            (
                "transform_jq/1/filter",
                "the filter is wrong in line 1, column 3: a term was expected",
            ),
            (
                "transform_jq/2/filter",
                "the filter is wrong: the filter f/0 is not known",
            ),
            (
                "transform/0/template_data/template_source",
                "the template is wrong in line 2, column 5: function \"a\" not defined",
            ),
        ];
        assert_eq!(said.len(), expected.len());
        for ((pointer, message, is_error), (place, why)) in said.into_iter().zip(expected) {
            assert_eq!(pointer, format!("{path}/{place}"));
            assert_eq!(message, format!("{why}{rest}"));
            assert!(!is_error);
        }
        // A module that could not be called has no report.
        assert!(broken(&text, &[]).is_empty());
    }

    #[test]
    fn document_templates_are_read_in_place() {
        let text = r#"{"openapi":"3.0.3","x-gateway-api-gateway":{"middleware":{
            "global":{"transformRequestBody":{"enabled":true,"body":"e3sgLmEgfX0="}},
            "operations":{"get/a":{"transformRequestBody":{"enabled":true,"format":"json","body":"e3sgLmEgfX0="},
                "transformResponseBody":{"enabled":true,"format":"json","body":"e3tpZiAuYX19"}},
                "b":{"transformRequestBody":{"enabled":false,"body":"e3sgLmEgfX0="},
                "transformResponseBody":{"enabled":true,"format":"json","path":"a.tmpl"}}},
            "mcpTools":{"t":{"transformRequestBody":{"enabled":true,"format":"json","body":"e3sgLmEgfX0="}}}}}}"#;
        let found = texts(text);
        let found: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(found, ["{{ .a }}", "{{if .a}}", "{{ .a }}"]);
        let reports = ["{}", r#"{"broken":"unexpected EOF"}"#, "{}"].map(str::to_owned);
        let found = broken(text, &reports);
        let pointer =
            "/x-gateway-api-gateway/middleware/operations/get~1a/transformResponseBody/body";
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].pointer, pointer);
        assert!(
            found[0]
                .message
                .starts_with("the template is wrong: unexpected EOF")
        );
    }

    #[test]
    fn number_of_texts_is_bounded() {
        let rules = vec![r#"{"filter":"."}"#; MAX_SOURCES + 1].join(",");
        let text = definition(&format!(r#"{{"transform_jq":[{rules}]}}"#));
        assert_eq!(sources(&text).len(), MAX_SOURCES);
    }
}
