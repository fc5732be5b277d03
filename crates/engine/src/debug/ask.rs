//! What `POST /gateway/debug` is asked.

use super::dump;
use crate::error::Error;
use crate::http::Response;
use crate::plane::snapshot::{self, Api};
use gatewright_api::debug::Debugged;
use gatewright_api::message::{REQUEST_MISSING, SPEC_MISSING};
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, Kind, Value};
use gatewright_model::openapi::{self, Options};
use std::rc::Rc;

/// One request, and the API it is for.
pub struct Ask<'a> {
    /// The whole body; places are told in it.
    pub(super) text: &'a str,
    /// Its member `request`.
    pub(super) request: Value<'a>,
    /// The API.
    pub(super) wanted: Wanted,
    /// The hash of the key to send it as.
    pub(super) sent_as: Option<String>,
}

/// Which API.
pub enum Wanted {
    /// The loaded one of this id.
    Loaded(String),
    /// One that was sent along.
    Given(Rc<Api>),
}

impl<'a> Ask<'a> {
    /// Reads a body, `{"request", "spec"}` or with `oas` or `api_id` in the place of `spec`. The inner
    /// `Err` is the answer to a definition that can't be served.
    ///
    /// # Errors
    /// What is wrong with the body (reference 1.8).
    pub fn read(text: &'a str, now_ms: u64) -> Result<Result<Self, Response>, Error> {
        let value = json::parse(text).map_err(Error::Malformed)?;
        let malformed = || Error::Malformed(Vec::new());
        let object = |name| match value.get(name) {
            Some(found) if matches!(found.kind, Kind::Object(_)) => Ok(Some(found)),
            Some(_) => Err(malformed()),
            None => Ok(None),
        };
        let string = |name| match value.get(name) {
            Some(found) => found.as_str().map(Some).ok_or_else(malformed),
            None => Ok(None),
        };
        let (spec, oas, request) = (object("spec")?, object("oas")?, object("request")?);
        let (api_id, hash) = (string("api_id")?, string("key_hash")?);
        let missing = |text: &str| Error::Refused(400, text.to_owned());
        let definition = match (spec, oas, api_id) {
            (Some(spec), ..) => Some(Ok(spec.span.of(text).to_owned())),
            (None, Some(oas), _) => Some(imported(oas.span.of(text))),
            (None, None, Some(_)) => None,
            (None, None, None) => return Err(missing(SPEC_MISSING)),
        };
        let request = request.ok_or_else(|| missing(REQUEST_MISSING))?.clone();
        let given = definition.map(|definition| definition.and_then(|text| given(&text)));
        let wanted = match given {
            Some(Ok(api)) => Wanted::Given(Rc::new(api)),
            Some(Err((reason, issues))) => return Ok(Err(unloadable(now_ms, &reason, issues))),
            None => Wanted::Loaded(api_id.unwrap_or_default().to_owned()),
        };
        Ok(Ok(Self {
            text,
            request,
            wanted,
            sent_as: hash.filter(|hash| !hash.is_empty()).map(str::to_owned),
        }))
    }
}

type Fault = (String, Vec<Issue>);

/// The definition that an OpenAPI document becomes.
fn imported(text: &str) -> Result<String, Fault> {
    let imported = openapi::import(text, &Options::default());
    let imported = imported.map_err(|issues| ("The OpenAPI document is broken".to_owned(), issues));
    imported.map(|import| import.definition)
}

/// An API as a reload would load it.
fn given(text: &str) -> Result<Api, Fault> {
    let (_, issues) = snapshot::check(text)?;
    let value = json::parse(text).map_err(|issues| (String::new(), issues))?;
    let api = Api::read(&value, 0);
    api.ok_or_else(|| ("The definition has no target".to_owned(), issues))
}

/// Reference 1.8: 400 with the reason in the logs.
fn unloadable(now_ms: u64, reason: &str, issues: Vec<Issue>) -> Response {
    let body = Debugged {
        message: "error".to_owned(),
        logs: dump::fault(now_ms, reason),
        issues,
        ..Debugged::default()
    };
    Response::json(400, &body)
}
