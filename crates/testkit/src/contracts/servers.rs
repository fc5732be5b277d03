//! What a third party's server answers in a suite. [`MemoryWeb`](crate::web::MemoryWeb) does so by itself, and a test
//! of the worker reads [`describe`] and starts a server that does.

use serde_json::json;

/// The answer of a server at one path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Page {
    /// The path, without a query.
    pub path: &'static str,
    /// The status.
    pub status: u16,
    /// Names in lower case with their values; a name may occur twice.
    pub headers: &'static [(&'static str, &'static str)],
    /// The body.
    pub body: Body,
}

/// What follows the head of a response, or replaces it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body {
    /// This text.
    Text(&'static str),
    /// This text, compressed with gzip and marked as such.
    Gzip(&'static str),
    /// This many bytes.
    Bytes(usize),
    /// The previous request to the same server, as JSON in the form of
    /// [`Outgoing`](gatewright_controlplane::ports::Outgoing).
    Seen,
    /// An endless stream of bytes.
    Endless,
    /// The start of a body, and then nothing for ever.
    Stuck,
    /// No response at all, not even a head.
    Silent,
    /// The connection is closed instead of a response.
    Reset,
}

/// A text with multi-byte characters, and a line break that editors like to change.
pub const TEXT: &str = "{\"n\": 1.0, \"\u{fc}\": \"\u{1f600}\"}\r\n";

const fn page(path: &'static str, body: Body) -> Page {
    Page {
        path,
        status: 200,
        headers: &[],
        body,
    }
}

/// Every page of a server; any other path is 404.
pub const PAGES: &[Page] = &[
    Page {
        headers: &[("content-type", "application/json; charset=utf-8")],
        ..page("/text", Body::Text(TEXT))
    },
    Page {
        headers: &[
            ("set-cookie", "a=1; Path=/"),
            ("set-cookie", "b=2, with comma"),
            ("x-own", "1"),
        ],
        ..page("/headers", Body::Text("x"))
    },
    page("/gzip", Body::Gzip(TEXT)),
    page("/thousand", Body::Bytes(1000)),
    page("/seen", Body::Seen),
    page("/endless", Body::Endless),
    page("/stuck", Body::Stuck),
    page("/silent", Body::Silent),
    page("/reset", Body::Reset),
    Page {
        status: 302,
        headers: &[("location", "http://elsewhere.example/x?y=1")],
        ..page("/absolute", Body::Text("moved"))
    },
    Page {
        status: 301,
        headers: &[("location", "/text?x=1")],
        ..page("/rooted/here", Body::Text("moved"))
    },
    Page {
        status: 307,
        headers: &[("location", "../text")],
        ..page("/relative/here", Body::Text("moved"))
    },
    Page {
        status: 503,
        ..page("/unavailable", Body::Text("later"))
    },
    Page {
        status: 204,
        ..page("/nothing", Body::Text(""))
    },
];

/// Returns the page at a path, with or without its query.
#[must_use]
pub fn page_of(path: &str) -> Page {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let found = PAGES.iter().find(|page| page.path == path);
    found.copied().unwrap_or(Page {
        status: 404,
        ..page("", Body::Text("not found"))
    })
}

/// Returns all pages as JSON.
#[must_use]
pub fn describe() -> String {
    let pages = PAGES.iter().map(|page| {
        let (kind, body) = match page.body {
            Body::Text(text) => ("text", json!(text)),
            Body::Gzip(text) => ("gzip", json!(text)),
            Body::Bytes(bytes) => ("bytes", json!(bytes)),
            Body::Seen => ("seen", json!(null)),
            Body::Endless => ("endless", json!(null)),
            Body::Stuck => ("stuck", json!(null)),
            Body::Silent => ("silent", json!(null)),
            Body::Reset => ("reset", json!(null)),
        };
        json!({
            "path": page.path,
            "status": page.status,
            "headers": page.headers,
            "kind": kind,
            "body": body,
        })
    });
    json!(pages.collect::<Vec<_>>()).to_string()
}
