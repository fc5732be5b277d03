//! User names and passwords (reference 3.7, *Basic*; RFC 7617).

use crate::facts::Facts;
use crate::report::{Good, Report, Stop};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::Value;
use gatewright_model::text::pattern::portable;
use regex_lite::Regex;

mod attempts;
mod password;

/// The message for a wrong password.
const WRONG: &str = "User not authorised";

/// Checks a password against that of its user, whose session is needed first.
///
/// # Errors
/// What is needed, or why the credential is refused.
pub fn prove(settings: &Value<'_>, facts: &Facts<'_>) -> Result<Report, Stop> {
    let challenge = challenge(settings);
    let login = login(settings, facts).map_err(|stop| stop.challenged(&challenge))?;
    let wrong = |note: &str| Err(Stop::refused(401, WRONG, note).challenged(&challenge));
    let Some(session) = &facts.session else {
        return Err(Stop::Key(login.user));
    };
    let data = session
        .as_ref()
        .and_then(|session| session.get("basic_auth_data"));
    let member = |name| data.and_then(|data| data.str(name)).unwrap_or_default();
    let network = facts.all.str("network").unwrap_or_default();
    if !attempts::may_try(network, facts.now) {
        return wrong("Its address has sent too many wrong passwords in the last seconds");
    }
    if !password::matches(&login.password, member("password"), member("hash_type")) {
        attempts::record_failure(network, facts.now);
        return match session {
            Some(_) => wrong("Another password"),
            None => wrong("There is no such user"),
        };
    }
    let options = settings.get("basic_auth");
    let never = options.is_some_and(|options| options.bool("disable_caching") == Some(true));
    let seconds = options.and_then(|options| options.int("cache_ttl"));
    let seconds = seconds.filter(|seconds| *seconds > 0);
    Ok(Report::Stored(Good {
        until: seconds.map(|seconds| facts.now.saturating_add(seconds)),
        // A password from a body is not remembered, because proofs are remembered by the credential alone.
        remembered: (!never && login.sent).then_some(facts.now),
        ..Good::default()
    }))
}

/// Returns the `WWW-Authenticate` header of an API, with its name as the realm.
fn challenge(settings: &Value<'_>) -> String {
    let mut realm = String::new();
    for letter in settings.str("name").unwrap_or_default().chars() {
        if matches!(letter, '"' | '\\') {
            realm.push('\\');
        }
        // A header has no other characters (RFC 9110 section 5.5).
        if letter == ' ' || letter.is_ascii_graphic() {
            realm.push(letter);
        }
    }
    format!("Basic realm=\"{realm}\"")
}

struct Login {
    user: String,
    password: String,
    /// Whether it was sent where credentials belong, not in the body.
    sent: bool,
}

fn login(settings: &Value<'_>, facts: &Facts<'_>) -> Result<Login, Stop> {
    let sent = match facts.credential.as_deref() {
        None => Err(Stop::missing(401, "Authorization field missing")),
        Some(text) => read(text).map_err(|end| {
            let text = format!("Attempted access with malformed header, {end}");
            Stop::malformed(text)
        }),
    };
    match facts.all.str("body") {
        Some(body) if sent.is_err() => in_body(settings, body),
        _ => sent,
    }
}

/// Parses `Basic` and user name and password in Base64; the error completes a message.
fn read(text: &str) -> Result<Login, &'static str> {
    // The first of repeated headers counts; the runtime joins them.
    let text = text.split(", ").next().unwrap_or_default();
    let parts: Vec<&str> = text.split(' ').collect();
    let [_, encoded] = parts.as_slice() else {
        return Err("header not in basic auth format");
    };
    let decoded = BASE64_STANDARD.decode(encoded);
    let decoded = decoded.map_err(|_| "auth data not encoded correctly")?;
    // Another encoding than UTF-8 is a wrong password, not a malformed header.
    let decoded = String::from_utf8_lossy(&decoded);
    let (user, password) = decoded
        .split_once(':')
        .ok_or("values not in basic auth format")?;
    Ok(Login {
        user: user.to_owned(),
        password: password.to_owned(),
        sent: true,
    })
}

/// Extracts both from the body with the definition's expressions.
fn in_body(settings: &Value<'_>, body: &str) -> Result<Login, Stop> {
    let options = settings.get("basic_auth");
    let malformed = |text: String| Stop::malformed(text).flagged("BIV");
    let find = |member: &str, what: &str| {
        let expression = options.and_then(|options| options.str(member));
        let expression = Regex::new(&portable(expression.unwrap_or_default())).ok();
        let found = expression.as_ref().and_then(|known| known.captures(body));
        let found = found.ok_or_else(|| malformed(format!("Body do not contain {what}")))?;
        if found.len() < 2 {
            return Err(malformed(format!(
                "{what} should be inside regexp match group"
            )));
        }
        // A group that didn't take part in the match is empty.
        let group = found.get(1).map_or("", |group| group.as_str());
        Ok(group.to_owned())
    };
    Ok(Login {
        user: find("body_user_regexp", "username")?,
        password: find("body_password_regexp", "password")?,
        sent: false,
    })
}

#[cfg(test)]
mod tests;
