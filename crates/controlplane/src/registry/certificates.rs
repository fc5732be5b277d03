//! Certificates (reference 1.8): stored once under organisation and fingerprint, and never changed.
//!
//! The promise: the material that isolates need to sign or to check a signature is handed to isolates only; no
//! response, audit entry or notification contains a private key.

use super::commit::{Draft, commit};
use super::encoding::to_json;
use super::journal::AuditedWrite;
use super::rows::{CertificateRow, Change};
use super::sessions::Sent;
use super::{Registry, Replied, Turn, done, refuse};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_model::document;
use gatewright_model::issue::{Issue, IssueCode, Severity};
use gatewright_model::json::{self, Value};
use gatewright_protocol::certificates::{CertificateAct, CertificateAsk};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Refusal, Reply};

/// Carries out a command.
pub(super) fn carry_out(turn: &mut Turn<'_>, ask: &CertificateAsk, details: &str) -> Replied {
    match ask.act {
        CertificateAct::Find => find(turn, &ask.ids),
        CertificateAct::List => Ok((
            Reply::Json,
            listed(&turn.rows.certificate_details(ask.org.as_deref())?),
        )),
        CertificateAct::Put => put(turn, ask, details),
        CertificateAct::Remove => {
            for id in &ask.ids {
                remove(turn, id)?;
            }
            done()
        }
    }
}

fn listed(details: &[String]) -> String {
    format!("[{}]", details.join(","))
}

fn find(turn: &Turn<'_>, ids: &[String]) -> Replied {
    let mut found = Vec::new();
    for id in ids {
        let row = turn.rows.certificate(id)?;
        found.push(row.map_or_else(|| "null".to_owned(), |row| row.details));
    }
    Ok((Reply::Json, listed(&found)))
}

fn put(turn: &mut Turn<'_>, ask: &CertificateAsk, details: &str) -> Replied {
    let id = ask.ids.first().map(String::as_str).unwrap_or_default();
    if turn.rows.certificate(id)?.is_some() {
        return refuse(Refusal::Exists);
    }
    let row = CertificateRow {
        id: id.to_owned(),
        org: ask.org.clone().unwrap_or_default(),
        at: turn.now.to_owned(),
        details: details.to_owned(),
        material: ask.material.clone(),
    };
    store(turn, &row, Action::Added, Change::Certificate(&row))?;
    done()
}

fn remove(turn: &mut Turn<'_>, id: &str) -> Result<(), StoreError> {
    let Some(row) = turn.rows.certificate(id)? else {
        return Ok(());
    };
    let removed = Change::CertificateRemoved { id };
    store(turn, &row, Action::Deleted, removed)
}

fn store(
    turn: &mut Turn<'_>,
    row: &CertificateRow,
    action: Action,
    change: Change<'_>,
) -> Result<(), StoreError> {
    let name = subject_cn(&row.details);
    let audited = AuditedWrite {
        org: &row.org,
        id: &row.id,
        name: &name,
        ..AuditedWrite::new(Subject::Certificate, action)
    };
    commit(turn, vec![Draft::new(audited, vec![change])])
}

/// Returns the common name of the certificate's subject.
fn subject_cn(details: &str) -> String {
    let value = json::parse(details);
    let subject = value.as_ref().ok().and_then(|value| value.get("subject"));
    let name = subject.and_then(|subject| subject.str("CommonName"));
    name.unwrap_or_default().to_owned()
}

/// Returns why a key can't use the certificates it names, in the words of reference 1.6, item 6. `certificate` is
/// checked only if an existing key gets another one.
pub(super) fn misfit(
    turn: &Turn<'_>,
    sent: &Sent<'_>,
    replaced: Option<&str>,
) -> Result<Option<Refusal>, StoreError> {
    let (org, value) = (&sent.session.org_id, &sent.value);
    let because = |reason: String| Ok(Some(Refusal::Rights { reason }));
    let bindings = value.get("mtls_static_certificate_bindings");
    for id in bindings.map(Value::items).unwrap_or_default() {
        let id = id.as_str().unwrap_or_default();
        if !id.starts_with(org) {
            return because(format!("invalid certificate ID: {id}"));
        }
        if turn.rows.certificate(id)?.is_none() {
            return because(format!("certificate not found: {id}"));
        }
    }
    let Some(replaced) = replaced else {
        return Ok(None);
    };
    let old = json::parse(replaced);
    let named = |value: &Value<'_>| value.str("certificate").unwrap_or_default().to_owned();
    let (old, new) = (old.as_ref().map(named).unwrap_or_default(), named(value));
    if new == old {
        return Ok(None);
    }
    if new.is_empty() {
        return because("Key cannot be used without a certificate".to_owned());
    }
    if turn.rows.certificate(&new)?.is_none() {
        return because("Key must be used with an existent certificate".to_owned());
    }
    Ok(None)
}

/// The maximum number of these warnings per definition.
const UNKNOWN_MAX: usize = 100;

/// Warns about certificates that a definition names but that are not stored. One that is added later is used at once.
pub(super) fn unknown(turn: &Turn<'_>, text: &str) -> Result<Vec<Issue>, StoreError> {
    let Ok(value) = json::parse(text) else {
        return Ok(Vec::new());
    };
    let mut named = Vec::new();
    let signing = "/request_signing/certificate_id";
    if let Some(id) = value.pointer(signing).and_then(Value::as_str) {
        named.push((signing.to_owned(), id));
    }
    let accepted = value.get("client_certificates").map(Value::items);
    for (at, id) in accepted.unwrap_or_default().iter().enumerate() {
        named.extend(
            id.as_str()
                .map(|id| (format!("/client_certificates/{at}"), id)),
        );
    }
    let mut issues = Vec::new();
    for (pointer, id) in named {
        if id.is_empty() || turn.rows.certificate(id)?.is_some() {
            continue;
        }
        if issues.len() >= UNKNOWN_MAX {
            break;
        }
        issues.extend(document::issue_at(
            text,
            &pointer,
            (Severity::Warning, IssueCode::Conflict),
            format!("no certificate {id} is stored; add it with POST /gateway/certs"),
        ));
    }
    Ok(issues)
}

impl Registry {
    /// Returns the material that an isolate signs and checks signatures with, as JSON; `None` if there is no such
    /// certificate.
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn certificate(&self, id: &str) -> Result<Option<String>, StoreError> {
        let row = self.rows.certificate(id)?;
        row.map(|row| to_json("write certificate", &row.material))
            .transpose()
    }
}
