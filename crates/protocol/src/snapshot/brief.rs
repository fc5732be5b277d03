//! Shortens what a report says about an API, so that any number of faults fits into one row, and any number of rows
//! into one response.

use gatewright_api::shape::{Loaded, Skipped};
use gatewright_model::issue::Issue;

/// The maximum length of a text in a report, in bytes.
const TEXT_MAX: usize = 500;
/// The most issues of an API, and the most bytes of their texts; the first is always included.
const ISSUES_MAX: usize = 20;
const ISSUES_BYTES: usize = 4000;

/// Truncates a text that was not written to be read in full.
pub fn text(text: &mut String) {
    if text.len() > TEXT_MAX {
        text.truncate(text.floor_char_boundary(TEXT_MAX));
        text.push('\u{2026}');
    }
}

/// Truncates the issues. Returns how many there were, if that is more.
fn issues(issues: &mut Vec<Issue>) -> Option<u32> {
    let total = issues.len();
    let mut bytes = 0_usize;
    let mut count = 0_usize;
    for issue in issues.iter_mut().take(ISSUES_MAX) {
        text(&mut issue.pointer);
        text(&mut issue.message);
        let size = issue.pointer.len().saturating_add(issue.message.len());
        bytes = bytes.saturating_add(size);
        if count > 0 && bytes > ISSUES_BYTES {
            break;
        }
        count = count.saturating_add(1);
    }
    issues.truncate(count);
    (count < total).then(|| u32::try_from(total).unwrap_or(u32::MAX))
}

/// Shortens the report about a loaded API.
pub fn loaded(api: &mut Loaded) {
    for field in [
        &mut api.api_id,
        &mut api.name,
        &mut api.listen_path,
        &mut api.domain,
    ] {
        text(field);
    }
    api.warnings_total = issues(&mut api.warnings);
}

/// Shortens the report about a skipped API.
pub fn skipped(api: &mut Skipped) {
    for field in [
        &mut api.api_id,
        &mut api.name,
        &mut api.file,
        &mut api.reason,
    ] {
        text(field);
    }
    api.issues_total = issues(&mut api.issues);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::issue::{IssueCode, Position, Severity};

    fn many(count: usize, pointer: &str) -> Vec<Issue> {
        let issue = Issue {
            pointer: pointer.to_owned(),
            code: IssueCode::UnknownMember,
            severity: Severity::Warning,
            message: "It has no effect".to_owned(),
            start: Position { line: 1, column: 1 },
            end: Position { line: 1, column: 1 },
        };
        vec![issue; count]
    }

    #[test]
    fn few_issues_are_unchanged() {
        let (mut found, whole) = (many(ISSUES_MAX, "/a"), many(ISSUES_MAX, "/a"));
        assert_eq!(issues(&mut found), None);
        assert_eq!(found, whole);
    }

    #[test]
    fn many_are_counted_and_long_ones_cut_between_characters() {
        let mut found = many(ISSUES_MAX + 1, "/a");
        assert_eq!(issues(&mut found), Some(21));
        assert_eq!(found.len(), ISSUES_MAX);
        let mut found = many(ISSUES_MAX, &"\u{20ac}".repeat(1_000_000));
        assert_eq!(issues(&mut found), Some(20));
        assert_eq!(found.len(), 7);
        assert_eq!(found[0].pointer, "\u{20ac}".repeat(166) + "\u{2026}");
    }
}
