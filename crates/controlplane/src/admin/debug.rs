//! One request through the chain (reference 1.8). The request is checked here, and so is a definition sent with it: the
//! data plane only reads what a reload would load.

use super::replies::unexpected;
use super::{body, lacking, may, oas, reload};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::dashboard::{Access, Part};
use gatewright_api::debug::Debugged;
use gatewright_api::message::{REQUEST_MISSING, SPEC_MISSING};
use gatewright_model::issue::{Issue, IssueCode};
use gatewright_model::json::{self, Kind, Member, edit, quote};
use gatewright_model::openapi::task::Call;
use gatewright_model::openapi::{DocumentKind, Options, stored};
use gatewright_protocol::debug::HIDES_VALUES;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::snapshot::check;
use std::borrow::Cow;

/// `POST /gateway/debug`.
pub(super) async fn debug<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let body = body(request)?;
    let asked = read(body)?;
    if asked.names_key && !may(request, Part::Keys, Access::Read) {
        let why = ", because /key_hash names a stored one";
        return Err(lacking(Part::Keys, Access::Read, why));
    }
    // Its upstream may be any address that the gateway reaches, and it may use stored certificates: whoever tries it
    // needs the right with which it could be stored.
    if asked.given.is_some() && !may(request, Part::Apis, Access::Write) {
        let why = ", because the definition to try is sent along";
        return Err(lacking(Part::Apis, Access::Write, why));
    }
    let given = asked.given;
    let is_spec = matches!(given, Some(GivenDefinition::Spec(_)));
    let definition = given.map(|given| given.definition(platform));
    let definition = match definition.transpose() {
        Ok(definition) => definition,
        // The family reads the definition together with the body.
        Err((_, issues)) if is_spec && issues.iter().any(is_of_wrong_type) => {
            return Err(Error::Malformed(issues));
        }
        Err(fault) => return Ok(unloadable(&platform.now(), fault)),
    };
    // Rules may set headers to secrets, which only those who may write the definition see in it.
    let body = match may(request, Part::Apis, Access::Write) {
        true => Cow::Borrowed(body),
        false => {
            let hiding = edit::set(body, &format!("/{HIDES_VALUES}"), "true");
            Cow::Owned(hiding.map_err(|_| unexpected())?)
        }
    };
    let answer = platform.debug(&body, definition.as_deref()).await;
    let Err(Error::Refused(404, message)) = answer else {
        return answer;
    };
    Err(reload::not_loaded(platform, &message, &asked.api_id).await)
}

/// The parsed body.
struct DebugBody<'a> {
    /// The definition to send the request to.
    given: Option<GivenDefinition<'a>>,
    /// The loaded API to send the request to, if the body has no definition.
    api_id: String,
    /// Whether the request is to be sent with a stored key.
    names_key: bool,
}

/// The text of a definition that was sent.
enum GivenDefinition<'a> {
    /// A classic definition.
    Spec(&'a str),
    /// An OpenAPI document.
    OpenApi(&'a str),
}

/// Parses a body: `{"request", "spec"}`, or `oas` or `api_id` instead of `spec`. The errors are those of reference 1.8.
fn read(text: &str) -> Result<DebugBody<'_>, Error> {
    let value = json::parse(text).map_err(Error::Malformed)?;
    let is_object = matches!(value.kind, Kind::Object(_) | Kind::Null);
    if !is_object || value.members().iter().any(is_of_another_kind) {
        return Err(Error::Malformed(Vec::new()));
    }
    let missing = |text: &str| Error::refused(400, text);
    let text_of = |name: &str| value.get(name).map(|found| found.span.of(text));
    let given = match (text_of("spec"), text_of("oas")) {
        (Some(spec), _) => Some(GivenDefinition::Spec(spec)),
        (None, oas) => oas.map(GivenDefinition::OpenApi),
    };
    let api_id = value.str("api_id");
    if given.is_none() && api_id.is_none() {
        return Err(missing(SPEC_MISSING));
    }
    if value.get("request").is_none() {
        return Err(missing(REQUEST_MISSING));
    }
    let api_id = api_id.unwrap_or_default().to_owned();
    let names_key = value.str("key_hash").is_some_and(|hash| !hash.is_empty());
    Ok(DebugBody {
        given,
        api_id,
        names_key,
    })
}

fn is_of_another_kind(member: &Member<'_>) -> bool {
    let kind = &member.value.kind;
    match &*member.name {
        "spec" | "oas" | "request" => !matches!(kind, Kind::Object(_) | Kind::Null),
        "api_id" | "key_hash" => !matches!(kind, Kind::String(_) | Kind::Null),
        _ => false,
    }
}

fn is_of_wrong_type(issue: &Issue) -> bool {
    issue.code == IssueCode::Type
}

/// Why a definition can't be served: a message, and the issues with their pointers.
type Fault = (String, Vec<Issue>);

impl GivenDefinition<'_> {
    /// Returns the classic definition, if a reload would load it; for an OpenAPI document, the definition it is
    /// compiled to, or imported as if it has no extension.
    fn definition<P: Platform>(self, platform: &P) -> Result<String, Fault> {
        let broken = |issues| ("The document is broken".to_owned(), issues);
        let definition = match self {
            Self::Spec(text) => text.to_owned(),
            Self::OpenApi(text) => {
                let has_extension =
                    json::parse(text).is_ok_and(|value| stored::extension(&value).is_some());
                let call = match has_extension {
                    true => Call::Compile(DocumentKind::Oas),
                    false => Call::Import(Options::default()),
                };
                match oas::definition(platform, &call, text) {
                    Ok((definition, _)) => definition,
                    Err(Error::Unreadable(_, _, issues)) => return Err(broken(issues)),
                    Err(_) => return Err(broken(Vec::new())),
                }
            }
        };
        check(&definition, &platform.allowed())?;
        Ok(definition)
    }
}

/// Builds the response for a definition that can't be loaded. Reference 1.8: 400 with the reason in the logs.
fn unloadable(now: &str, (reason, issues): Fault) -> Response {
    let (reason, now) = (quote(&reason), quote(now));
    let body = Debugged {
        message: "error".to_owned(),
        logs: format!("{{\"level\":\"error\",\"msg\":{reason},\"time\":{now}}}\n"),
        issues,
        ..Debugged::default()
    };
    Response::json(400, &body)
}
