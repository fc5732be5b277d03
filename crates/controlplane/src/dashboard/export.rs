//! The audit trail as a file: CSV (RFC 4180) or JSON.
//!
//! The file has all matching entries, fetched page by page from the Registry, up to [`MAX_ROWS`] rows and [`MAX_BYTES`]
//! bytes, because it is built in an isolate's memory. A truncated file says so, and where to continue.

use super::Call;
use super::error::{Error, refused, unexpected};
use crate::ports::Platform;
use gatewright_api::dashboard::shape::AuditEntry;
use gatewright_protocol::http::Response;
use gatewright_protocol::records::{Answer, AuditFilter, RecordCommand};
use serde::Serialize;

/// The maximum number of rows in a file.
const MAX_ROWS: usize = 100_000;
/// The approximate maximum size of a file in bytes; an isolate has 128 MB, and holds the text twice while sending it.
const MAX_BYTES: usize = 16 * 1024 * 1024;
/// Rows requested from the Registry at once.
const PAGE: u32 = 1000;

const COLUMNS: &str =
    "seq,at,org_id,actor,action,subject,id,name,before,after,ip_address,user_agent,request_id\r\n";

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// Comma-separated values, with a header.
    Csv,
    /// The form of `GET /api/audit`, one entry per line.
    Json,
}

impl Format {
    /// Parses the format from a query parameter.
    pub(super) fn of(text: &str) -> Result<Option<Self>, Error> {
        match text {
            "" => Ok(None),
            "csv" => Ok(Some(Self::Csv)),
            "json" => Ok(Some(Self::Json)),
            _ => Err(refused(400, "The query parameter format takes csv or json")),
        }
    }
}

/// Returns everything that matches a filter as a file. The filter's limit is ignored.
pub(super) async fn download<P: Platform>(
    call: &Call<'_, P>,
    mut filter: AuditFilter,
    format: Format,
) -> Result<Response, Error> {
    filter.limit = PAGE;
    let mut file = File::new(format);
    loop {
        let page = match call.ask(RecordCommand::Audit(filter.clone()), "").await? {
            (Answer::Audit(page), _) => page,
            _ => return Err(unexpected()),
        };
        for entry in &page.entries {
            file.add(entry)?;
            if file.is_full() {
                return Ok(file.close(Some(entry.seq)));
            }
        }
        match page.next {
            None => return Ok(file.close(None)),
            next => filter.before = next,
        }
    }
}

/// A file that is being written.
struct File {
    format: Format,
    text: String,
    rows: usize,
}

impl File {
    fn new(format: Format) -> Self {
        let text = match format {
            Format::Csv => COLUMNS,
            Format::Json => "{\"entries\":[",
        };
        Self {
            format,
            text: text.to_owned(),
            rows: 0,
        }
    }

    fn is_full(&self) -> bool {
        self.rows >= MAX_ROWS || self.text.len() >= MAX_BYTES
    }

    fn add(&mut self, entry: &AuditEntry) -> Result<(), Error> {
        match self.format {
            Format::Csv => self.text.push_str(&record(entry)),
            Format::Json => {
                let line = serde_json::to_string(entry).map_err(|_| unexpected())?;
                self.text
                    .push_str(if self.rows == 0 { "\n" } else { ",\n" });
                self.text.push_str(&line);
            }
        }
        self.rows = self.rows.saturating_add(1);
        Ok(())
    }

    /// Finishes the file as a response; `next` is the `before` parameter for the remaining entries, if there may be
    /// any.
    fn close(mut self, next: Option<u64>) -> Response {
        let (media, name) = match self.format {
            Format::Csv => ("text/csv; charset=utf-8; header=present", "audit.csv"),
            Format::Json => ("application/json", "audit.json"),
        };
        match (self.format, next) {
            (Format::Json, next) => {
                let next = next.map_or_else(|| "null".to_owned(), |next| next.to_string());
                self.text.push_str(&format!("\n],\"next\":{next}}}\n"));
            }
            (Format::Csv, None) => {}
            (Format::Csv, Some(next)) => {
                let rows = self.rows;
                let note = format!("Cut after {rows} rows: ask again with before={next}");
                self.text.push_str(&format!(",,,,,,,{note},,,,,\r\n"));
            }
        }
        Response {
            status: 200,
            headers: vec![("content-type", media.to_owned())],
            body: self.text,
            ..Response::default()
        }
        .with(
            "content-disposition",
            format!("attachment; filename=\"{name}\""),
        )
    }
}

/// Formats an entry as a line of CSV.
fn record(entry: &AuditEntry) -> String {
    let number = |number: Option<u64>| number.map(|it| it.to_string()).unwrap_or_default();
    let text = |text: &Option<String>| text.as_deref().map(cell).unwrap_or_default();
    let cells = [
        entry.seq.to_string(),
        cell(&entry.at),
        cell(&entry.org_id),
        cell(&entry.actor),
        cell(&word(&entry.action)),
        cell(&word(&entry.subject)),
        cell(&entry.id),
        cell(&entry.name),
        number(entry.before),
        number(entry.after),
        text(&entry.ip_address),
        text(&entry.user_agent),
        text(&entry.request_id),
    ];
    cells.join(",") + "\r\n"
}

/// Returns the word that represents a value in JSON.
fn word<T: Serialize>(value: &T) -> String {
    let value = serde_json::to_value(value).unwrap_or_default();
    value.as_str().unwrap_or_default().to_owned()
}

/// Formats a cell: quoted where RFC 4180 requires it, and with a leading apostrophe if a spreadsheet would read it as a
/// formula (ASVS 1.2.10).
fn cell(text: &str) -> String {
    let formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '\0']);
    let safe = if formula {
        format!("'{text}")
    } else {
        text.to_owned()
    };
    if safe.contains(['"', ',', '\r', '\n']) {
        format!("\"{}\"", safe.replace('"', "\"\""))
    } else {
        safe
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_and_never_formulas() {
        for (text, expected) in [
            ("plain", "plain"),
            ("a,b", "\"a,b\""),
            ("say \"x\"", "\"say \"\"x\"\"\""),
            ("=1+1", "'=1+1"),
            ("+1", "'+1"),
            ("-1", "'-1"),
            ("@SUM(A1)", "'@SUM(A1)"),
            ("\tx", "'\tx"),
            ("\0=1", "'\0=1"),
            ("\rx", "\"'\rx\""),
            (
                "=HYPERLINK(\"a\",\"b\")",
                "\"'=HYPERLINK(\"\"a\"\",\"\"b\"\")\"",
            ),
            ("a=b", "a=b"),
        ] {
            assert_eq!(cell(text), expected, "{text:?}");
        }
    }

    #[test]
    fn truncated_file_says_so() {
        let mut csv = File::new(Format::Csv);
        csv.rows = MAX_ROWS;
        assert!(csv.is_full());
        let text = csv.close(Some(7)).body;
        assert!(text.ends_with(",,,,,,,Cut after 100000 rows: ask again with before=7,,,,,\r\n"));
        let json = File::new(Format::Json).close(Some(7)).body;
        assert_eq!(json, "{\"entries\":[\n],\"next\":7}\n");
    }
}
