//! Writes to the tables: every write of the Registry is a list of these changes, applied together.

use super::{CertificateRow, DeliveryRow, Document, DocumentId, Older, Rows, SignInRow};
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::handover::Origin;
use crate::registry::sessions::SessionRow;
use gatewright_api::dashboard::shape::{AuditEntry, Credential, Notice};
use gatewright_api::message::Action;
use gatewright_api::resource::Subject;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::{OauthClient, OauthCode, OauthToken};
use gatewright_protocol::sessions::Owner;
use gatewright_protocol::sign_in::Shown;
use std::borrow::Cow;

/// The content of a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Body<'a> {
    /// The full text.
    Text(&'a str),
    /// The merge patch (RFC 7386) from the previous revision to this one: a patch of a few bytes must not cost a copy
    /// of a large document. Only records have patches.
    Patch(&'a str),
    /// None: a deletion.
    Gone,
}

/// One change to the tables.
#[derive(Clone, Debug)]
pub enum Change<'a> {
    /// A new revision of a document; the document's revision is its number.
    Document {
        /// The document after the write.
        document: Document,
        /// The kind of write.
        action: Action,
        /// The content of the revision.
        body: Body<'a>,
    },
    /// The revision of an API definition that is now published.
    Published {
        /// The API's id.
        id: &'a str,
        /// The revision; `None` for none.
        revision: Option<u64>,
    },
    /// The revision of an API or a policy that is served from a generation on.
    Served {
        /// The kind of document.
        kind: Subject,
        /// Its id; for a policy, the internal one.
        id: Cow<'a, str>,
        /// The revision; `None` for none.
        revision: Option<u64>,
        /// The first generation that serves it.
        generation: u64,
    },
    /// A generation that can be published again.
    Generation {
        /// Its number.
        number: u64,
        /// Its description, as JSON of a `PastGeneration`.
        line: String,
    },
    /// Removes all but this many of the newest generations.
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
        /// The part it belongs to.
        part: &'a str,
        /// Its position among the texts of that part.
        place: u64,
        /// The text, of a bounded size ([`super::parts`]).
        text: Cow<'a, str>,
    },
    /// Removes all parts but those of these generations.
    KeepParts([u64; 2]),
    /// A new or changed credential.
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
    /// A new or changed delivery.
    Delivery(DeliveryRow),
    /// Gives up all pending deliveries to a webhook.
    StopDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
    },
    /// Removes finished deliveries of a webhook that are older than its newest `keep`.
    TrimDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
        /// How many are retained.
        keep: u32,
    },
    /// Starts the cooldown of a handler, in which it is not sent the same event again; removes expired ones.
    Quiet {
        /// Handler and event.
        name: String,
        /// The end of the cooldown, in Unix milliseconds.
        until: u64,
        /// The current time, in Unix milliseconds.
        now: u64,
    },
    /// Removes notifications of an organisation up to this number together with their deliveries, except those with
    /// pending deliveries.
    TrimNotices {
        /// The organisation.
        org: &'a str,
        /// The last number to remove.
        upto: u64,
    },
    /// Removes revisions of a document up to one. Of an API definition, except the published one, those a retained
    /// generation has served, and those whose handlers have pending deliveries; of a record, except those that later
    /// ones are patches on.
    TrimRevisions {
        /// The document.
        of: DocumentId<'a>,
        /// The last revision to remove.
        upto: u64,
        /// The published revision of an API definition.
        published: Option<u64>,
        /// Whether only the deletion follows it.
        gone: bool,
    },
    /// Removes entries of the audit trail up to this number.
    TrimAudit {
        /// The last number to remove.
        upto: u64,
    },
    /// Removes finished deliveries of a webhook.
    RemoveDeliveries {
        /// The internal id of the webhook.
        hook: &'a str,
        /// The first number to remove.
        from: u64,
        /// The last number to remove.
        to: u64,
    },
    /// Removes a credential.
    CredentialRemoved {
        /// SHA-256 of its token, in hexadecimal digits.
        hash: &'a str,
    },
    /// Removes a bounded number of notifications of an organisation's share that are older than its newest `keep`,
    /// together with their deliveries, except those with pending deliveries.
    TrimShare {
        /// The organisation.
        org: &'a str,
        /// The share, see [`crate::registry::journal`].
        share: &'a str,
        /// How many are retained.
        keep: u64,
    },
    /// The secrets that sign a webhook's calls.
    Secrets {
        /// The internal id of the webhook.
        hook: &'a str,
        /// The secrets.
        secrets: HookSecrets,
    },
    /// A new or changed session.
    Session {
        /// The row after the write.
        row: SessionRow,
        /// Its text.
        text: &'a str,
        /// Whether nothing is stored with its id yet.
        is_new: bool,
        /// Where it comes from.
        origin: Origin<'a>,
    },
    /// Removes a session.
    SessionRemoved {
        /// The kind of owner.
        owner: Owner,
        /// The hash of the token, or the organisation.
        id: &'a str,
        /// The number of its end in the trail, or an earlier one that is later than its revision.
        revision: u64,
    },
    /// A new certificate.
    Certificate(&'a CertificateRow),
    /// Removes a certificate.
    CertificateRemoved {
        /// Its id.
        id: &'a str,
    },
    /// A new or changed client of the OAuth 2.0 server.
    OauthClient(&'a OauthClient),
    /// Removes a client from an API.
    OauthClientRemoved {
        /// The API.
        api: &'a str,
        /// The client.
        id: &'a str,
        /// Another API that knows the client and takes over its tokens.
        other: Option<&'a str>,
    },
    /// A new authorization code.
    OauthCode(&'a OauthCode),
    /// Records that a code was exchanged for an access token.
    OauthCodeUsed {
        /// The code.
        code: &'a str,
        /// The access token.
        access: &'a str,
    },
    /// A new token.
    OauthToken(&'a OauthToken),
    /// Ends an access token, if the key was one. Its refresh token remains.
    OauthAccessEnded(&'a str),
    /// Removes a token together with its refresh token, because another one replaces it.
    OauthTokenReplaced {
        /// The access token to remove.
        access: &'a str,
        /// The token that replaces it.
        by: &'a OauthToken,
    },
    /// Ends a refresh token.
    OauthRefreshEnded(&'a str),
    /// Ends the refresh tokens and codes of a client at an API.
    OauthEnded {
        /// The API.
        api: &'a str,
        /// The client.
        client: &'a str,
    },
    /// A new sign-in, or one that was used.
    SignIn(&'a SignInRow),
    /// Ends a sign-in.
    SignInEnded(&'a str),
    /// Ends the sign-ins that were made with any of these credentials.
    SignInsEnded(&'a Shown),
    /// Removes sign-ins that have expired, and beyond a number the least recently used ones.
    TrimSignIns {
        /// Those not used since this time have expired, in Unix milliseconds.
        seen: u64,
        /// Those made up to this time have expired, in Unix milliseconds.
        begun: u64,
        /// How many of the others are retained.
        keep: u32,
        /// A credential, by the hash of its token, and how many of its sign-ins are retained.
        of: Option<(&'a str, u32)>,
    },
    /// A revision of a document that is older than its newest one.
    Older(&'a Older),
    /// Removes everything that is administered, except what has been written since an import began.
    Emptied {
        /// The number of the last entry of the trail before that.
        begun: u64,
        /// The number of the entry about it.
        number: u64,
    },
}

impl Rows {
    /// Applies changes, all or none.
    ///
    /// # Errors
    /// If one can't be applied.
    pub fn commit(&self, changes: &[Change<'_>]) -> Result<(), StoreError> {
        self.transaction(&mut || changes.iter().try_for_each(|change| self.make(change)))
    }

    fn make(&self, change: &Change<'_>) -> Result<(), StoreError> {
        match change {
            Change::Document {
                document,
                action,
                body,
            } => self.put_document(document, *action, *body),
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
            Change::Credential { credential, hash } => self.put_credential(credential, hash),
            Change::Notice { org, notice } => self.put_notice(org, notice),
            Change::Audit(entry) => self.put_audit(entry),
            Change::Delivery(row) => self.put_delivery(row),
            Change::StopDeliveries { hook } => self.stop_deliveries(hook),
            Change::TrimDeliveries { hook, keep } => self.trim_deliveries(hook, *keep),
            Change::Quiet { name, until, now } => self.put_quiet(name, *until, *now),
            Change::TrimNotices { org, upto } => self.trim_notices(org, *upto),
            Change::TrimRevisions {
                of,
                upto,
                published,
                gone,
            } => match of.kind {
                Subject::Api => self.trim_definition(of.id, *upto, *published),
                _ => self.trim_record(*of, *upto, *gone),
            },
            Change::TrimShare { org, share, keep } => self.trim_share(org, share, *keep),
            Change::TrimAudit { upto } => self.trim_audit(*upto),
            Change::RemoveDeliveries { hook, from, to } => self.remove_deliveries(hook, *from, *to),
            Change::CredentialRemoved { hash } => self.remove_credential(hash),
            Change::Secrets { hook, secrets } => self.put_secrets(hook, secrets),
            Change::Session {
                row,
                text,
                is_new,
                origin,
            } => self.put_session(row, text, *is_new, *origin),
            Change::SessionRemoved {
                owner,
                id,
                revision,
            } => self.remove_session(*owner, id, *revision),
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
            Change::TrimSignIns {
                seen,
                begun,
                keep,
                of,
            } => self.trim_sign_ins((*seen, *begun), *keep, *of),
            Change::Older(older) => self.put_older(older),
            Change::Emptied { begun, number } => self.empty(*begun, *number),
        }
    }
}
