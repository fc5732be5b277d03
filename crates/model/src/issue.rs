//! What is wrong with a document: collected, placed, in document order.
//!
//! A check never stops at its first finding. Every issue says where it is in two ways: a JSON
//! Pointer (RFC 6901) for programs and a line and column for people and editors.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted, but does not do what it says.
    Warning,
    /// Worth knowing.
    Info,
}

impl Severity {
    /// The word that stands for it in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// What kind of issue it is: a closed list that programs can match on. It travels by its word wherever it does,
/// so that one more may stand anywhere here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", from = "String")]
pub enum IssueCode {
    /// The text is not JSON (RFC 8259).
    Syntax,
    /// More containers inside each other than [`crate::json::MAX_DEPTH`].
    TooDeep,
    /// The text is longer than the caller's limit.
    TooLarge,
    /// One object names the same member twice.
    DuplicateMember,
    /// A member that has to be there is absent, null or empty.
    Required,
    /// A value of the wrong JSON type.
    Type,
    /// A member that no type of the specification has.
    UnknownMember,
    /// A text that is not an allowed one.
    Enum,
    /// A number outside its range.
    Range,
    /// A text that is not what it has to be: URL, path, host name, address, identifier.
    Format,
    /// Two members, or a member and the gateway, exclude each other.
    Conflict,
    /// An expression that opens something and is found anywhere in a path.
    Unanchored,
    /// A member this runtime can never honour.
    Unsupported,
    /// A member that is kept but not acted on yet.
    NotEnforced,
    /// A protection that is not enforced: the API is kept, but not served.
    NotProtected,
    /// A member that changes what a request does and has no effect here: the API is kept, but not
    /// served.
    NotServed,
    /// One that only a later release of the gateway knows, whose sentence says it all.
    Other,
}

impl IssueCode {
    /// Each of them.
    const ALL: [Self; 17] = [
        Self::Syntax,
        Self::TooDeep,
        Self::TooLarge,
        Self::DuplicateMember,
        Self::Required,
        Self::Type,
        Self::UnknownMember,
        Self::Enum,
        Self::Range,
        Self::Format,
        Self::Conflict,
        Self::Unanchored,
        Self::Unsupported,
        Self::NotEnforced,
        Self::NotProtected,
        Self::NotServed,
        Self::Other,
    ];

    /// The word that stands for it in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::TooDeep => "too_deep",
            Self::TooLarge => "too_large",
            Self::DuplicateMember => "duplicate_member",
            Self::Required => "required",
            Self::Type => "type",
            Self::UnknownMember => "unknown_member",
            Self::Enum => "enum",
            Self::Range => "range",
            Self::Format => "format",
            Self::Conflict => "conflict",
            Self::Unanchored => "unanchored",
            Self::Unsupported => "unsupported",
            Self::NotEnforced => "not_enforced",
            Self::NotProtected => "not_protected",
            Self::NotServed => "not_served",
            Self::Other => "other",
        }
    }
}

impl From<IssueCode> for &'static str {
    fn from(code: IssueCode) -> Self {
        code.as_str()
    }
}

impl From<String> for IssueCode {
    fn from(word: String) -> Self {
        let found = Self::ALL.into_iter().find(|code| code.as_str() == word);
        found.unwrap_or(Self::Other)
    }
}

/// A position in a text as editors count: both numbers begin at 1, the column counts UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, first is 1; `\n`, `\r\n` and a lone `\r` end a line.
    pub line: u32,
    /// Column in UTF-16 code units, first is 1.
    pub column: u32,
}

/// One thing that is wrong, or worth knowing, at one pointer of a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Issue {
    /// JSON Pointer (RFC 6901) to the member; "" is the whole document.
    pub pointer: String,
    /// What kind of issue.
    pub code: IssueCode,
    /// How bad it is.
    pub severity: Severity,
    /// A short sentence without a full stop that names the remedy.
    pub message: String,
    /// Where it begins.
    pub start: Position,
    /// Where it ends (the position behind its last character).
    pub end: Position,
}

impl Issue {
    /// Whether the document has to be refused for it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Issue {
    /// `error at line 4, column 15 (/proxy/listen_path): …`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (severity, Position { line, column }) = (self.severity.as_str(), self.start);
        write!(f, "{severity} at line {line}, column {column}")?;
        if !self.pointer.is_empty() {
            write!(f, " ({})", self.pointer)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// The members of an issue as they stand in answers of the administration API.
#[derive(Serialize, Deserialize)]
struct Wire {
    pointer: String,
    code: IssueCode,
    severity: Severity,
    message: String,
    line: u32,
    column: u32,
    end_line: u32,
    end_column: u32,
}

impl From<Issue> for Wire {
    fn from(issue: Issue) -> Self {
        Self {
            pointer: issue.pointer,
            code: issue.code,
            severity: issue.severity,
            message: issue.message,
            line: issue.start.line,
            column: issue.start.column,
            end_line: issue.end.line,
            end_column: issue.end.column,
        }
    }
}

impl From<Wire> for Issue {
    fn from(wire: Wire) -> Self {
        Self {
            pointer: wire.pointer,
            code: wire.code,
            severity: wire.severity,
            message: wire.message,
            start: Position {
                line: wire.line,
                column: wire.column,
            },
            end: Position {
                line: wire.end_line,
                column: wire.end_column,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::Findings;
    use crate::json::Span;

    #[test]
    fn the_wire_form_is_flat_and_reads_back() {
        let mut findings = Findings::default();
        findings.error(
            IssueCode::TooDeep,
            Span { start: 3, end: 4 },
            "/a".to_owned(),
            "it is deep",
        );
        let issues = findings.into_issues("{\n\"é\"}");
        let text = serde_json::to_string(&issues).unwrap();
        assert_eq!(
            text,
            r#"[{"pointer":"/a","code":"too_deep","severity":"error","message":"it is deep","line":2,"column":2,"end_line":2,"end_column":3}]"#
        );
        assert_eq!(serde_json::from_str::<Vec<Issue>>(&text).unwrap(), issues);
        assert_eq!(
            issues[0].to_string(),
            "error at line 2, column 2 (/a): it is deep"
        );
    }

    #[test]
    fn every_code_is_read_by_its_word() {
        for code in IssueCode::ALL {
            let text = format!("\"{}\"", code.as_str());
            assert_eq!(serde_json::to_string(&code).unwrap(), text);
            assert_eq!(serde_json::from_str::<IssueCode>(&text).unwrap(), code);
        }
        let later: IssueCode = serde_json::from_str("\"of_a_later_release\"").unwrap();
        assert_eq!(later, IssueCode::Other);
    }
}
