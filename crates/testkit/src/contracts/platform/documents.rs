//! Storing and reading documents in the Registry.

use super::super::{Case, Outcome, abbreviated, cases, ensure, ensure_eq, unexpected};
use super::definition;
use gatewright_controlplane::ports::Platform;
use gatewright_protocol::registry::{Command, Guard, Refusal, Reply, Write};
use serde_json::json;

pub(super) fn cases<P: Platform>() -> Vec<Case<P>> {
    cases![
        a_document_comes_back_byte_for_byte,
        a_large_document_comes_over,
        a_condition_that_fails_is_an_answer_and_changes_nothing,
        a_document_that_is_missing_is_an_answer,
    ]
}

async fn write<P: Platform>(
    platform: &P,
    id: &str,
    text: &str,
    guard: Guard,
) -> Result<Reply, String> {
    let command = Command::Write(Write {
        id: id.to_owned(),
        update: false,
        guard,
        version_of: None,
    });
    let (reply, _) = platform.call(&command, text).await.map_err(unexpected)?;
    Ok(reply)
}

/// Stores a document.
pub(super) async fn stored<P: Platform>(platform: &P, id: &str, text: &str) -> Result<u64, String> {
    match write(platform, id, text, Guard::default()).await? {
        Reply::Written { revision, .. } => Ok(revision),
        other => Err(format!(
            "the write was answered with {}",
            abbreviated(&other)
        )),
    }
}

/// Returns the revision and the text of a document.
async fn found<P: Platform>(platform: &P, id: &str) -> Result<(u64, String), String> {
    let command = Command::Read { id: id.to_owned() };
    match platform.call(&command, "").await.map_err(unexpected)? {
        (Reply::Document { revision, .. }, text) => Ok((revision, text)),
        (other, _) => Err(format!(
            "the read was answered with {}",
            abbreviated(&other)
        )),
    }
}

async fn a_document_comes_back_byte_for_byte<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-bytes";
    let text = "{ \"api_id\": \"contract-bytes\", \"name\": \"\u{fc} \u{1f600} \\u2028\",\r\n\t\"n\": 1.0, \
                \"big\": 12345678901234567890, \"z\": {}, \"a\": [ ], \"proxy\": {\"listen_path\": \
                \"/contract-bytes/\", \"target_url\": \"http://up\"} }\n";
    let revision = stored(platform, id, text).await?;
    ensure_eq(
        "what is stored",
        found(platform, id).await?,
        (revision, text.to_owned()),
    )
}

async fn a_large_document_comes_over<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-large";
    let mut large = definition(id);
    let notes = vec!["\u{20ac}".repeat(1000); 300];
    if let Some(members) = large.as_object_mut() {
        members.insert("config_data".to_owned(), json!({ "notes": notes }));
    }
    let text = large.to_string();
    let revision = stored(platform, id, &text).await?;
    let found = found(platform, id).await?;
    ensure_eq("its length", found.1.len(), text.len())?;
    ensure("it has another text or revision", found == (revision, text))
}

async fn a_condition_that_fails_is_an_answer_and_changes_nothing<P: Platform>(
    platform: &P,
) -> Outcome {
    let id = "contract-condition";
    let text = definition(id).to_string();
    let revision = stored(platform, id, &text).await?;
    let guard = Guard {
        absent: true,
        ..Guard::default()
    };
    let current = Some(revision);
    ensure_eq(
        "the answer",
        write(platform, id, "{}", guard).await?,
        Reply::Refused(Refusal::Precondition { current }),
    )?;
    ensure_eq(
        "what is stored",
        found(platform, id).await?,
        (revision, text),
    )
}

async fn a_document_that_is_missing_is_an_answer<P: Platform>(platform: &P) -> Outcome {
    let id = "contract-missing".to_owned();
    let (reply, text) = platform
        .call(&Command::Read { id }, "")
        .await
        .map_err(unexpected)?;
    let wanted = (Reply::Refused(Refusal::NotFound), String::new());
    ensure_eq("the answer", (reply, text), wanted)
}
