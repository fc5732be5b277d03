//! Messages between two releases are told apart by the mark: whoever changes a type that travels sees
//! a test fail here and raises the mark with it.

use super::*;
use crate::caller::{Caller, Need};
use crate::ledger::Consume;
use crate::records::{
    Answer, Ask, AuditFilter, HookAct, HookAsk, Kind, RecordCommand, RecordQuery, RecordRefusal,
};
use crate::registry::{Aside, Command, Guard, Refusal, Reply, SummaryQuery, VersionOf, Write};
use crate::secret::Secret;
use crate::signal::{Receiver, Signal};
use gatewright_api::dashboard::shape::{Audit, AuditEntry, Credential, Subject};
use gatewright_api::dashboard::{Access, Group, Permissions};
use gatewright_api::message::Action;
use gatewright_model::{definition, diff};
use serde::Deserialize;

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    let written = write(value).unwrap();
    assert_eq!(written, format!("{MARK}{text}"));
    let behind = written.clone() + "\n{\"text\":\"é\"}";
    assert_eq!(read::<T>(&behind).unwrap().0, *value);
    assert_eq!(read::<T>(&behind).unwrap().1, "\n{\"text\":\"é\"}");
    // A text that was cut off anywhere is an error, and never a panic.
    for end in written.char_indices().map(|(end, _)| end) {
        assert!(read::<T>(&written[..end]).is_err(), "{}", &written[..end]);
    }
}

fn guard() -> Guard {
    Guard {
        revisions: Some(vec![3, 70]),
        exists: true,
        ..Guard::default()
    }
}

fn ask(command: RecordCommand) -> Command {
    Command::Dashboard(Ask {
        caller: Caller::Root,
        need: Need {
            group: Some(Group::Hooks),
            access: Access::Write,
        },
        command,
    })
}

#[test]
fn commands_are_unchanged() {
    let write = Write {
        id: "naïve;\n".to_owned(),
        update: true,
        guard: guard(),
        version_of: Some(VersionOf {
            base: "b".to_owned(),
            base_name: String::new(),
            name: "v2".to_owned(),
            set_default: false,
        }),
    };
    check(
        &Command::Write(write),
        "0;8;naïve;\n1;1;2;3;70;1;0;0;1;1;b0;2;v20;",
    );
    check(&Command::List, "6;");
    check(
        &Command::Summaries(SummaryQuery::default()),
        "7;0;0;0;0;0;0;0;",
    );
    check(
        &Command::Revisions {
            id: "a".to_owned(),
            before: Some(u64::MAX),
            limit: 7,
        },
        "5;1;a1;18446744073709551615;7;",
    );
    let credential = Credential {
        id: "c".to_owned(),
        permissions: Permissions::all(Access::Read),
        expires_at: Some("2026".to_owned()),
        ..Credential::default()
    };
    check(
        &Command::Issue {
            credential,
            hash: "00".to_owned(),
        },
        "11;1;c0;0;1;1;1;1;0;1;4;20260;2;00",
    );
}

#[test]
fn commands_about_events_are_unchanged() {
    let receiver = Receiver {
        hook: "api/a/1/KeyExpired/0".to_owned(),
        id: "h".to_owned(),
        quiet_seconds: 5,
    };
    let signal = Signal {
        org: "o".to_owned(),
        kind: "KeyExpired".to_owned(),
        data: "{}".to_owned(),
        receivers: vec![receiver],
    };
    check(
        &Command::Raise(vec![signal]),
        "15;1;1;o10;KeyExpired2;{}1;20;api/a/1/KeyExpired/01;h5;",
    );
}

#[test]
fn commands_about_documents_are_unchanged() {
    check(
        &ask(RecordCommand::Restore {
            kind: Kind::ClientIdp,
            id: "i".to_owned(),
            revision: None,
            guard: Guard::default(),
        }),
        "13;0;1;2;2;4;1;1;i0;0;0;0;0;",
    );
    check(
        &ask(RecordCommand::List {
            kind: Kind::Webhook,
            query: RecordQuery {
                active: Some(false),
                page: Some(1),
                ..RecordQuery::default()
            },
        }),
        "13;0;1;2;2;12;2;0;1;0;0;0;0;0;2;0;1;1;0;",
    );
    check(&ask(RecordCommand::Categories), "13;0;1;2;2;13;");
    check(&ask(RecordCommand::Watch(Some(4))), "13;0;1;2;2;15;1;4;");
    let act = HookAct::Rotate(Secret::new("AAAA").unwrap());
    check(
        &ask(RecordCommand::Hook(HookAsk {
            id: "h".to_owned(),
            act,
        })),
        "13;0;1;2;2;16;1;h2;10;whsec_AAAA",
    );
    let filter = AuditFilter {
        subjects: vec![Subject::Api, Subject::Reload],
        action: Some(Action::Deleted),
        ..AuditFilter::default()
    };
    check(
        &ask(RecordCommand::Audit(filter)),
        "13;0;1;2;2;17;0;0;2;0;5;0;1;2;0;0;0;0;",
    );
}

#[test]
fn questions_to_ledgers_are_unchanged() {
    let ask = Consume {
        clear: true,
        ..Consume::look()
    };
    check(&ask, "1;0;0;0;1;0;0;1;");
}

#[test]
fn replies_are_unchanged() {
    check(
        &Reply::Refused(Refusal::Precondition { current: Some(2) }),
        "0;2;1;2;",
    );
    check(
        &Reply::Session {
            id: "h".to_owned(),
            revision: 7,
            reset: 3,
            ends: 9,
            aside: Aside {
                clears: "l".to_owned(),
                wait_ms: 4,
                pending: vec!["p".to_owned()],
                ..Aside::default()
            },
        },
        "6;1;h7;3;9;1;l4;0;1;1;p",
    );
    check(
        &Reply::Document {
            revision: 5,
            pending: true,
            base: None,
        },
        "2;5;1;0;",
    );
    let issues = definition::validate("{}");
    let refused = RecordRefusal::Invalid {
        issues: issues[..1].to_vec(),
    };
    check(
        &Reply::Dashboard(Answer::Refused(refused)),
        "5;0;12;1;5;/name4;0;26;\"name\" is required; add it1;1;1;2;",
    );
    // A member that JSON leaves out is there.
    check(
        &Reply::Dashboard(Answer::Written {
            id: "x".to_owned(),
            action: Action::Added,
            revision: 1,
            changes: diff::changes("{}", "{\"a\":1}").unwrap(),
            issues: Vec::new(),
        }),
        "5;2;1;x0;1;1;2;/a0;0;1;1;10;",
    );
    let entry = AuditEntry {
        seq: 9,
        at: "t".to_owned(),
        org_id: "o".to_owned(),
        actor: "a".to_owned(),
        action: Action::Restored,
        subject: Subject::ClientIdp,
        id: "i".to_owned(),
        name: "n".to_owned(),
        before: None,
        after: Some(1),
    };
    check(
        &Reply::Dashboard(Answer::Audit(Audit {
            entries: vec![entry],
            next: None,
        })),
        "5;7;1;9;1;t1;o1;a3;2;1;i1;n0;1;1;0;",
    );
}

#[test]
fn what_this_form_has_none_of_is_an_error() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Odd<T>(T);
    assert!(write(&Odd(1.5)).is_err() && write(&Odd(-1)).is_err() && write(&Odd('c')).is_err());
    assert!(write(&serde_json::json!({ "a": 1 })).is_err());
    assert!(read::<serde_json::Value>("gw5|1;").is_err());
    assert!(read::<u8>("gw5|256;").is_err() && read::<Kind>("gw4|4;").is_err());
    assert!(read::<String>("gw5|2;é").is_ok() && read::<String>("gw4|1;é").is_err());
    assert!(read::<Vec<u64>>("gw5|99999999999999;").is_err());
    assert!(read::<u64>("gw0|1;").is_err() && read::<u64>("{\"read\":{}}").is_err());
}
