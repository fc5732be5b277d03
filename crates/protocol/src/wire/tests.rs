//! The encoding in bytes: the previous and the next release write and read exactly these. What may change in a type
//! that travels is checked by `shapes.rs`.

use super::*;
use crate::caller::{Caller, Client, Need, Sender};
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
use gatewright_model::issue::{Issue, IssueCode};
use gatewright_model::{definition, diff};
use serde::Deserialize;

#[track_caller]
fn check<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(value: &T, text: &str) {
    let written = write(value).unwrap();
    assert_eq!(written, format!("{MARK}{text}"));
    let behind = written.clone() + "\n{\"text\":\"é\"}";
    assert_eq!(read::<T>(&behind).unwrap().0, *value);
    assert_eq!(read::<T>(&behind).unwrap().1, "\n{\"text\":\"é\"}");
    // A text that is cut off anywhere is an error, and never a panic.
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
        "0;46;8;naïve;\n1;15;1;2;3;70;1;0;0;1;11;1;b0;2;v20;",
    );
    check(&Command::List, "6;");
    check(
        &Command::Summaries(SummaryQuery::default()),
        "7;16;0;0;0;0;0;0;0;0;",
    );
    check(
        &Command::Revisions {
            id: "a".to_owned(),
            before: Some(u64::MAX),
            limit: 7,
        },
        "5;28;1;a1;18446744073709551615;7;",
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
        "11;58;51;1;c0;0;29;1;1;1;1;18;0;0;0;0;0;0;0;0;0;0;1;4;20260;2;00",
    );
}

#[test]
fn commands_with_a_sender_are_unchanged() {
    let command = Command::Revoke { id: "c".to_owned() };
    assert_eq!(command.by(&Sender::default()), None);
    let sender = Sender {
        actor: "anna".to_owned(),
        client: Client::new("192.0.2.1", Some("curl"), "r"),
    };
    assert_eq!(Command::List.by(&sender), None);
    let by = command.by(&sender).unwrap();
    check(&by, "30;43;4;anna12;3;1;c26;1;9;192.0.2.11;4;curl1;1;r");
    // As the previous release sends it.
    let (before, _) = read::<Command>(&format!("{MARK}30;14;4;anna12;3;1;c")).unwrap();
    let known = Sender {
        client: Client::default(),
        ..sender
    };
    assert_eq!(Some(before), command.by(&known));
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
        "15;1;53;1;o10;KeyExpired2;{}1;28;20;api/a/1/KeyExpired/01;h5;",
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
        "13;32;0;6;1;2;2;4;17;1;1;i0;8;0;0;0;0;",
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
        "13;45;0;6;1;2;2;12;29;2;24;0;1;0;0;0;0;0;2;0;1;1;0;",
    );
    check(&ask(RecordCommand::Categories), "13;13;0;6;1;2;2;13;");
    check(
        &ask(RecordCommand::Watch(Some(4))),
        "13;17;0;6;1;2;2;15;1;4;",
    );
    let act = HookAct::Rotate(Secret::new("AAAA").unwrap());
    check(
        &ask(RecordCommand::Hook(HookAsk {
            id: "h".to_owned(),
            act,
        })),
        "13;34;0;6;1;2;2;16;18;1;h2;10;whsec_AAAA",
    );
    let filter = AuditFilter {
        subjects: vec![Subject::Api, Subject::Reload],
        action: Some(Action::Deleted),
        ..AuditFilter::default()
    };
    check(
        &ask(RecordCommand::Audit(filter)),
        "13;46;0;6;1;2;2;17;30;0;0;2;0;5;0;1;2;0;0;0;0;0;0;0;",
    );
}

#[test]
fn questions_to_ledgers_are_unchanged() {
    let ask = Consume {
        clear: true,
        ..Consume::look()
    };
    check(&ask, "16;1;0;0;0;1;0;0;1;");
}

#[test]
fn replies_are_unchanged() {
    check(
        &Reply::Refused(Refusal::Precondition { current: Some(2) }),
        "0;2;4;1;2;",
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
        "6;26;1;h7;3;9;14;1;l4;0;1;1;p0;",
    );
    check(
        &Reply::Document {
            revision: 5,
            pending: true,
            base: None,
        },
        "2;6;5;1;0;",
    );
    let issues = definition::validate("{}");
    let refused = RecordRefusal::Invalid {
        issues: issues[..1].to_vec(),
    };
    check(
        &Reply::Dashboard(Answer::Refused(refused)),
        "5;0;12;61;1;56;5;/name8;required0;26;\"name\" is required; add it1;1;1;2;",
    );
    // A member that is omitted from JSON is present here.
    check(
        &Reply::Dashboard(Answer::Written {
            id: "x".to_owned(),
            action: Action::Added,
            revision: 1,
            changes: diff::changes("{}", "{\"a\":1}").unwrap(),
            issues: Vec::new(),
        }),
        "5;2;27;1;x0;1;1;13;2;/a0;0;1;1;10;",
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
        ip_address: Some("192.0.2.1".to_owned()),
        user_agent: None,
        request_id: Some("r".to_owned()),
    };
    check(
        &Reply::Dashboard(Answer::Audit(Audit {
            entries: vec![entry],
            next: None,
        })),
        "5;7;54;1;47;9;1;t1;o1;a3;2;1;i1;n0;1;1;1;9;192.0.2.10;1;1;r0;",
    );
}

#[test]
fn types_without_an_encoding_are_errors() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Odd<T>(T);
    assert!(write(&Odd(1.5)).is_err() && write(&Odd(-1)).is_err() && write(&Odd('c')).is_err());
    assert!(write(&serde_json::json!({ "a": 1 })).is_err());
    assert!(read::<serde_json::Value>("gw5|1;").is_err());
    assert!(read::<u8>("gw5|256;").is_err() && read::<Kind>("gw5|4;").is_err());
    assert!(read::<String>("gw5|2;é").is_ok() && read::<String>("gw5|1;é").is_err());
    assert!(read::<Vec<u64>>("gw5|99999999999999;").is_err());
    assert!(read::<u64>("gw0|1;").is_err() && read::<u64>("{\"read\":{}}").is_err());
}

#[test]
fn a_release_reads_what_the_previous_and_the_next_one_write() {
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum Before {
        Both(Vec<Inner>),
        Named { inner: Inner, number: u32 },
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Inner {
        name: String,
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    enum After {
        Both(Vec<Larger>),
        Named {
            inner: Larger,
            number: u32,
            #[serde(default)]
            more: Option<Larger>,
        },
    }
    #[derive(Serialize, Deserialize, PartialEq, Debug)]
    struct Larger {
        name: String,
        #[serde(default)]
        is_new: bool,
        #[serde(default)]
        tags: Vec<String>,
    }
    let inner = |name: &str| Inner {
        name: name.to_owned(),
    };
    let larger = |name: &str, is_new| Larger {
        name: name.to_owned(),
        is_new,
        tags: is_new.then(|| "é;".to_owned()).into_iter().collect(),
    };
    let named = |is_new| After::Named {
        inner: larger("a", is_new),
        number: 7,
        more: is_new.then(|| larger("c", true)),
    };
    let both = |is_new| After::Both(vec![larger("a", is_new), larger("b", is_new)]);
    let before_named = Before::Named {
        inner: inner("a"),
        number: 7,
    };
    let before_both = Before::Both(vec![inner("a"), inner("b")]);
    for (before, after, with_defaults) in [
        (before_named, named(true), named(false)),
        (before_both, both(true), both(false)),
    ] {
        let later = write(&after).unwrap() + "\nrest";
        let earlier = write(&before).unwrap() + "\nrest";
        assert_eq!(read::<Before>(&later).unwrap(), (before, "\nrest"));
        assert_eq!(read::<After>(&later).unwrap(), (after, "\nrest"));
        assert_eq!(read::<After>(&earlier).unwrap(), (with_defaults, "\nrest"));
    }
    // A field without a default must be present.
    assert_eq!(read::<Inner>("gw5|0;"), Err(WireError::Broken));
}

#[test]
fn a_variant_of_a_later_release_is_an_unknown_error() {
    for text in ["gw5|99;", "gw6|6;", "gw5|13;13;0;6;1;2;2;99;"] {
        let error = read::<Command>(text).unwrap_err();
        assert!(
            error.to_string().contains("deploy one of them everywhere"),
            "{text}: {error}"
        );
    }
    assert_eq!(read::<Kind>("gw5|4;"), Err(WireError::Unknown));
    // A code travels as its word, and becomes less specific where it isn't known.
    let text = "gw5|29;2;/a9;brand_new0;2;it1;1;1;2;";
    let issue: Issue = read(text).unwrap().0;
    assert_eq!(issue.code, IssueCode::Other);
}
