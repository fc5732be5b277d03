//! Issuing tokens.

use super::answer::{Failed, OauthError};
use super::{Api, apis, everywhere, notice};
use crate::admin::replies::unexpected;
use crate::admin::sessions;
use crate::ports::Platform;
use gatewright_model::document;
use gatewright_model::issue::Issue;
use gatewright_model::json;
use gatewright_model::merge;
use gatewright_model::shape::Root;
use gatewright_protocol::oauth::{OauthClient, OauthGrant, OauthToken, token_hash};
use gatewright_protocol::registry::Refusal;
use gatewright_protocol::sessions::{Act, Owner, SessionAsk};
use gatewright_protocol::time::millis;
use gatewright_protocol::token;
use serde_json::{Map, json};

/// What a token is issued for.
#[derive(Default)]
pub(super) struct Grounds<'a> {
    /// The granted scope.
    pub(super) scope: &'a str,
    /// The session that the token gets instead of the client's policy; empty for none.
    pub(super) rules: &'a str,
    /// Whether a refresh token is issued with it.
    pub(super) refreshes: bool,
    /// The hash of the code that is exchanged; empty for none.
    pub(super) code: &'a str,
    /// The token that is refreshed, which ends.
    pub(super) before: Option<&'a OauthToken>,
}

/// An issued token as its client receives it.
pub(super) struct Issued {
    pub(super) access: String,
    pub(super) refresh: Option<String>,
    pub(super) seconds: i64,
    pub(super) scope: String,
}

impl Issued {
    /// Returns the members of the response (RFC 6749 section 5.1).
    pub(super) fn members(self) -> Map<String, serde_json::Value> {
        let mut members = Map::new();
        members.insert("access_token".to_owned(), self.access.into());
        members.insert("expires_in".to_owned(), self.seconds.into());
        members.insert("token_type".to_owned(), "bearer".into());
        if let Some(refresh) = self.refresh {
            members.insert("refresh_token".to_owned(), refresh.into());
        }
        if !self.scope.is_empty() {
            members.insert("scope".to_owned(), self.scope.into());
        }
        members
    }
}

/// Returns the current time in Unix seconds.
pub(super) fn now<P: Platform>(platform: &P) -> i64 {
    let ms = millis(&platform.now()).unwrap_or(0);
    i64::try_from(ms / 1000).unwrap_or(i64::MAX)
}

/// Issues a token: stores its session, and ends the code or token it is issued for.
pub(super) async fn issue<P: Platform>(
    platform: &P,
    api: &Api,
    client: &OauthClient,
    grounds: &Grounds<'_>,
) -> Result<Issued, Failed> {
    let config = platform.oauth();
    let now = now(platform);
    let expires = now.saturating_add(config.token_seconds);
    let known_at = apis(&everywhere(platform, client).await?);
    let text =
        session(api, client, &known_at, grounds.rules, expires).ok_or(OauthError::ServerError)?;
    let hash = platform.keys().hash;
    let access = token::token(&api.org, &platform.random_id(), hash);
    let stored_as = token::hash(&access);
    let refresh = grounds.refreshes.then(|| platform.random_token());
    let grant = OauthGrant {
        token: OauthToken {
            access: stored_as.clone(),
            refresh: refresh.as_deref().map(token_hash).unwrap_or_default(),
            api: api.id.clone(),
            client: client.id.clone(),
            expires,
            refresh_expires: match config.refresh_seconds {
                0 => 0,
                seconds => now.saturating_add(seconds),
            },
            scope: grounds.scope.to_owned(),
            rules: grounds.rules.to_owned(),
        },
        client: client.clone(),
        code: grounds.code.to_owned(),
        refresh: grounds
            .before
            .map(|before| before.refresh.clone())
            .unwrap_or_default(),
    };
    let command = SessionAsk {
        act: Act::Put,
        ids: vec![stored_as.clone()],
        reset: true,
        grant: serde_json::to_string(&grant).map_err(|_| unexpected())?,
        ..SessionAsk::default()
    };
    let written = match grounds.before {
        None => sessions::ask(platform, command, &text).await?,
        Some(before) => {
            let ledgers = (
                Owner::Key.ledger(&before.access),
                Owner::Key.ledger(&stored_as),
            );
            sessions::succeed(platform, ledgers, command, &text).await?
        }
    };
    written.map_err(|refusal| match refusal {
        // Another request was faster, or the client has changed.
        Refusal::NotFound => OauthError::InvalidGrant,
        _ => OauthError::ServerError,
    })?;
    notice::notify(platform, api, &grant);
    Ok(Issued {
        access,
        refresh,
        seconds: config.token_seconds,
        scope: grounds.scope.to_owned(),
    })
}

/// Builds the session of a token from rules or from the client's policy. `None` if there is neither.
fn session(
    api: &Api,
    client: &OauthClient,
    known_at: &[String],
    rules: &str,
    expires: i64,
) -> Option<String> {
    let rules = are_rules(rules).then_some(rules);
    let base = match (rules, client.policy_id.as_str()) {
        (Some(rules), _) => rules.to_owned(),
        (None, "") => return None,
        (None, policy) => json!({ "apply_policies": [policy] }).to_string(),
    };
    // Rules can't give a token another organisation, another client or a password.
    let patch = json!({
        "org_id": api.org,
        "expires": expires,
        "oauth_client_id": client.id,
        "oauth_apis": known_at,
        "oauth_keys": null,
        "basic_auth_data": null,
    });
    let base = merge::merge(&base, &patch.to_string()).ok()?;
    let meta = json::parse(&client.meta_data);
    let has_meta = meta.is_ok_and(|meta| !meta.members().is_empty());
    if !has_meta {
        return Some(base);
    }
    // Metadata of the rules takes precedence over that of the client.
    let session = json::parse(&base).ok()?;
    let own = session
        .get("meta_data")
        .map_or("{}", |own| own.span.of(&base));
    let meta = merge::merge(&client.meta_data, own).ok()?;
    merge::merge(&base, &format!("{{\"meta_data\":{meta}}}")).ok()
}

/// Whether a requested scope is within the granted one (RFC 6749 section 6).
pub(super) fn is_within(asked: &str, granted: &str) -> bool {
    let mut asked = asked.split_ascii_whitespace();
    asked.all(|scope| granted.split_ascii_whitespace().any(|known| known == scope))
}

/// Whether a text is a session. Any other text leaves the client's policy in force.
pub(super) fn are_rules(text: &str) -> bool {
    !text.is_empty()
        && !document::validate(Root::Session, text)
            .iter()
            .any(Issue::is_error)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn api() -> Api {
        Api::read(r#"{"api_id":"a","org_id":"o","use_oauth2":true}"#).unwrap()
    }

    fn value(text: &str) -> serde_json::Value {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn rules_do_not_affect_token_ownership() {
        let client = OauthClient {
            id: "c".to_owned(),
            policy_id: "p".to_owned(),
            meta_data: r#"{"team":"blue","from":"client"}"#.to_owned(),
            ..OauthClient::default()
        };
        let rules = r#"{"org_id":"other","oauth_client_id":"x","expires":9999999999,
            "basic_auth_data":{"password":"p"},"access_rights":{"a":{}},"meta_data":{"from":"rules"}}"#;
        let text = session(&api(), &client, &["a".to_owned()], rules, 5).unwrap();
        let session = value(&text);
        assert_eq!(session["org_id"], "o");
        assert_eq!(session["oauth_client_id"], "c");
        assert_eq!(session["expires"], 5);
        assert_eq!(session.get("basic_auth_data"), None);
        assert_eq!(session.get("apply_policies"), None);
        assert_eq!(session["meta_data"], json!({"from":"rules","team":"blue"}));
        // A text that is not a session leaves the policy in force.
        for rules in ["", "no json", "[]"] {
            let text = session_of(&client, rules).unwrap();
            assert_eq!(value(&text)["apply_policies"], json!(["p"]), "{rules}");
        }
        let client = OauthClient::default();
        assert_eq!(session_of(&client, ""), None);
    }

    fn session_of(client: &OauthClient, rules: &str) -> Option<String> {
        session(&api(), client, &[], rules, 5)
    }

    #[test]
    fn refresh_cannot_widen_scopes() {
        assert!(is_within("", "a b") && is_within("b", "a b") && is_within("b a", "a b"));
        assert!(!is_within("c", "a b") && !is_within("a", ""));
    }
}
