//! The client of the administration API and of the dashboard API: one function per endpoint, and the only user of
//! gloo-net.
//!
//! Requests go to the console's own origin, with the session cookie and a header that marks them as the console's. The
//! secret and the dashboard token travel once, to sign in. Bodies are text in both directions: a definition never
//! becomes a JavaScript value, which would change its numbers. Dropping a call's future aborts its request.

pub mod access;
#[cfg(all(test, target_arch = "wasm32"))]
#[allow(clippy::unwrap_used, reason = "a test may fail loudly")]
mod agreement;
pub mod backup;
pub mod certificates;
pub mod chain;
pub mod dashboard;
pub mod debug;
mod endpoints;
pub mod error;
pub mod figures;
mod first;
pub mod group;
pub mod oauth;
pub mod read;
pub mod types;
pub mod upstreams;
pub mod versions;

use futures_util::future::{Either, select};
use gloo_net::http::{Method, RequestBuilder, Response};
use web_sys::AbortController;

pub use endpoints::{api_path, written_path};
pub use error::{ApiError, Refused};
pub use read::{issues, issues_of};
pub use types::{
    BatchAnswer, Document, Fetched, Modified, PastGeneration, PastGenerations, Pending,
    ReloadStatus, Revision, Revisions, Skipped, Summary, SummaryPage,
};

use std::future::Future;
use std::pin::Pin;

use gatewright_model::json::parse;
use read::Read;

use crate::state::link::Link;
use crate::state::session::{Key, Session};
use crate::state::task::pause;

/// The header that carries the secret when signing in.
pub const SECRET_HEADER: &str = "X-Gateway-Authorization";
/// The header without which the gateway ignores the session cookie.
pub const CONSOLE_HEADER: &str = "X-Gateway-Console";

/// How long a reading call waits for the beginning of its response. Writes wait as long as it takes: nobody could say
/// whether one that was broken off took effect.
const PATIENCE_MS: i32 = 8000;

/// The client. It reads the session on each call and reports what it learns about the connection.
#[derive(Clone, Copy)]
pub struct Api {
    session: Session,
    link: Link,
}

/// A request that has not been sent yet.
struct Call {
    method: Method,
    path: String,
    headers: Vec<(&'static str, String)>,
    body: Option<String>,
}

impl Call {
    fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            headers: Vec::new(),
            body: None,
        }
    }

    fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path)
    }

    fn post(path: impl Into<String>) -> Self {
        Self::new(Method::POST, path)
    }

    /// The credential that the API of this call requires.
    fn key(&self) -> Key {
        if self.path.starts_with("/api/") {
            Key::Token
        } else {
            Key::Secret
        }
    }

    fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn json(mut self, body: &str) -> Self {
        self.body = Some(body.to_owned());
        self.header("Content-Type", "application/json")
    }
}

/// A successful response with its text read.
struct Answer {
    text: String,
    etag: String,
    pending: bool,
    base_api: Option<String>,
    request_id: Option<String>,
}

impl Answer {
    fn read<T: Read>(&self) -> Result<T, ApiError> {
        let read = match parse(&self.text) {
            Ok(value) => T::read(&value).map_err(|member| format!("{member} is missing")),
            Err(_) => Err("it is not JSON".to_owned()),
        };
        read.map_err(|what| ApiError::Unreadable {
            what,
            request_id: self.request_id.clone(),
        })
    }

    fn document(self) -> Document {
        Document {
            text: self.text,
            etag: self.etag,
            pending: self.pending,
            base_api: self.base_api,
        }
    }

    fn modified(self) -> Result<Modified, ApiError> {
        Ok(Modified {
            etag: self.etag.clone(),
            ..self.read()?
        })
    }
}

impl Api {
    /// Creates a client for one session.
    #[must_use]
    pub fn new(session: Session, link: Link) -> Self {
        Self { session, link }
    }

    /// Boxed, so that its content is compiled once and not into every endpoint.
    fn send(self, call: Call) -> Answering {
        Box::pin(async move {
            let key = call.key();
            if !self.session.has_untracked(key) {
                return Err(ApiError::without(key));
            }
            let outcome = self.send_anyway(call).await;
            if matches!(&outcome, Err(error) if *error == ApiError::without(key)) {
                self.session.reject(key);
            }
            outcome
        })
    }

    /// Sends a call that needs no credential, or that signs in or out.
    fn send_anyway(self, call: Call) -> Answering {
        Box::pin(async move {
            let outcome = exchange(call).await;
            let lost = outcome
                .as_ref()
                .err()
                .is_some_and(ApiError::is_of_connection);
            self.link.record(!lost);
            outcome
        })
    }

    /// Sends a call whose response is read as it arrives; the caller keeps the [`Abort`] until then.
    async fn open(self, call: Call) -> Result<(Response, Option<Abort>), ApiError> {
        let key = call.key();
        if !self.session.has_untracked(key) {
            return Err(ApiError::without(key));
        }
        let answer = open(call).await;
        let lost = answer
            .as_ref()
            .err()
            .is_some_and(ApiError::is_of_connection);
        self.link.record(!lost);
        if matches!(&answer, Err(error) if *error == ApiError::without(key)) {
            self.session.reject(key);
        }
        answer
    }
}

type Answering = Pin<Box<dyn Future<Output = Result<Answer, ApiError>>>>;

/// Aborts the request when the future waiting for it is dropped.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        // Does nothing once the response has been read.
        self.0.abort();
    }
}

async fn exchange(call: Call) -> Result<Answer, ApiError> {
    let key = call.key();
    let reads = matches!(call.method, Method::GET);
    let sent = match reads && call.headers.is_empty() {
        true => first::take(&call.path),
        false => None,
    };
    let begun: Beginning = match sent {
        Some(sent) => Box::pin(async move {
            let response = sent.await.map_err(|_| ApiError::Unreachable)?;
            Ok((Response::from(web_sys::Response::from(response)), None))
        }),
        None => Box::pin(begin(call)),
    };
    let begun = match reads {
        false => begun.await,
        // Dropping the request aborts it.
        true => match select(begun, pause(PATIENCE_MS)).await {
            Either::Left((begun, _)) => begun,
            Either::Right(_) => Err(ApiError::Silent),
        },
    };
    let (response, _abort) = begun?;
    read(response, key).await
}

type Beginning = Pin<Box<dyn Future<Output = Result<(Response, Option<Abort>), ApiError>>>>;

async fn open(call: Call) -> Result<(Response, Option<Abort>), ApiError> {
    let key = call.key();
    let (response, abort) = begin(call).await?;
    if response.ok() {
        return Ok((response, abort));
    }
    Err(read(response, key)
        .await
        .err()
        .unwrap_or(ApiError::Unreachable))
}

async fn begin(call: Call) -> Result<(Response, Option<Abort>), ApiError> {
    let key = call.key();
    let abort = Abort(AbortController::new().map_err(|_| ApiError::Unreachable)?);
    let mut request = RequestBuilder::new(&call.path)
        .method(call.method)
        .abort_signal(Some(&abort.0.signal()));
    for (name, value) in &call.headers {
        request = request.header(name, value);
    }
    request = request.header(CONSOLE_HEADER, "1");
    let request = match call.body {
        Some(body) => request.body(body),
        None => request.build(),
    };
    // A credential that is no valid header value counts as a wrong one.
    let response = request
        .map_err(|_| ApiError::without(key))?
        .send()
        .await
        .map_err(|_| ApiError::Unreachable)?;
    Ok((response, Some(abort)))
}

async fn read(response: Response, key: Key) -> Result<Answer, ApiError> {
    let headers = response.headers();
    let request_id = headers.get("x-request-id");
    let text = response.text().await.map_err(|_| ApiError::Unreachable)?;
    if response.ok() {
        return Ok(Answer {
            etag: headers.get("etag").unwrap_or_default(),
            pending: headers
                .get("x-gateway-reload-pending")
                .is_some_and(|value| value == "true"),
            base_api: headers.get("x-gateway-base-api-id"),
            text,
            request_id,
        });
    }
    // A response that isn't the gateway's (a proxy's page) has no message; its status says enough.
    let refusal = parse(&text)
        .ok()
        .and_then(|value| match key {
            Key::Secret => types::Refusal::read(&value).ok(),
            Key::Token => dashboard::refusal(&value).ok(),
        })
        .unwrap_or_default();
    let refused = Refused {
        status: response.status(),
        message: refusal.message,
        issues: refusal.issues,
        request_id: request_id.or(refusal.request_id),
    };
    Err(ApiError::of(key, refused))
}
