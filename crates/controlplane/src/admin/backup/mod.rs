//! Everything that is administered as one stream of lines, for backups and for moving to another gateway.
//!
//! The promise: the content of an export is restored byte for byte; a file that is cut off, altered or from a later
//! release is refused; and neither export nor import holds more than a page in memory. The lines are the Registry's
//! ([`crate::registry::backup`]); added here are the first and the last one, the counters of Ledgers, and the sealing
//! of secrets.

mod check;
mod export;
mod import;

pub use export::Export;
pub use import::Import;

use super::replies::unexpected;
use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::endpoint::{self, Found, Operation};
use gatewright_api::message::{Action, ModifySuccess, PASSPHRASE_HEADER};
use gatewright_protocol::backup::Backup;
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use serde::Serialize;

/// The version of the line format that is written. Versions up to it can be read.
const FORMAT: i64 = 1;
/// How the sealing key is derived from a passphrase, and the cipher it is used with: PBKDF2 with HMAC-SHA-512 (RFC
/// 8018) and as many iterations as the platform allows, over the text of the salt; AES-GCM with 256 bits and a random
/// 96-bit nonce (NIST SP 800-38D), which precedes the sealed text, in base64. The name is the additional authenticated
/// data.
pub const SEALING: &str = "PBKDF2-HMAC-SHA-512,100000,AES-256-GCM";
/// The shortest passphrase in characters; a shorter one can be guessed.
const PASSPHRASE_MIN: usize = 16;
/// The text sealed in the first line, so that a wrong passphrase is detected at once.
const PROOF: &str = "passphrase";
/// The maximum number of Ledgers called concurrently.
const AT_ONCE: usize = 16;

/// Returns the operation of an authorised request whose body or response is streamed: an export or an import. `None`
/// for every other request, including one that is refused.
pub fn streams<P: Platform>(platform: &P, request: &Request) -> Option<Operation> {
    let Found::Endpoint(endpoint, _) = endpoint::find(&request.method, &request.path) else {
        return None;
    };
    let operation = endpoint.operation;
    let streams = matches!(operation, Operation::Export | Operation::Import)
        && super::condition::invalid_flag(request).is_none();
    (streams && super::has_secret(platform, request)).then_some(operation)
}

/// The response to an import that was given up.
#[derive(Serialize)]
struct Removed {
    #[serde(flatten)]
    done: ModifySuccess,
    /// What others have written meanwhile, as numbers by kind.
    #[serde(skip_serializing_if = "String::is_empty")]
    left: String,
}

/// `DELETE /gateway/import`.
pub(super) async fn give_up<P: Platform>(platform: &P) -> Result<Response, Error> {
    match platform.call(&Command::Backup(Backup::GiveUp), "").await? {
        (Reply::Json, left) => {
            platform.orgs_changed().await;
            let done = ModifySuccess::of("import", Action::Deleted);
            Ok(Response::json(200, &Removed { done, left }))
        }
        (Reply::Refused(Refusal::NotFound), _) => {
            let text = "No import is under way: one that has ended stays";
            Err(Error::refused(404, text))
        }
        _ => Err(unexpected()),
    }
}

/// Returns the passphrase of a request.
fn passphrase(request: &Request) -> Result<Option<&str>, Error> {
    let given = request.header(PASSPHRASE_HEADER);
    let short = given.is_some_and(|text| text.chars().count() < PASSPHRASE_MIN);
    if short {
        let text =
            format!("{PASSPHRASE_HEADER}: a passphrase has {PASSPHRASE_MIN} characters or more");
        return Err(Error::Refused(400, text));
    }
    Ok(given)
}
