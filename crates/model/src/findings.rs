//! Collects the findings of a check, within bounds that no document can exceed.
//!
//! A document of a megabyte can contain a hundred thousand problems, each with a pointer as long as the document
//! itself. Nobody reads that many and no memory holds them, so the list ends at [`MAX_ISSUES`] or [`MAX_BYTES`] and
//! says that there are more. Findings that aren't listed still count: the closing issue is an error if any of them was.

use std::borrow::Cow;

use crate::issue::{Issue, IssueCode, Position, Severity};
use crate::json::pointer::Path;
use crate::json::{LineIndex, Span, quote};
use crate::order::order;

/// The maximum number of issues listed.
const MAX_ISSUES: usize = 2000;

/// The maximum total size of their pointers and messages, in bytes.
const MAX_BYTES: usize = 1024 * 1024;

/// The longest excerpt of a document quoted in a message, in characters.
const MAX_SHOWN: usize = 64;

/// The pointer of a finding, written out only if the finding is listed.
pub(crate) trait ToPointer {
    /// Returns the JSON Pointer (RFC 6901).
    fn pointer(&self) -> String;
}

impl ToPointer for String {
    fn pointer(&self) -> String {
        self.clone()
    }
}

impl ToPointer for &str {
    fn pointer(&self) -> String {
        (*self).to_owned()
    }
}

impl ToPointer for &Path<'_> {
    fn pointer(&self) -> String {
        Path::pointer(self)
    }
}

/// A finding whose position is still a span of bytes.
#[derive(Debug)]
struct Finding {
    span: Span,
    pointer: String,
    code: IssueCode,
    severity: Severity,
    message: Cow<'static, str>,
}

/// The findings of one check. Lines and columns are computed once, at the end.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    list: Vec<Finding>,
    bytes: usize,
    /// The worst severity among the findings that no longer fit in the list.
    beyond: Option<Severity>,
    only: Option<(&'static [IssueCode], Severity)>,
    /// Whether errors are currently recorded as warnings.
    soft: bool,
}

impl Findings {
    /// Creates a list that accepts only issues with these codes, and gives them this severity.
    pub(crate) fn only(codes: &'static [IssueCode], severity: Severity) -> Self {
        Self {
            only: Some((codes, severity)),
            ..Self::default()
        }
    }

    /// Runs a check whose errors are recorded as warnings.
    pub(crate) fn softly<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = std::mem::replace(&mut self.soft, true);
        let result = check(self);
        self.soft = before;
        result
    }

    /// Whether further findings are only counted, so that their messages needn't be composed.
    pub(crate) fn is_full(&self) -> bool {
        self.list.len() >= MAX_ISSUES || self.bytes >= MAX_BYTES
    }

    /// Whether nothing has been found.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the span of the first finding.
    #[cfg(feature = "docs")]
    pub(crate) fn first_span(&self) -> Option<Span> {
        self.list.first().map(|finding| finding.span)
    }

    /// Removes the findings at a span, for a check that reports them more precisely.
    pub(crate) fn retract(&mut self, span: Span) {
        self.list.retain(|finding| finding.span != span);
    }

    /// Adds a finding at a span of the text.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "callers hand over pointers and paths alike"
    )]
    pub(crate) fn add(
        &mut self,
        severity: Severity,
        code: IssueCode,
        span: Span,
        pointer: impl ToPointer,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.record(severity, code, span, &pointer, message.into());
    }

    /// Not generic over pointers and messages, so that the many callers stay small.
    #[inline(never)]
    fn record(
        &mut self,
        severity: Severity,
        code: IssueCode,
        span: Span,
        pointer: &dyn ToPointer,
        message: Cow<'static, str>,
    ) {
        let severity = match self.only {
            Some((wanted, _)) if !wanted.contains(&code) => return,
            Some((_, severity)) => severity,
            None if self.soft => severity.max(Severity::Warning),
            None => severity,
        };
        if self.is_full() {
            self.beyond = Some(self.beyond.map_or(severity, |worst| worst.min(severity)));
            return;
        }
        let pointer = pointer.pointer();
        self.bytes = self
            .bytes
            .saturating_add(pointer.len())
            .saturating_add(message.len());
        self.list.push(Finding {
            span,
            pointer,
            code,
            severity,
            message,
        });
    }

    /// Adds an error.
    pub(crate) fn error(
        &mut self,
        code: IssueCode,
        span: Span,
        pointer: impl ToPointer,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.add(Severity::Error, code, span, pointer, message);
    }

    /// Adds a warning.
    pub(crate) fn warning(
        &mut self,
        code: IssueCode,
        span: Span,
        pointer: impl ToPointer,
        message: impl Into<Cow<'static, str>>,
    ) {
        self.add(Severity::Warning, code, span, pointer, message);
    }

    /// Adds the issues of a text embedded in this one, all of them at `pointer`: a JSON Pointer cannot lead into a
    /// string, so the messages give the location within it.
    pub(crate) fn embed(
        &mut self,
        inner: Self,
        text: &str,
        pointer: &str,
        outer: impl Fn(Span) -> Span,
    ) {
        let index = LineIndex::new(text);
        for finding in inner.list {
            let Position { line, column } = index.position(finding.span.start);
            let inside = match finding.pointer.as_str() {
                "" => String::new(),
                inner => format!(" ({})", cut(inner)),
            };
            let message = format!("line {line}, column {column}{inside}: {}", finding.message);
            let span = outer(finding.span);
            self.add(finding.severity, finding.code, span, pointer, message);
        }
        if let Some(worst) = inner.beyond {
            let worse = self.beyond.map_or(worst, |other| other.min(worst));
            self.beyond = Some(worse);
        }
    }

    /// Returns the issues in document order; at the same position, the more severe ones come first.
    pub(crate) fn into_issues(self, text: &str) -> Vec<Issue> {
        if self.list.is_empty() {
            return Vec::new();
        }
        let key = |at: usize| {
            let finding = self.list.get(at);
            finding.map(|finding| (finding.span.start, finding.severity))
        };
        let order = order(self.list.len(), &mut |a, b| key(a).cmp(&key(b)));
        let mut found: Vec<Option<Finding>> = self.list.into_iter().map(Some).collect();
        let mut list: Vec<Finding> = order
            .into_iter()
            .filter_map(|at| found.get_mut(at)?.take())
            .collect();
        if let Some(severity) = self.beyond {
            list.push(Finding {
                span: Span {
                    start: text.len(),
                    end: text.len(),
                },
                pointer: String::new(),
                code: IssueCode::TooLarge,
                severity,
                message: "there are more problems than are listed; mend these first".into(),
            });
        }
        let index = LineIndex::new(text);
        let issue = |finding: Finding| Issue {
            start: index.position(finding.span.start),
            end: index.position(finding.span.end),
            pointer: finding.pointer,
            code: finding.code,
            severity: finding.severity,
            message: finding.message.into_owned(),
        };
        list.into_iter().map(issue).collect()
    }
}

/// Quotes an excerpt of the document, shortened if it is long.
pub(crate) fn shown(text: &str) -> String {
    quote(&cut(text))
}

/// Shortens a long text.
fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_SHOWN) {
        None => Cow::Borrowed(text),
        Some((end, _)) => Cow::Owned(format!("{}…", text.get(..end).unwrap_or_default())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn issues_come_in_document_order_and_errors_before_warnings() {
        let mut findings = Findings::default();
        let at = |start| Span { start, end: start };
        findings.warning(IssueCode::Format, at(2), String::new(), "c");
        findings.error(IssueCode::Format, at(2), String::new(), "b");
        findings.error(IssueCode::Format, at(0), String::new(), "a");
        let messages: Vec<_> = findings
            .into_issues("abc")
            .into_iter()
            .map(|issue| issue.message)
            .collect();
        assert_eq!(messages, ["a", "b", "c"]);
    }

    #[test]
    fn unlisted_findings_still_count() {
        let mut findings = Findings::default();
        for _ in 0..MAX_ISSUES {
            findings.warning(IssueCode::Format, Span::default(), "", "a");
        }
        assert_eq!(findings.list.len(), MAX_ISSUES);
        findings.warning(IssueCode::Format, Span::default(), "", "b");
        findings.error(IssueCode::Format, Span::default(), "", "c");
        findings.warning(IssueCode::Format, Span::default(), "", "d");
        let issues = findings.into_issues("");
        assert_eq!(issues.len(), MAX_ISSUES + 1);
        assert_eq!(issues.last().unwrap().severity, Severity::Error);
    }

    #[test]
    fn long_pointers_count_towards_the_limit() {
        let mut findings = Findings::default();
        for _ in 0..10 {
            findings.error(
                IssueCode::Format,
                Span::default(),
                "x".repeat(MAX_BYTES / 2),
                "a",
            );
        }
        assert_eq!(findings.into_issues("").len(), 3);
    }

    #[test]
    fn long_texts_are_shortened_in_messages() {
        assert_eq!(shown("a\"b"), r#""a\"b""#);
        assert_eq!(shown(&"é".repeat(100)).chars().count(), MAX_SHOWN + 3);
    }
}
