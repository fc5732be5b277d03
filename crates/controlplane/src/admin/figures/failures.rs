//! Failed requests: counts by kind of failure, with one sample for each kind and minute (`GET
//! /gateway/health/failures`).

use super::{Window, aliases, seconds, unexpected};
use crate::error::Error;
use crate::ports::Platform;
use gatewright_model::json::{self, quote};
use gatewright_model::order::{set, sorted_by};
use gatewright_protocol::figures::{Failing, FailureLine, read_failures};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::served::ServedAsk;
use std::collections::BTreeSet;

/// The maximum number of kinds, and of rows for a kind and a minute, in a response.
const MOST: u32 = 200;
/// The statuses that a class stands for.
const CLASSES: [(&str, (u16, u16)); 2] = [("4xx", (400, 499)), ("5xx", (500, 599))];

/// `GET /gateway/health/failures`. The Meters' JSON is passed on unchanged: parsing it into types and serialising it
/// again would make up a fortieth of this module.
pub(in crate::admin) async fn failures<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let failing = parse_query(request, seconds(platform))?;
    let answer = platform.failures(&failing).await?;
    let mut kinds = Rows::default();
    let mut minutes = Rows::default();
    for line in read_failures(&answer) {
        let (rows, text, order) = match line {
            FailureLine::Sum(text) => (&mut kinds, text, "count"),
            FailureLine::Row(text) => (&mut minutes, text, "at"),
        };
        rows.add(text, order)?;
    }
    let most = usize::try_from(failing.most).unwrap_or(usize::MAX);
    let (kinds, minutes) = (kinds.sorted(most), minutes.sorted(most));
    let rows = || kinds.iter().chain(&minutes);
    let apis = api_names(platform, set(rows().map(|row| row.api_id.clone()))).await;
    let keys = set(rows()
        .map(|row| row.key_hash.clone())
        .filter(|hash| !hash.is_empty()));
    let keys = key_names(platform, keys).await?;
    let Failing { since, until, .. } = failing;
    let [kinds, minutes] = [kinds, minutes].map(|rows| {
        let texts: Vec<&str> = rows.iter().map(|row| row.text).collect();
        texts.join(",")
    });
    let [apis, keys] = [apis, keys].map(|names| {
        let names = names
            .iter()
            .map(|(id, name)| quote(id) + ":" + &quote(name));
        names.collect::<Vec<_>>().join(",")
    });
    let body = format!(
        "{{\"since\":{since},\"until\":{until},\"kinds\":[{kinds}],\"minutes\":[{minutes}],\
         \"api_names\":{{{apis}}},\"key_aliases\":{{{keys}}}}}\n"
    );
    Ok(Response::text(200, body))
}

/// Lines from the Meters.
#[derive(Default)]
struct Rows<'a>(Vec<Row<'a>>);

struct Row<'a> {
    /// A JSON object.
    text: &'a str,
    /// The sort key, in descending order.
    order: i64,
    api_id: String,
    /// The key of the sampled request; empty for none.
    key_hash: String,
}

impl<'a> Rows<'a> {
    fn add(&mut self, text: &'a str, order: &str) -> Result<(), Error> {
        let value = json::parse(text).map_err(|_| unexpected())?;
        let key = value.pointer("/sample/key_hash");
        self.0.push(Row {
            text,
            order: value.int(order).unwrap_or_default(),
            api_id: value.str("api_id").unwrap_or_default().to_owned(),
            key_hash: key
                .and_then(json::Value::as_str)
                .unwrap_or_default()
                .to_owned(),
        });
        Ok(())
    }

    /// Sorts all rows, since only those of each single Meter are sorted, and returns the first `most`.
    fn sorted(self, most: usize) -> Vec<Row<'a>> {
        let mut rows = sorted_by(self.0, |one, other| other.order.cmp(&one.order));
        rows.truncate(most);
        rows
    }
}

/// Returns the names of those of these APIs that are loaded.
async fn api_names<P: Platform>(platform: &P, ids: BTreeSet<String>) -> Vec<(String, String)> {
    let ask = ServedAsk {
        apis: ids.into_iter().collect(),
        ..ServedAsk::default()
    };
    let served = platform.served(&ask).await.unwrap_or_default();
    let apis = served.apis.into_iter();
    apis.map(|api| (api.id, api.name)).collect()
}

/// Returns the aliases of those of these keys that exist.
async fn key_names<P: Platform>(
    platform: &P,
    hashes: BTreeSet<String>,
) -> Result<Vec<(String, String)>, Error> {
    if hashes.is_empty() {
        return Ok(Vec::new());
    }
    let known = aliases(platform, hashes.into_iter().collect()).await?;
    let known = known.into_iter().filter(|known| !known.alias.is_empty());
    Ok(known.map(|known| (known.key, known.alias)).collect())
}

fn parse_query(request: &Request, now: u64) -> Result<Failing, Error> {
    let text = |name: &str| request.parameter(name).unwrap_or_default().to_owned();
    let time = |name: &str| match request.parameter(name) {
        None | Some("") => Ok(None),
        Some(text) => match text.parse::<u64>() {
            Ok(seconds) => Ok(Some(seconds)),
            Err(_) => {
                let text = format!("{name} is a time in seconds since 1970");
                Err(Error::Refused(400, text))
            }
        },
    };
    let window = Window::of(request)?;
    let statuses = statuses(request.parameter("status").unwrap_or_default())?;
    let since = time("since")?.unwrap_or_else(|| window.since(now));
    Ok(Failing {
        // Rows cover full minutes.
        since: since.saturating_sub(since % 60),
        until: time("until")?.unwrap_or_else(|| now.saturating_add(60)),
        api_id: text("api_id"),
        version: text("version"),
        statuses,
        reason: text("reason"),
        path: text("path"),
        key_hash: text("key"),
        most: MOST,
    })
}

/// Returns the lowest and the highest status.
fn statuses(text: &str) -> Result<(u16, u16), Error> {
    if text.is_empty() {
        return Ok((0, u16::MAX));
    }
    if let Some((_, class)) = CLASSES.iter().find(|(name, _)| *name == text) {
        return Ok(*class);
    }
    match text.parse() {
        Ok(status) => Ok((status, status)),
        Err(_) => Err(Error::refused(400, "status is a number, 4xx or 5xx")),
    }
}
