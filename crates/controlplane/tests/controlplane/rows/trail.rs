//! The filters of the audit trail: each uses an index, and all agree.

use super::plans::{by, plans};
use super::session;
use gatewright_api::RESOURCES;
use gatewright_api::dashboard::shape::{AuditEntry, Subject};
use gatewright_api::message::Action;
use gatewright_controlplane::registry::rows::{Change, Rows};
use gatewright_protocol::records::AuditFilter;
use gatewright_testkit::sqlite::Sqlite;

fn filter(change: impl FnOnce(&mut AuditFilter)) -> AuditFilter {
    let mut filter = AuditFilter {
        org: Some("acme".to_owned()),
        limit: 9,
        ..AuditFilter::default()
    };
    change(&mut filter);
    filter
}

#[test]
fn every_trail_filter_uses_an_index() {
    let audit = |filter: AuditFilter| {
        plans(|rows| {
            rows.audit(&filter).unwrap();
        })
    };
    let some = || Some("x".to_owned());
    by(
        "audit_org (org=? AND rowid",
        &audit(filter(|filter| filter.before = Some(7))),
    );
    by(
        "audit_actor (org=? AND actor=? AND rowid",
        &audit(filter(|filter| filter.actor = some())),
    );
    by(
        "audit_id (org=? AND id=? AND rowid",
        &audit(filter(|filter| filter.id = some())),
    );
    by(
        "audit_ip_address (org=? AND ip_address=? AND rowid",
        &audit(filter(|filter| filter.ip_address = some())),
    );
    by(
        "audit_request_id (org=? AND request_id=? AND rowid",
        &audit(filter(|filter| filter.request_id = some())),
    );
    by(
        "audit_action (org=? AND action=? AND rowid",
        &audit(filter(|filter| filter.action = Some(Action::Added))),
    );
    by(
        "audit_subject (org=? AND subject=? AND rowid",
        &audit(filter(|filter| filter.subjects = vec![Subject::Reload])),
    );
    let two = vec![Subject::Reload, Subject::Webhook];
    let of_two = audit(filter(|filter| filter.subjects = two));
    assert_eq!(of_two.len(), 2);
    by("audit_subject", &of_two);
    let all = RESOURCES.iter().map(|row| row.subject).collect();
    by("audit_org", &audit(filter(|filter| filter.subjects = all)));
    let times = audit(filter(|filter| filter.to = some()));
    by("audit_at (org=? AND at>?)", &times[..1]);
    by("audit_org", &times);
}

#[test]
fn entry_lookup_by_number_uses_an_index() {
    by(
        "USING INTEGER PRIMARY KEY",
        &plans(|rows| {
            rows.audit_entry(7).unwrap();
        }),
    );
}

fn entry(seq: u64, subject: Subject) -> AuditEntry {
    AuditEntry {
        seq,
        at: format!("2026-01-01T00:00:0{}.000Z", seq / 2),
        org_id: if seq.is_multiple_of(3) {
            "other"
        } else {
            "acme"
        }
        .to_owned(),
        actor: "a".to_owned(),
        action: Action::Added,
        subject,
        id: "x".to_owned(),
        name: String::new(),
        before: None,
        after: Some(1),
        ip_address: (seq > 4).then(|| "192.0.2.1".to_owned()),
        user_agent: None,
        request_id: (seq > 4).then(|| format!("Request-{seq}")),
    }
}

#[test]
fn filters_agree_whatever_index_is_used() {
    let rows = Rows::new(Box::new(Sqlite::default()));
    let subjects = [Subject::Api, Subject::Key, Subject::Policy];
    let entries = (1..10_u64).zip(subjects.into_iter().cycle());
    let changes: Vec<_> = entries
        .map(|(seq, subject)| Change::Audit(entry(seq, subject)))
        .collect();
    rows.commit(&changes).unwrap();
    rows.commit(&[session("s")]).unwrap();
    let seqs = |change: &dyn Fn(&mut AuditFilter)| {
        let found = rows.audit(&filter(change)).unwrap();
        found.iter().map(|entry| entry.seq).collect::<Vec<_>>()
    };
    assert_eq!(seqs(&|_| ()), [8, 7, 5, 4, 2, 1]);
    let two = || vec![Subject::Key, Subject::Api];
    assert_eq!(seqs(&|filter| filter.subjects = two()), [8, 7, 5, 4, 2, 1]);
    assert_eq!(
        seqs(&|filter| (filter.subjects, filter.limit) = (two(), 3)),
        [8, 7, 5]
    );
    assert_eq!(
        seqs(&|filter| filter.subjects = vec![Subject::Key]),
        [8, 5, 2]
    );
    assert!(seqs(&|filter| filter.subjects = vec![Subject::Policy]).is_empty());
    let id = |id: &str| Some(id.to_owned());
    assert_eq!(
        seqs(&|filter| (filter.subjects, filter.id) = (two(), id("x"))),
        [8, 7, 5, 4, 2, 1]
    );
    assert!(seqs(&|filter| filter.id = id("y")).is_empty());
    // Entry 9 is of another organisation.
    assert_eq!(seqs(&|filter| filter.request_id = id("Request-7")), [7]);
    assert!(seqs(&|filter| filter.request_id = id("Request-9")).is_empty());
    assert_eq!(
        seqs(&|filter| filter.ip_address = id("192.0.2.1")),
        [8, 7, 5]
    );
    assert!(seqs(&|filter| filter.ip_address = id("192.0.2")).is_empty());
    assert_eq!(
        seqs(&|filter| (filter.subjects, filter.ip_address) = (two(), id("192.0.2.1"))),
        [8, 7, 5]
    );
    assert_eq!(seqs(&|filter| filter.part = id("0.2.1")), [8, 7, 5]);
    assert_eq!(seqs(&|filter| filter.part = id("request-8")), [8]);
    let at = |second: &str| Some(format!("2026-01-01T00:00:0{second}Z"));
    assert_eq!(seqs(&|filter| filter.from = at("2.000")), [8, 7, 5, 4]);
    assert_eq!(seqs(&|filter| filter.to = at("2.000")), [2, 1]);
    assert_eq!(seqs(&|filter| filter.to = at("9.000")), [8, 7, 5, 4, 2, 1]);
    assert!(seqs(&|filter| filter.from = at("4.001")).is_empty());
    assert_eq!(
        seqs(&|filter| (filter.from, filter.before) = (at("1.000"), Some(5))),
        [4, 2]
    );
}
