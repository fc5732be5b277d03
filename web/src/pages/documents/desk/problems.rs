//! The problems of a document being edited.

use gatewright_model::json::{LineIndex, parse};
use gatewright_model::{Issue, IssueCode, Severity};
use leptos::prelude::*;

use super::super::Sort;
use super::Desk;
use crate::api::ApiError;

impl Desk {
    /// Returns the problems that the editor doesn't find itself: the edge's with exactly this text, and the page's.
    pub(in crate::pages::documents) fn edge_issues(self) -> Vec<Issue> {
        let text = self.text();
        let edge_issues = self.edge_issues.get().filter(|(about, _)| *about == text);
        let known = self.issues.get().unwrap_or_default();
        let mut edge_issues = edge_issues.map(|(_, issues)| issues).unwrap_or_default();
        let others = self.others.get();
        let told = |issue: &Issue| others.iter().any(|other| other.pointer == issue.pointer);
        edge_issues.retain(|issue| !known.contains(issue) && !told(issue));
        edge_issues.extend(others);
        edge_issues
    }

    /// Returns the problems of the text: the validator's, followed by the edge's.
    pub(in crate::pages::documents) fn found(self) -> Vec<Issue> {
        let mut issues = self.issues.get().unwrap_or_default();
        issues.extend(self.edge_issues());
        issues
    }

    /// Returns all problems: of input that is not in the text, and of the text.
    pub(in crate::pages::documents) fn problems(self) -> Vec<Issue> {
        let mut issues = self.unread.get();
        issues.extend(self.found());
        issues
    }

    /// Records the problems that the edge found in a text: its issues, or the field that its message is about.
    pub(in crate::pages::documents) fn edge_says(self, text: String, error: &ApiError) {
        let issues = match error.issues() {
            [] => placed(self.sort, &text, error).into_iter().collect(),
            issues => issues.to_vec(),
        };
        self.edge_issues.set(Some((text, issues)));
    }
}

/// Returns the issue for a refusal that identifies its field only by words.
fn placed(sort: &Sort, text: &str, error: &ApiError) -> Option<Issue> {
    let message = error.to_string();
    let (_, pointer) = *sort
        .refusals
        .iter()
        .find(|(words, _)| message.contains(words))?;
    let document = parse(text).ok()?;
    let span = document.pointer(pointer).unwrap_or(&document).span;
    let lines = LineIndex::new(text);
    Some(Issue {
        pointer: pointer.to_owned(),
        code: IssueCode::Format,
        severity: Severity::Error,
        message,
        start: lines.position(span.start),
        end: lines.position(span.end),
    })
}
