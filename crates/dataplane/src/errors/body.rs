//! The body template of an override: text with `{{.StatusCode}}`, `{{.Message}}` and `{{.InvalidParams}}` (reference
//! 3.3), as in Go's `text/template`.

use super::format::Format;

/// A parsed body template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct BodyTemplate {
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    StatusCode,
    Message,
    InvalidParams,
}

/// The values of a template's variables.
pub(super) struct Values<'v> {
    pub(super) status: u16,
    /// The rule's own message.
    pub(super) message: &'v str,
    /// What is wrong with the request body; empty if nothing is.
    pub(super) violations: &'v str,
}

impl BodyTemplate {
    /// Parses a template; `None` if it is malformed or uses more than variables. Text without `{{.` is taken as plain
    /// text, whatever braces it has, as in the reference.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let plain = (!text.contains("{{.")).then(|| vec![Part::Text(text.to_owned())]);
        let parts = Self::parts(text).or(plain)?;
        Some(Self { parts })
    }

    fn parts(text: &str) -> Option<Vec<Part>> {
        let mut parts = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once("{{") {
            let (action, mut after) = behind.split_once("}}")?;
            // `{{- ` trims whitespace before it, ` -}}` after it.
            let (action, before) = match action.strip_prefix("- ") {
                Some(action) => (action, before.trim_end()),
                None => (action, before),
            };
            let action = match action.strip_suffix(" -") {
                Some(action) => {
                    after = after.trim_start();
                    action
                }
                None => action,
            };
            if !before.is_empty() {
                parts.push(Part::Text(before.to_owned()));
            }
            match action.trim() {
                ".StatusCode" => parts.push(Part::StatusCode),
                ".Message" => parts.push(Part::Message),
                ".InvalidParams" => parts.push(Part::InvalidParams),
                comment if comment.starts_with("/*") && comment.ends_with("*/") => {}
                _ => return None,
            }
            rest = after;
        }
        if !rest.is_empty() {
            parts.push(Part::Text(rest.to_owned()));
        }
        Some(parts)
    }

    /// Fills in the values, escaped for the format.
    pub(super) fn fill(&self, format: Format, values: &Values<'_>) -> String {
        let mut filled = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => filled.push_str(text),
                Part::StatusCode => filled.push_str(&values.status.to_string()),
                Part::Message => filled.push_str(&format.escape(values.message)),
                Part::InvalidParams => filled.push_str(&format.escape(values.violations)),
            }
        }
        filled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filled(text: &str, format: Format) -> Option<String> {
        let values = Values {
            status: 499,
            message: "a \"b\" & c",
            violations: "a: \"b\"; c < d",
        };
        Some(BodyTemplate::parse(text)?.fill(format, &values))
    }

    #[test]
    fn variables_are_filled_in_and_escaped() {
        for (text, json) in [
            ("", ""),
            ("plain } }} {", "plain } }} {"),
            (
                "{\"was\":{{.StatusCode}},\"p\":\"{{ .InvalidParams }}\"}",
                "{\"was\":499,\"p\":\"a: \\\"b\\\"; c \\u003C d\"}",
            ),
            ("<{{.Message}}>", "<a \\\"b\\\" \\u0026 c>"),
            ("a \n{{- .StatusCode -}}\n b", "a499b"),
            ("a{{/* nothing */}}b", "ab"),
            ("{{", "{{"),
            ("with {{ braces }}", "with {{ braces }}"),
        ] {
            assert_eq!(filled(text, Format::Json).as_deref(), Some(json), "{text}");
        }
        assert_eq!(
            filled(
                "<m>{{.Message}}|{{.InvalidParams}}</m>",
                Format::Xml("text/xml")
            )
            .as_deref(),
            Some("<m>a &#34;b&#34; &amp; c|a: &#34;b&#34;; c &lt; d</m>")
        );
    }

    #[test]
    fn unsupported_template_is_rejected() {
        for text in [
            "{{.Message",
            "{{.Other}}",
            "{{if .Message}}{{.Message}}{{end}}",
        ] {
            assert_eq!(filled(text, Format::Json), None, "{text}");
        }
    }
}
