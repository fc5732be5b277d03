//! Problems of a document: collected, located, in document order.
//!
//! A check never stops at its first finding. Every issue gives its location in two forms: a JSON Pointer (RFC 6901) for
//! programs, and line and column for people and editors.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How bad an issue is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document is refused.
    Error,
    /// The document is accepted, but will not have the effect it describes.
    Warning,
    /// A remark that needs no action.
    Info,
}

impl Severity {
    /// Returns its name in JSON.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Info => "info",
        }
    }
}

/// The kind of an issue: a closed list that programs can match on. It is always serialised by name, so a new variant
/// may be inserted anywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", from = "String")]
pub enum IssueCode {
    /// The text is not JSON (RFC 8259).
    Syntax,
    /// Containers nested deeper than [`crate::json::MAX_DEPTH`].
    TooDeep,
    /// The text is longer than the caller's limit.
    TooLarge,
    /// An object has the same member twice.
    DuplicateMember,
    /// A required member is absent, null or empty.
    Required,
    /// A value of the wrong JSON type.
    Type,
    /// A member that is in no type of the specification.
    UnknownMember,
    /// A text that is not one of the allowed values.
    Enum,
    /// A number outside its range.
    Range,
    /// A text in the wrong format: URL, path, host name, address, identifier.
    Format,
    /// Two members, or a member and the gateway's configuration, that exclude each other.
    Conflict,
    /// An expression that grants access and may match anywhere in a path.
    Unanchored,
    /// A member this runtime can never honour.
    Unsupported,
    /// A member that is stored but not acted on yet.
    NotEnforced,
    /// A protection that is not enforced: the API is stored, but not served.
    NotProtected,
    /// A member that would change how a request is handled and has no effect here: the API is stored, but not served.
    NotServed,
    /// A code that only a later release of the gateway knows; its message is all there is to show.
    Other,
}

impl IssueCode {
    /// All codes.
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

    /// Returns its name in JSON.
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

/// A position in a text as editors count: both numbers start at 1, and the column counts UTF-16 code units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Line, starting at 1; `\n`, `\r\n` and a lone `\r` end a line.
    pub line: u32,
    /// Column in UTF-16 code units, starting at 1.
    pub column: u32,
}

/// One problem or remark, at one pointer of a document.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Wire", into = "Wire")]
pub struct Issue {
    /// JSON Pointer (RFC 6901) to the value; "" is the document itself.
    pub pointer: String,
    /// The kind of issue.
    pub code: IssueCode,
    /// How bad it is.
    pub severity: Severity,
    /// A short sentence, without a full stop, that names the remedy.
    pub message: String,
    /// Where it starts.
    pub start: Position,
    /// Where it ends (exclusive).
    pub end: Position,
}

impl Issue {
    /// Whether the document has to be refused because of it.
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

/// An issue as serialised in responses of the administration API.
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
