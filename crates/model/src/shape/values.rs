//! Compares single values with the table: formats, lists of texts, ranges, keys of maps.

use super::{Bounds, Choice, Format, Names, closest};
use crate::findings::{Findings, shown};
use crate::issue::{IssueCode, Severity};
use crate::json::pointer::Path;
use crate::json::{self, Member, Span, Value, quote};
use crate::mask::{DOTS, MASKED};

/// Checks a text in a given format.
pub(super) fn format(
    format: Format,
    text: &str,
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let Some(severity) = format.severity() else {
        return;
    };
    if let Err(problem) = format.check(text) {
        let span = inside(value.span, text, problem.range);
        findings.add(severity, IssueCode::Format, span, path, problem.message);
    }
}

/// Returns the span of a part of a text in the document. After an escape the offsets in the text and in the document no
/// longer agree; then it is the span of the text.
pub(crate) fn inside(span: Span, text: &str, range: Option<(usize, usize)>) -> Span {
    let plain = span.end.saturating_sub(span.start) == text.len().saturating_add(2);
    let Some((start, end)) = range.filter(|_| plain) else {
        return span;
    };
    let begin = span.start.saturating_add(1);
    let start = begin.saturating_add(start);
    Span {
        start,
        end: begin
            .saturating_add(end)
            .max(start.saturating_add(1))
            .min(span.end),
    }
}

/// Refuses the mask shown instead of a secret, in a secret or a map of secrets.
pub(super) fn masked(value: &Value<'_>, path: &Path<'_>, findings: &mut Findings) {
    if value.as_str() == Some(DOTS) {
        findings.error(IssueCode::Format, value.span, path, MASKED);
    }
    for member in value.members() {
        masked(&member.value, &path.member(&member.name), findings);
    }
}

/// Checks that a text is one of a list.
pub(super) fn one_of(
    choice: &Choice,
    text: &str,
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    if choice.values.contains(&text) {
        return;
    }
    let message = unlisted(text, choice.values, choice.severity == Severity::Error);
    findings.add(choice.severity, IssueCode::Enum, value.span, path, message);
}

/// Words the message about a text that isn't on a list: what was probably meant, or what is on the list.
fn unlisted(text: &str, list: &[&'static str], closed: bool) -> String {
    const SHOWN: usize = 12;
    let found = shown(text);
    let word = if closed { "allowed" } else { "known" };
    if let Some(near) = closest(text, list.iter().copied()) {
        return format!("{found} isn't {word} here; did you mean {}?", quote(near));
    }
    let named = list.iter().filter(|text| !text.is_empty());
    let mut names: Vec<String> = named.take(SHOWN).map(|text| quote(text)).collect();
    if list.len() > SHOWN.saturating_add(1) {
        names.push("…".to_owned());
    }
    format!("{found} isn't {word} here; {word} are {}", names.join(", "))
}

/// Checks a number without a fraction, and its range.
pub(super) fn integer(
    bounds: &Bounds,
    value: &Value<'_>,
    path: &Path<'_>,
    findings: &mut Findings,
) {
    let json::Kind::Number(text) = value.kind else {
        return;
    };
    match value.as_int() {
        // A status or a port of 0 means the default.
        Some(0) => {}
        Some(number) if bounds.contains(number) => {}
        Some(number) => {
            let message = if number < bounds.min {
                format!("the smallest allowed value is {}", bounds.min)
            } else {
                format!("the largest allowed value is {}", bounds.max)
            };
            findings.add(bounds.severity, IssueCode::Range, value.span, path, message);
        }
        None if text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-') =>
        {
            let message = "the integer doesn't fit 64 bits; write a smaller one";
            findings.error(IssueCode::Range, value.span, path, message);
        }
        None => {
            let message = "expected an integer, found a number with a fraction";
            findings.error(IssueCode::Type, value.span, path, message);
        }
    }
}

/// Checks a key of a map.
pub(super) fn name(names: &Names, member: &Member<'_>, path: &Path<'_>, findings: &mut Findings) {
    let (code, span, message) = match *names {
        Names::Any => return,
        Names::Known(list) if list.contains(&&*member.name) => return,
        Names::Known(list) => {
            let message = unlisted(&member.name, list, false);
            (IssueCode::UnknownMember, member.name_span, message.into())
        }
        Names::Format(format) => match format.check(&member.name) {
            Ok(()) => return,
            Err(problem) => {
                let span = inside(member.name_span, &member.name, problem.range);
                (IssueCode::Format, span, problem.message)
            }
        },
    };
    findings.warning(code, span, path, message);
}
