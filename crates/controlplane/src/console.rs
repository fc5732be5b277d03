//! The console's sign-ins: `/console/session`, and the sign-in that any other request carries.
//!
//! The promise: a cookie opens nothing unless the request carries the console's own header and the browser reports that
//! it comes from the console's origin, so no foreign page can use it (attack A13); the cookie is out of reach of
//! scripts and of other hosts; and a request with a credential is judged by that alone, except for the request that
//! signs in, which adds the credential to the existing sign-in.

use crate::admin;
use crate::dashboard;
use crate::error::Error;
use crate::ports::Platform;
use crate::registry::credentials::{DASHBOARD_ACTOR, hash};
use gatewright_api::dashboard::{Access, Parts};
use gatewright_api::message::{CONSOLE_HEADER, SECRET_HEADER, SIGNED_OUT, StatusMessage};
use gatewright_protocol::caller::{Caller, GATEWAY_ACTOR};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use gatewright_protocol::sign_in::{Shown, SignInAct, SignInAsk, SignedIn};
use serde_json::json;

/// The cookie for pages served over HTTPS: no other host can set it (RFC 6265bis section 4.1.3.2).
const HOST_COOKIE: &str = "__Host-gateway-session";
/// The cookie for pages served over HTTP, as on one's own machine.
const COOKIE: &str = "gateway-session";
/// The length of a cookie's value in characters: 256 random bits.
const COOKIE_LENGTH: usize = 43;

/// Finds out who sends a request, and notes it in the request. Without a credential it is whoever the console's cookie
/// belongs to, unless another page may have sent the request. With a token at the administration API, it is the token's
/// owner; at the other endpoints, the credential is looked up later.
///
/// # Errors
/// If the Registry can't be reached.
pub async fn identify<P: Platform>(platform: &P, request: &mut Request) -> Result<(), StoreError> {
    if request.header(SECRET_HEADER).is_some() {
        return Ok(());
    }
    if request.header("authorization").is_none() {
        if is_from_console(platform, request) {
            request.signed_in = current_sign_in(platform, request).await?;
        }
        return Ok(());
    }
    if admin::is_inside(request)
        && let Some(Caller::Hash(token)) = dashboard::caller(platform, request)
    {
        let shown = Shown {
            token: Some(token),
            ..Shown::default()
        };
        request.signed_in = ask(platform, SignInAct::Admit, "", shown, "").await?;
    }
    Ok(())
}

/// Handles a request to `/console/session`: `GET` returns who is signed in, `POST` signs in with the credentials it
/// carries, `DELETE` signs out. Also returns the storage error, if there was one, for the log.
pub async fn handle<P: Platform>(platform: &P, request: &Request) -> (Response, Option<Error>) {
    admin::settle(request, answer(platform, request).await)
}

async fn answer<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    if !is_from_console(platform, request) {
        let text = format!(
            "Only the console is answered here, with the header {CONSOLE_HEADER}: 1 and from its own origin"
        );
        return Err(Error::Refused(403, text));
    }
    match request.method.as_str() {
        "GET" => Ok(match current_sign_in(platform, request).await? {
            Some(signed_in) => described(platform, &signed_in),
            None => signed_out(platform, request),
        }),
        "POST" => begin(platform, request).await,
        "DELETE" => end(platform, request).await,
        _ => Err(Error::Method(vec!["GET", "POST", "DELETE"])),
    }
}

/// Whether a request comes from the console's own pages, at its own host. The host matters because cookies ignore
/// ports: where console and gateway differ only in the port, the gateway serves pages of upstreams under the same
/// cookies. A page of another origin can't send the header without a CORS preflight, which is never granted; and
/// browsers report where a request comes from in `Sec-Fetch-Site`, or otherwise, except for read requests, in `Origin`.
fn is_from_console<P: Platform>(platform: &P, request: &Request) -> bool {
    let own = host(&request.origin);
    let mut hosts = platform.environment().console_hosts.iter();
    own.is_some_and(|own| hosts.any(|host| host == own)) && is_same_origin(request)
}

fn is_same_origin(request: &Request) -> bool {
    let site = request.header("sec-fetch-site");
    let is_own = match (site, request.header("origin")) {
        (Some(site), _) => site == "same-origin",
        // Only the host is compared: behind a TLS terminator the scheme differs from the page's.
        (None, Some(origin)) => host(origin) == host(&request.origin),
        (None, None) => matches!(request.method.as_str(), "GET" | "HEAD"),
    };
    is_own && request.header(CONSOLE_HEADER) == Some("1")
}

fn host(origin: &str) -> Option<&str> {
    origin.split_once("://").map(|(_, host)| host)
}

/// Returns the name for a new cookie. The origin shows whether the page was served over HTTPS, even where TLS is
/// terminated before the gateway.
fn cookie_name(request: &Request) -> &'static str {
    let origins = [Some(request.origin.as_str()), request.header("origin")];
    let mut origins = origins.into_iter().flatten();
    match origins.any(|origin| origin.starts_with("https://")) {
        true => HOST_COOKIE,
        false => COOKIE,
    }
}

/// Returns the name and the value of the cookie. Over HTTPS only the cookie that no other host can set counts.
fn cookie(request: &Request) -> Option<(&'static str, &str)> {
    let sent = request.header("cookie")?;
    let named = |name: &'static str| {
        let mut pairs = sent
            .split(';')
            .filter_map(|pair| pair.trim().split_once('='));
        let (_, text) = pairs.find(|(own, _)| *own == name)?;
        (text.len() == COOKIE_LENGTH).then_some((name, text))
    };
    let is_plain = !request.origin.starts_with("https://");
    named(HOST_COOKIE).or_else(|| is_plain.then(|| named(COOKIE))?)
}

/// Returns the `Set-Cookie` header that sets a cookie, or removes it if there is no value.
fn set_cookie(name: &str, text: Option<&str>) -> String {
    let secure = if name == HOST_COOKIE { "; Secure" } else { "" };
    let (text, age) = text.map_or(("", "; Max-Age=0"), |text| (text, ""));
    format!("{name}={text}; Path=/{age}; HttpOnly; SameSite=Strict{secure}")
}

/// Returns the same response, which also removes the cookie that the request carried.
fn without_cookie(answer: Response, request: &Request) -> Response {
    match cookie(request) {
        Some((name, _)) => answer.with("set-cookie", set_cookie(name, None)),
        None => answer,
    }
}

/// Returns a hash that binds a secret to the value of a cookie.
fn proof(cookie: &str, kind: &str, secret: Option<&str>) -> Option<String> {
    secret.map(|secret| hash(&format!("{cookie}\n{kind}\n{secret}")))
}

/// Returns the hashes that bind the current secrets to the value of a cookie.
fn current_proofs<P: Platform>(platform: &P, cookie: &str) -> Shown {
    Shown {
        gateway: proof(cookie, GATEWAY_ACTOR, admin::secret(platform)),
        root: proof(cookie, DASHBOARD_ACTOR, dashboard::root_token(platform)),
        token: None,
    }
}

async fn ask<P: Platform>(
    platform: &P,
    act: SignInAct,
    cookie: &str,
    shown: Shown,
    console: &str,
) -> Result<Option<SignedIn>, StoreError> {
    let ask = SignInAsk {
        act,
        hash: hash(cookie),
        shown,
        console: console.to_owned(),
    };
    match platform.call(&Command::SignIn(ask), "").await? {
        (Reply::SignedIn(signed_in), _) => Ok(Some(signed_in)),
        (Reply::Json | Reply::Refused(Refusal::NotFound), _) => Ok(None),
        _ => Err(StoreError::new("registry", "an answer to something else")),
    }
}

/// Returns the sign-in that a request carries.
async fn current_sign_in<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Option<SignedIn>, StoreError> {
    let Some((_, cookie)) = cookie(request) else {
        return Ok(None);
    };
    let shown = current_proofs(platform, cookie);
    let mut found = ask(platform, SignInAct::Look, cookie, shown, "").await?;
    if let Some(signed_in) = &mut found {
        signed_in.hash = hash(cookie);
    }
    Ok(found)
}

/// Creates a sign-in from the credentials of a request and those of the sign-in it carries, which it replaces. The
/// cookie is always new, so nobody can have known it before (ASVS 7.2.4).
async fn begin<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    let has_secret = request.header(SECRET_HEADER).is_some();
    let caller = dashboard::caller(platform, request);
    if has_secret && !admin::is_authorised(platform, request) {
        return Err(Error::Forbidden);
    }
    if !has_secret && caller.is_none() {
        let text = format!("Sign in with {SECRET_HEADER}, Authorization: Bearer …, or both");
        return Err(Error::Refused(400, text));
    }
    let before = current_sign_in(platform, request)
        .await?
        .unwrap_or_default();
    let fresh = platform.random_token();
    let now = current_proofs(platform, &fresh);
    let is_given = caller.is_some();
    let caller = caller.or(before.dashboard);
    let shown = Shown {
        gateway: now.gateway.filter(|_| has_secret || before.gateway),
        root: now.root.filter(|_| caller == Some(Caller::Root)),
        token: match caller {
            Some(Caller::Hash(hash)) => Some(hash),
            _ => None,
        },
    };
    let at = host(&request.origin).unwrap_or_default();
    let Some(signed_in) = ask(platform, SignInAct::Begin, &fresh, shown, at).await? else {
        let text = match is_given {
            true => "The token is unknown, has expired or was revoked",
            false => "What was signed in with before counts no more",
        };
        return Err(Error::refused(401, text));
    };
    if let Some((_, cookie)) = cookie(request) {
        ask(platform, SignInAct::End, cookie, Shown::default(), "").await?;
    }
    let answer = described(platform, &signed_in);
    let cookie = set_cookie(cookie_name(request), Some(&fresh));
    Ok(answer.with("set-cookie", cookie))
}

async fn end<P: Platform>(platform: &P, request: &Request) -> Result<Response, Error> {
    if let Some((_, cookie)) = cookie(request) {
        let act = match request.flag("everywhere") {
            true => SignInAct::EndAll,
            false => SignInAct::End,
        };
        let at = host(&request.origin).unwrap_or_default();
        ask(platform, act, cookie, current_proofs(platform, cookie), at).await?;
    }
    let answer = Response::json(200, &StatusMessage::ok("signed out"));
    Ok(without_cookie(answer, request))
}

fn environment<P: Platform>(platform: &P) -> serde_json::Value {
    let environment = platform.environment();
    json!({ "name": environment.name, "color": environment.color })
}

/// Returns the response for a client that is not signed in. It says which gateway this is, since secrets are about to
/// be typed.
fn signed_out<P: Platform>(platform: &P, request: &Request) -> Response {
    let body = json!({
        "status": "error",
        "message": SIGNED_OUT,
        "environment": environment(platform),
    });
    without_cookie(Response::json(401, &body), request)
}

/// Returns who is signed in, with their rights.
fn described<P: Platform>(platform: &P, signed_in: &SignedIn) -> Response {
    let (kind, name) = match &signed_in.dashboard {
        Some(Caller::Hash(_)) => ("credential", signed_in.name.as_str()),
        _ if signed_in.gateway => ("gateway", GATEWAY_ACTOR),
        _ => ("dashboard", DASHBOARD_ACTOR),
    };
    let mut rights = signed_in.permissions;
    if signed_in.gateway {
        rights.gateway = Parts::all(Access::Write);
    }
    let body = json!({
        "kind": kind,
        "name": name,
        "org_id": signed_in.org,
        "gateway": signed_in.gateway,
        "dashboard": signed_in.dashboard.is_some(),
        "rights": rights,
        "signed_in_at": signed_in.begun_at,
        "ends_at": signed_in.ends_at,
        "idle_seconds": signed_in.idle_seconds,
        "environment": environment(platform),
        "version": concat!("v", env!("CARGO_PKG_VERSION")),
    });
    Response::json(200, &body)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(method: &str, headers: &[(&str, &str)]) -> Request {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Request {
            method: method.to_owned(),
            origin: "http://console.example:8788".to_owned(),
            headers: headers.iter().map(own).collect(),
            ..Request::default()
        }
    }

    #[test]
    fn only_console_origins_are_accepted() {
        let ours = (CONSOLE_HEADER, "1");
        let origin = ("origin", "https://console.example:8788");
        for (method, headers, is_heard) in [
            ("GET", vec![ours], true),
            ("GET", vec![], false),
            ("GET", vec![(CONSOLE_HEADER, "true")], false),
            ("POST", vec![ours], false),
            ("POST", vec![ours, origin], true),
            ("POST", vec![origin], false),
            ("POST", vec![ours, ("origin", "null")], false),
            ("GET", vec![ours, ("origin", "https://evil.example")], false),
            (
                "GET",
                vec![ours, ("origin", "http://console.example")],
                false,
            ),
            (
                "DELETE",
                vec![ours, ("sec-fetch-site", "same-origin")],
                true,
            ),
            ("GET", vec![ours, ("sec-fetch-site", "none")], false),
            (
                "GET",
                vec![ours, ("sec-fetch-site", "same-site"), origin],
                false,
            ),
            (
                "POST",
                vec![ours, ("sec-fetch-site", "cross-site"), origin],
                false,
            ),
        ] {
            assert_eq!(
                is_same_origin(&request(method, &headers)),
                is_heard,
                "{method} {headers:?}"
            );
        }
    }

    #[test]
    fn https_accepts_only_the_host_prefixed_cookie() {
        let (one, other) = ("a".repeat(COOKIE_LENGTH), "b".repeat(COOKIE_LENGTH));
        let both = format!("x=y; {COOKIE}={one};{HOST_COOKIE}={other}");
        let plain = format!("{COOKIE}={one}");
        let mut sent = request("GET", &[("cookie", &plain)]);
        assert_eq!(cookie(&sent), Some((COOKIE, one.as_str())));
        sent.origin = "https://console.example".to_owned();
        assert_eq!(cookie(&sent), None);
        sent.headers = vec![("cookie".to_owned(), both)];
        assert_eq!(cookie(&sent), Some((HOST_COOKIE, other.as_str())));
        sent.headers = vec![("cookie".to_owned(), format!("{HOST_COOKIE}=short"))];
        assert_eq!(cookie(&sent), None);
    }

    #[test]
    fn a_cookie_is_out_of_reach_of_scripts_and_other_hosts() {
        let mut sent = request("POST", &[]);
        let plain = "gateway-session=t; Path=/; HttpOnly; SameSite=Strict";
        assert_eq!(set_cookie(cookie_name(&sent), Some("t")), plain);
        sent.headers = vec![("origin".to_owned(), "https://console.example".to_owned())];
        let secure = "__Host-gateway-session=t; Path=/; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(set_cookie(cookie_name(&sent), Some("t")), secure);
        sent.headers.clear();
        sent.origin = "https://console.example".to_owned();
        assert_eq!(set_cookie(cookie_name(&sent), Some("t")), secure);
        let gone = "__Host-gateway-session=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict; Secure";
        assert_eq!(set_cookie(HOST_COOKIE, None), gone);
    }
}
