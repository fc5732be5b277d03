//! Dashboard credentials: who may do what in which organisation.
//!
//! The promise: only the hash of a token is stored; whether a credential is still valid is decided in the same turn as
//! the command it authorises, so a revoked one is refused at once and everywhere.

use crate::registry::commit::{Draft, commit};
use crate::registry::journal::AuditedWrite;
use crate::registry::rows::{Change, Rows};
use crate::registry::{Replied, Turn};
use gatewright_api::dashboard::shape::Credential;
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::dashboard::{Access, Group, Permissions};
use gatewright_api::message::Action;
use gatewright_model::order;
use gatewright_protocol::caller::{Caller, GATEWAY_ACTOR, Need};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::token_hash;
use gatewright_protocol::registry::{Refusal, Reply, body};
use std::collections::BTreeMap;
use std::ops::Bound;

/// The actor in the audit trail for `DASHBOARD_TOKEN`.
pub const DASHBOARD_ACTOR: &str = "dashboard";

/// An authorised caller.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Actor {
    /// Its name in the audit trail.
    pub name: String,
    /// The organisation it is confined to.
    pub org: String,
    /// Its permissions.
    pub permissions: Permissions,
}

/// Why a caller was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// The credential is unknown, expired or revoked.
    Unknown,
    /// The credential lacks the permission.
    NotPermitted,
}

/// Returns the SHA-256 of a token, in hexadecimal digits. Tokens have 256 random bits, so a plain hash protects them
/// (ASVS 11.4.2 requires more only if a secret can be guessed).
#[must_use]
pub fn hash(token: &str) -> String {
    token_hash(token)
}

/// All credentials ever issued, as far as they are still stored.
#[derive(Debug, Default)]
pub struct Credentials {
    by_hash: BTreeMap<String, Credential>,
}

impl Credentials {
    /// Reads all credentials.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn load(rows: &Rows) -> Result<Self, StoreError> {
        Ok(Self {
            by_hash: order::map(rows.credentials()?.into_iter()),
        })
    }

    /// Returns all credentials, newest first.
    #[must_use]
    pub fn list(&self) -> Vec<Credential> {
        let list = self.by_hash.values().cloned().collect();
        let age = |known: &Credential| format!("{} {}", known.created_at, known.id);
        let mut list = order::sorted(list, age);
        list.reverse();
        list
    }

    /// Returns the credentials with hashes after this one, ordered by hash.
    pub fn after<'a>(&'a self, hash: &str) -> impl Iterator<Item = (&'a str, &'a Credential)> {
        let behind = (Bound::Excluded(hash), Bound::Unbounded);
        let known = self.by_hash.range::<str, _>(behind);
        known.map(|(hash, known)| (hash.as_str(), known))
    }

    /// Returns the credential with this id, and its hash.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<(&str, &Credential)> {
        let found = self.by_hash.iter().find(|(_, known)| known.id == id)?;
        Some((found.0.as_str(), found.1))
    }

    /// Adds or replaces a credential.
    pub fn put(&mut self, hash: &str, credential: Credential) {
        self.by_hash.insert(hash.to_owned(), credential);
    }

    /// Returns the hashes of credentials that ended before a time, at most `limit`.
    pub(super) fn ended_before(&self, at: &str, limit: usize) -> Vec<String> {
        let ended = |known: &Credential| {
            let ends = [&known.revoked_at, &known.expires_at];
            ends.into_iter().flatten().any(|end| end.as_str() < at)
        };
        let gone = self.by_hash.iter().filter(|(_, known)| ended(known));
        gone.map(|(hash, _)| hash.clone()).take(limit).collect()
    }

    /// Removes a credential.
    pub(super) fn remove(&mut self, hash: &str) {
        self.by_hash.remove(hash);
    }

    /// Authorises a caller.
    ///
    /// # Errors
    /// The reason if it is refused.
    pub fn admit(
        &self,
        caller: &Caller,
        need: Need,
        default_org: &str,
        now: &str,
    ) -> Result<Actor, Denied> {
        let actor = match caller {
            Caller::Root => Actor {
                name: DASHBOARD_ACTOR.to_owned(),
                org: default_org.to_owned(),
                permissions: Permissions::all(Access::Write),
            },
            Caller::Gateway => Actor {
                name: GATEWAY_ACTOR.to_owned(),
                org: String::new(),
                permissions: Permissions::all(Access::Write),
            },
            // The caller of this function has already resolved sign-ins that are still valid.
            Caller::SignIn(_) => return Err(Denied::Unknown),
            Caller::Hash(hash) => {
                let known = self.by_hash.get(hash).ok_or(Denied::Unknown)?;
                // Times are RFC 3339 in UTC with milliseconds, so they can be compared as texts.
                let expired = known.expires_at.as_deref().is_some_and(|at| at <= now);
                if expired || known.revoked_at.is_some() {
                    return Err(Denied::Unknown);
                }
                Actor {
                    name: known.name.clone(),
                    org: known.org_id.clone(),
                    permissions: known.permissions,
                }
            }
        };
        let allowed = |group| actor.permissions.of(group) >= need.access;
        let permitted = match need.group {
            Some(group) => allowed(group),
            None => Group::ALL.into_iter().any(allowed),
        };
        permitted.then_some(actor).ok_or(Denied::NotPermitted)
    }
}

/// Lists all credentials.
pub(super) fn list(turn: &Turn<'_>) -> Replied {
    let list = gatewright_api::dashboard::shape::Credentials {
        credentials: turn.credentials.list(),
    };
    Ok((Reply::Json, body(&list)?))
}

/// Stores a new credential.
pub(super) fn issue(
    turn: &mut Turn<'_>,
    credential: &Credential,
    hash: &str,
) -> Result<Reply, StoreError> {
    let mut credential = credential.clone();
    turn.now.clone_into(&mut credential.created_at);
    if credential.org_id.is_empty() {
        turn.default_org.clone_into(&mut credential.org_id);
    }
    store(turn, credential, hash, Action::Added)
}

/// Revokes a credential with immediate effect. Revoking it again changes nothing.
pub(super) fn revoke(turn: &mut Turn<'_>, id: &str) -> Result<Reply, StoreError> {
    let Some((hash, credential)) = turn.credentials.find(id) else {
        return Ok(Reply::Refused(Refusal::NotFound));
    };
    let (hash, mut credential) = (hash.to_owned(), credential.clone());
    if credential.revoked_at.is_some() {
        return Ok(Reply::Credential(credential));
    }
    credential.revoked_at = Some(turn.now.to_owned());
    store(turn, credential, &hash, Action::Deleted)
}

fn store(
    turn: &mut Turn<'_>,
    credential: Credential,
    hash: &str,
    action: Action,
) -> Result<Reply, StoreError> {
    let audited = AuditedWrite {
        org: &credential.org_id,
        id: &credential.id,
        name: &credential.name,
        ..AuditedWrite::new(Subject::Credential, action)
    };
    let stored = Change::Credential {
        credential: credential.clone(),
        hash,
    };
    commit(turn, vec![Draft::new(audited, vec![stored])])?;
    turn.credentials.put(hash, credential.clone());
    Ok(Reply::Credential(credential))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(permissions: Permissions, expires_at: Option<&str>, revoked: bool) -> Credentials {
        let mut credentials = Credentials::default();
        let credential = Credential {
            name: "ci".to_owned(),
            org_id: "acme".to_owned(),
            permissions,
            expires_at: expires_at.map(str::to_owned),
            revoked_at: revoked.then(|| "2026-01-01T00:00:00.000Z".to_owned()),
            ..Credential::default()
        };
        credentials.put(&hash("token"), credential);
        credentials
    }

    fn admit(credentials: &Credentials, token: &str, need: Need) -> Result<Actor, Denied> {
        let caller = Caller::Hash(hash(token));
        credentials.admit(&caller, need, "default", "2026-06-01T00:00:00.000Z")
    }

    const WRITE_HOOKS: Need = Need {
        group: Some(Group::Hooks),
        access: Access::Write,
    };
    const READ_ANY: Need = Need {
        group: None,
        access: Access::Read,
    };

    #[test]
    fn a_credential_is_confined_to_its_organisation_and_permissions() {
        let reader = known(
            Permissions {
                rulesets: Access::Read,
                hooks: Access::Read,
                ..Permissions::default()
            },
            None,
            false,
        );
        assert_eq!(admit(&reader, "token", READ_ANY).unwrap().org, "acme");
        assert_eq!(
            admit(&reader, "token", WRITE_HOOKS),
            Err(Denied::NotPermitted)
        );
        assert_eq!(admit(&reader, "other", READ_ANY), Err(Denied::Unknown));
        let nothing = known(Permissions::default(), None, false);
        assert_eq!(
            admit(&nothing, "token", READ_ANY),
            Err(Denied::NotPermitted)
        );
    }

    #[test]
    fn expired_or_revoked_credential_is_unknown() {
        let all = Permissions::all(Access::Write);
        let until = |at| known(all, Some(at), false);
        assert!(admit(&until("2026-06-01T00:00:00.001Z"), "token", WRITE_HOOKS).is_ok());
        let expired = until("2026-06-01T00:00:00.000Z");
        assert_eq!(admit(&expired, "token", WRITE_HOOKS), Err(Denied::Unknown));
        let revoked = known(all, None, true);
        assert_eq!(admit(&revoked, "token", WRITE_HOOKS), Err(Denied::Unknown));
    }
}
