//! What is written into the tables: every write of the Registry is a list of these, made together.

use super::{CertificateRow, DeliveryRow, Entry, Older, Record, Rows, ServedKind, SignInRow};
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::sessions::SessionRow;
use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::{OauthClient, OauthCode, OauthToken};
use gatewright_protocol::records::Kind;
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::sign_in::Shown;
use std::borrow::Cow;

/// What a revision of a dashboard document holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// The whole text.
    Text(&'a str),
    /// The merge patch (RFC 7386) that leads here from the revision before: a patch of a few bytes
    /// must not cost a copy of a document of many.
    Patch(&'a str),
    /// Nothing: a deletion.
    Gone,
}

/// One change of the tables.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// A new revision of an API definition; the entry's revision is its number.
    Definition {
        /// The entry after the write.
        entry: Entry,
        /// What the write does.
        action: Action,
        /// The document; `None` for a deletion.
        text: Option<&'a str>,
    },
    /// Which revision of an API definition is published now.
    Published {
        /// The API's id.
        id: &'a str,
        /// The revision, if any.
        revision: Option<u64>,
    },
    /// Which revision of an API or a policy is served from a generation on.
    Served {
        /// What it is.
        kind: ServedKind,
        /// Its id; of a policy the internal one.
        id: Cow<'a, str>,
        /// The revision, if any.
        revision: Option<u64>,
        /// The generation.
        generation: u64,
    },
    /// A generation that can be published again.
    Generation {
        /// Its number.
        number: u64,
        /// What is told of it.
        line: String,
    },
    /// Only the newest so many generations are kept.
    KeepGenerations(u32),
    /// A value of the bookkeeping.
    Value {
        /// Its name.
        name: &'a str,
        /// The value.
        value: &'a str,
    },
    /// A text that belongs to a published set.
    Part {
        /// The generation of the set.
        generation: u64,
        /// What it is a part of.
        part: &'a str,
        /// Its place among the texts of that part.
        place: u64,
        /// The text, of a bounded size ([`super::pieces`]).
        text: Cow<'a, str>,
    },
    /// Only what belongs to these sets is kept.
    KeepParts([u64; 2]),
    /// A new revision of a dashboard document; the record's revision is its number.
    Record {
        /// The record after the write.
        record: Record,
        /// What the write does.
        action: Action,
        /// What the revision holds.
        body: Body<'a>,
    },
    /// A credential is new, or not what it was.
    Credential {
        /// The credential.
        credential: Credential,
        /// SHA-256 of its token, in hexadecimal digits.
        hash: &'a str,
    },
    /// A notification; its number is the next one of its organisation.
    Notice {
        /// Its organisation.
        org: &'a str,
        /// The notification.
        notice: Notice,
    },
    /// An entry of the audit trail.
    Audit(AuditEntry),
    /// A delivery is new, or not what it was.
    Delivery(DeliveryRow),
    /// Whatever waits for a webhook is given up.
    StopDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
    },
    /// Ended deliveries of a webhook that are older than its newest `keep` are forgotten.
    TrimDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
        /// How many are kept.
        keep: u32,
    },
    /// A handler is not sent the same again until then. What has ended meanwhile goes with it.
    Quiet {
        /// Handler and event.
        name: String,
        /// The time, Unix milliseconds.
        until: u64,
        /// What time it is, Unix milliseconds.
        now: u64,
    },
    /// Notifications of an organisation up to this number are forgotten with their deliveries, but
    /// for those that still wait to be delivered.
    TrimNotices {
        /// The organisation.
        org: &'a str,
        /// The number.
        upto: u64,
    },
    /// Revisions of an API definition up to one are removed, but for the published one and those whose
    /// handlers a delivery waits for.
    TrimRevisions {
        /// The API's id.
        id: &'a str,
        /// The revision.
        upto: u64,
        /// The published one.
        published: Option<u64>,
    },
    /// Revisions of a dashboard document up to one are removed, but for those that later ones are patches on.
    TrimRecord {
        /// What it is.
        kind: Kind,
        /// The internal id.
        id: &'a str,
        /// The revision.
        upto: u64,
        /// Whether nothing but the deletion is behind it.
        gone: bool,
    },
    /// Entries of the audit trail up to this number are removed.
    TrimAudit {
        /// The number.
        upto: u64,
    },
    /// Ended deliveries of a webhook are removed.
    RemoveDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
        /// The first number.
        from: u64,
        /// The last number.
        to: u64,
    },
    /// A credential is removed.
    CredentialRemoved {
        /// SHA-256 of its token, in hexadecimal digits.
        hash: &'a str,
    },
    /// Notifications of an organisation's share that are older than its newest `keep` are forgotten with
    /// their deliveries, but for those that still wait to be delivered; a bounded number of them.
    TrimShare {
        /// The organisation.
        org: &'a str,
        /// The share.
        share: &'a str,
        /// How many are kept.
        keep: u64,
    },
    /// The secrets that sign a webhook's calls.
    Secrets {
        /// The internal id of the webhook.
        hook: &'a str,
        /// The secrets.
        secrets: HookSecrets,
    },
    /// A session is new, or not what it was.
    Session {
        /// The row after the write.
        row: SessionRow,
        /// Its text.
        text: &'a str,
        /// True where nothing is stored under its id.
        is_new: bool,
    },
    /// A session is gone.
    SessionRemoved {
        /// Whose it was.
        owner: Owner,
        /// The hash of the token, or the organisation.
        id: &'a str,
    },
    /// A certificate is new.
    Certificate(&'a CertificateRow),
    /// A certificate is removed.
    CertificateRemoved {
        /// Its id.
        id: &'a str,
    },
    /// A client of the OAuth 2.0 server is new, or not what it was.
    OauthClient(&'a OauthClient),
    /// A client is gone from an API.
    OauthClientRemoved {
        /// The API.
        api: &'a str,
        /// The client.
        id: &'a str,
        /// Another API that it is known to, which takes over its tokens.
        other: Option<&'a str>,
    },
    /// A code is issued.
    OauthCode(&'a OauthCode),
    /// A code was exchanged for an access token.
    OauthCodeUsed {
        /// The code.
        code: &'a str,
        /// The access token.
        access: &'a str,
    },
    /// A token is issued.
    OauthToken(&'a OauthToken),
    /// An access token has ended, where a key was one. What it can be refreshed by stays.
    OauthAccessEnded(&'a str),
    /// A token is gone, with what it could be refreshed by, and another one takes its place.
    OauthTokenReplaced {
        /// The access token that is gone.
        access: &'a str,
        /// The other one.
        by: &'a OauthToken,
    },
    /// A refresh token has ended.
    OauthRefreshEnded(&'a str),
    /// The refresh tokens and codes of a client at an API have ended.
    OauthEnded {
        /// The API.
        api: &'a str,
        /// The client.
        client: &'a str,
    },
    /// A sign-in is new, or was used.
    SignIn(&'a SignInRow),
    /// A sign-in has ended.
    SignInEnded(&'a str),
    /// The sign-ins that were made with any of these have ended.
    SignInsEnded(&'a Shown),
    /// Sign-ins that have ended by themselves are removed, and beyond a number those not used for longest.
    TrimSignIns {
        /// Those not used since this time have ended, Unix milliseconds.
        seen: u64,
        /// Those made until this time have ended, Unix milliseconds.
        begun: u64,
        /// How many of the others are kept.
        keep: u32,
    },
    /// A revision of a document before its newest one.
    Older(&'a Older),
    /// Everything that is administered is gone.
    Emptied,
}

impl Rows {
    /// Makes changes, all or none.
    ///
    /// # Errors
    /// If one can't be made.
    pub fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError> {
        self.transaction(&mut || changes.iter().try_for_each(|change| self.make(change)))
    }

    fn make(&self, change: &Change<'_>) -> Result<(), StoreError> {
        match change {
            Change::Definition {
                entry,
                action,
                text,
            } => self.put_definition(entry, *action, *text),
            Change::Published { id, revision } => self.put_published(id, *revision),
            Change::Served {
                kind,
                id,
                revision,
                generation,
            } => self.put_served(*kind, id, *revision, *generation),
            Change::Generation { number, line } => self.put_generation(*number, line),
            Change::KeepGenerations(most) => self.keep_generations(*most),
            Change::Value { name, value } => self.put_value(name, value),
            Change::Part {
                generation,
                part,
                place,
                text,
            } => self.put_part(*generation, part, *place, text),
            Change::KeepParts(of) => self.keep_parts(*of),
            Change::Record {
                record,
                action,
                body,
            } => self.put_record(record, *action, *body),
            Change::Credential { credential, hash } => self.put_credential(credential, hash),
            Change::Notice { org, notice } => self.put_notice(org, notice),
            Change::Audit(entry) => self.put_audit(entry),
            Change::Delivery(row) => self.put_delivery(row),
            Change::StopDeliveries { hook } => self.stop_deliveries(hook),
            Change::TrimDeliveries { hook, keep } => self.trim_deliveries(hook, *keep),
            Change::Quiet { name, until, now } => self.put_quiet(name, *until, *now),
            Change::TrimNotices { org, upto } => self.trim_notices(org, *upto),
            Change::TrimRevisions {
                id,
                upto,
                published,
            } => self.trim_revisions(id, *upto, *published),
            Change::TrimRecord {
                kind,
                id,
                upto,
                gone,
            } => self.trim_record(*kind, id, *upto, *gone),
            Change::TrimShare { org, share, keep } => self.trim_share(org, share, *keep),
            Change::TrimAudit { upto } => self.trim_audit(*upto),
            Change::RemoveDeliveries { hook, from, to } => self.remove_deliveries(hook, *from, *to),
            Change::CredentialRemoved { hash } => self.remove_credential(hash),
            Change::Secrets { hook, secrets } => self.put_secrets(hook, secrets),
            Change::Session { row, text, is_new } => self.put_session(row, text, *is_new),
            Change::SessionRemoved { owner, id } => self.remove_session(*owner, id),
            Change::Certificate(row) => self.put_certificate(row),
            Change::CertificateRemoved { id } => self.remove_certificate(id),
            Change::OauthClient(client) => self.put_oauth_client(client),
            Change::OauthClientRemoved { api, id, other } => {
                self.remove_oauth_client((api, id), *other)
            }
            Change::OauthCode(code) => self.put_oauth_code(code),
            Change::OauthCodeUsed { code, access } => self.use_oauth_code(code, access),
            Change::OauthToken(token) => self.put_oauth_token(token),
            Change::OauthAccessEnded(access) => self.end_oauth_access(access),
            Change::OauthTokenReplaced { access, by } => self.replace_oauth_token(access, by),
            Change::OauthRefreshEnded(refresh) => self.end_oauth_refresh(refresh),
            Change::OauthEnded { api, client } => self.end_oauth(api, client),
            Change::SignIn(row) => self.put_sign_in(row),
            Change::SignInEnded(hash) => self.remove_sign_in(hash),
            Change::SignInsEnded(shown) => self.remove_sign_ins(shown),
            Change::TrimSignIns { seen, begun, keep } => self.trim_sign_ins(*seen, *begun, *keep),
            Change::Older(older) => self.put_older(older),
            Change::Emptied => self.empty(),
        }
    }
}
