//! What the data plane checks tokens by besides definitions: client identity providers, and which key sets have to be
//! fetched again. It is published with the list of organisations, and takes effect without a reload.

use super::orgs::VERSION;
use crate::registry::encoding::to_json;
use crate::registry::records::Records;
use crate::registry::rows::{Change, Rows};
use crate::registry::{Replied, Turn, done, refuse};
use gatewright_model::json::{outermost, quote};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::Kind;
use gatewright_protocol::registry::Refusal;
use std::collections::BTreeMap;

/// The bookkeeping value with the APIs whose key sets have to be fetched again (`*` for all), each with the number of
/// the list since which this holds.
const FORGOTTEN: &str = "keys-forgotten";
const EVERY_API: &str = "*";
/// The maximum number of APIs listed; beyond that, `*` is used.
const MOST: usize = 1000;

type Numbers = BTreeMap<String, u64>;

fn forgotten(rows: &Rows) -> Result<Numbers, StoreError> {
    let text = rows.value(FORGOTTEN)?;
    let numbers = text.and_then(|text| serde_json::from_str(&text).ok());
    Ok(numbers.unwrap_or_default())
}

fn written(numbers: &Numbers) -> Result<String, StoreError> {
    to_json("encode forgotten key sets", numbers)
}

/// Returns the text to publish; empty for nothing.
pub(super) fn trust(rows: &Rows, records: &Records) -> Result<String, StoreError> {
    let mut providers = Vec::new();
    for record in records.of_kind(Kind::ClientIdp) {
        let Some(text) = records.text(rows, record, record.revision)? else {
            continue;
        };
        let Some(document) = outermost(&text) else {
            continue;
        };
        let mut provider = format!("{{\"org\":{}", quote(&record.org));
        for name in ["issuer", "jwks_uri", "scope_claim_name", "api_mappings"] {
            if let Some(value) = document.get(name) {
                provider.push_str(&format!(",\"{name}\":{}", value.span.of(&text)));
            }
        }
        provider.push('}');
        providers.push(provider);
    }
    let forgotten = forgotten(rows)?;
    if providers.is_empty() && forgotten.is_empty() {
        return Ok(String::new());
    }
    let forgotten = written(&forgotten)?;
    let providers = providers.join(",");
    Ok(format!(
        "{{\"forgotten\":{forgotten},\"providers\":[{providers}]}}"
    ))
}

/// Makes isolates fetch the key sets of an API, or of all APIs, again.
pub(in crate::registry) fn forget_keys(turn: &mut Turn<'_>, id: &str) -> Replied {
    if id == EVERY_API {
        return refuse(Refusal::NotFound);
    }
    let number = turn.orgs.next();
    let mut numbers = forgotten(turn.rows)?;
    if id.is_empty() || numbers.len() >= MOST {
        numbers.clear();
        numbers.insert(EVERY_API.to_owned(), number);
    } else {
        numbers.insert(id.to_owned(), number);
    }
    let changes = [
        Change::Value {
            name: FORGOTTEN,
            value: &written(&numbers)?,
        },
        Change::Value {
            name: VERSION,
            value: &number.to_string(),
        },
    ];
    turn.rows.commit(&changes)?;
    turn.journal.note_news();
    done()
}
