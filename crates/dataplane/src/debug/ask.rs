//! What `POST /gateway/debug` is asked.

use super::{Error, dump};
use crate::chain::Settings;
use crate::snapshot::Api;
use gatewright_api::debug::Debugged;
use gatewright_api::message::{REQUEST_MISSING, SPEC_MISSING};
use gatewright_model::issue::Issue;
use gatewright_model::json::{self, Kind, Value};
use gatewright_model::openapi::{self, Options};
use gatewright_protocol::http::Response;
use gatewright_protocol::snapshot::check;
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
    pub fn read(
        text: &'a str,
        now_ms: u64,
        settings: &Settings,
    ) -> Result<Result<Self, Response>, Error> {
        let value = json::parse(text).map_err(Error::Malformed)?;
        let wrong = value.members().iter().any(|member| {
            let kind = &member.value.kind;
            match &*member.name {
                "spec" | "oas" | "request" => !matches!(kind, Kind::Object(_) | Kind::Null),
                "api_id" | "key_hash" => !matches!(kind, Kind::String(_) | Kind::Null),
                _ => false,
            }
        });
        if wrong {
            return Err(Error::Malformed(Vec::new()));
        }
        let missing = |text: &str| Error::Refused(400, text.to_owned());
        let (spec, oas) = (value.get("spec"), value.get("oas"));
        let definition = spec.or(oas).map(|found| found.span.of(text));
        let api_id = value.str("api_id");
        if definition.is_none() && api_id.is_none() {
            return Err(missing(SPEC_MISSING));
        }
        let request = value.get("request");
        let request = request.ok_or_else(|| missing(REQUEST_MISSING))?.clone();
        let wanted = match definition.map(|text| given(text, spec.is_none(), settings)) {
            Some(Ok(api)) => Wanted::Given(Rc::new(api)),
            Some(Err(fault)) => return Ok(Err(unloadable(now_ms, fault))),
            None => Wanted::Loaded(api_id.unwrap_or_default().to_owned()),
        };
        let hash = value.str("key_hash").filter(|hash| !hash.is_empty());
        Ok(Ok(Self {
            text,
            request,
            wanted,
            sent_as: hash.map(str::to_owned),
        }))
    }
}

type Fault = (String, Vec<Issue>);

/// An API as a reload would load it; from an OpenAPI document, as it would be imported.
fn given(text: &str, openapi: bool, settings: &Settings) -> Result<Api, Fault> {
    let broken = |issues| ("The document is broken".to_owned(), issues);
    let definition = match openapi {
        true => {
            openapi::import(text, &Options::default())
                .map_err(broken)?
                .definition
        }
        false => text.to_owned(),
    };
    check(&definition, &settings.allowed)?;
    let value = json::parse(&definition).map_err(broken)?;
    Ok(Api::read(&value, 0, settings))
}

/// Reference 1.8: 400 with the reason in the logs.
fn unloadable(now_ms: u64, (reason, issues): Fault) -> Response {
    let body = Debugged {
        message: "error".to_owned(),
        logs: dump::fault(now_ms, &reason),
        issues,
        ..Debugged::default()
    };
    Response::json(400, &body)
}
