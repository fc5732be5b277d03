//! Extra module `auth`: whether a credential is valid, and whose it is.
//!
//! The promise: all rules are here, and nothing is done here. What has to be done (fetching a key set, verifying a
//! signature) is a *wish*, which the platform grants (`worker/src/proofs.js`) before it calls again with all results so
//! far, so that the same decision is made from the start with one more result. What can't be verified is refused, and
//! no report, wish for the log or note contains a credential.

pub mod basic;
pub mod claims;
pub mod client;
mod date;
pub mod der;
pub mod external;
pub mod facts;
pub mod jose;
pub mod jwt;
pub mod keys;
pub mod openid;
pub mod policies;
pub mod report;
pub mod rules;
pub mod sets;
pub mod signatures;
pub mod token_signature;
pub mod wishes;

pub use facts::Facts;
pub use report::{Report, Stop};
pub use wishes::Wishes;

use gatewright_model::certificate;
use gatewright_model::json::parse;
use wasm_bindgen::prelude::wasm_bindgen;

/// Calls a function. It is named after a method, as `auth_configs` of a definition calls it (`jwt`, `oidc`,
/// `externalOAuth`, `basic`, `hmac`), `signature` for the signature of a token, or for client certificates
/// `clientCertificate`, `certificateKey` and `boundCertificate`. `settings` are members of the definition and `facts`
/// describes the request, both JSON objects (`crates/dataplane/src/links/proofs.rs`); the body is a JSON list of the
/// results of its wishes so far, maybe after one that it hasn't wished for yet ([`Wishes::new`]). Returns a report, or
/// another wish: `{"verify":…}`, `{"fetch":…}`, `{"certificate":…}` or `{"client":true}` ([`Wishes`]). A wish to verify a
/// signature is followed by the signature and what was signed, and maybe by the report if the signature is right
/// ([`Wishes::outcome`]). For input it can't read, it returns an empty text.
///
/// `readCertificate` is for the administration: `settings` is the organisation, `facts` the current time in RFC 3339,
/// and the body what is to be stored. It returns what [`certificate::read`] does, as JSON.
#[wasm_bindgen]
#[must_use]
pub fn call(function: &str, settings: &str, facts: &str, body: &[u8]) -> Vec<String> {
    let answer = match function {
        "readCertificate" => serde_json::to_string(&certificate::read(settings, body, facts))
            .ok()
            .map(|text| vec![text]),
        _ => prove(function, settings, facts, body),
    };
    answer.unwrap_or_else(|| vec![String::new()])
}

fn prove(function: &str, settings: &str, facts: &str, body: &[u8]) -> Option<Vec<String>> {
    let answers = std::str::from_utf8(body).ok()?;
    let (settings, given) = (parse(settings).ok()?, parse(answers).ok()?);
    let facts = Facts::read(parse(facts).ok()?)?;
    let api = settings.str("api_id").unwrap_or_default();
    let mut wishes = Wishes::new(api, facts.forgotten(api), &given);
    let proved = match function {
        "jwt" => jwt::prove(&settings, &facts, &mut wishes),
        "oidc" => openid::prove(&settings, &facts, &mut wishes),
        "basic" => basic::prove(&settings, &facts),
        "hmac" => signatures::prove(&settings, &facts, &mut wishes),
        "clientCertificate" => client::prove(&settings, &facts, &mut wishes),
        "certificateKey" => client::key(&facts, &mut wishes),
        "boundCertificate" => client::bound(&settings, &facts, &mut wishes),
        "signature" => token_signature::prove(&settings, &facts),
        "externalOAuth" => external::prove(&settings, &facts, &mut wishes),
        _ => return None,
    };
    Some(wishes.outcome(&proved))
}

/// Returns the size of the instance's memory, in bytes.
#[wasm_bindgen(js_name = memoryBytes)]
#[must_use]
pub fn memory_bytes() -> usize {
    #[cfg(target_arch = "wasm32")]
    return core::arch::wasm32::memory_size::<0>().saturating_mul(65_536);
    #[cfg(not(target_arch = "wasm32"))]
    0
}
