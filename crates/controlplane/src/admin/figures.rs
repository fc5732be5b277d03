//! Figures about served requests: those of one API in the shape of the reference (1.1), and those that the console
//! draws.

mod drawn;
pub(super) mod failures;

use super::reload;
use super::replies::{relay, unexpected};
use crate::error::Error;
use crate::ports::Platform;
use crate::query;
use drawn::drawn;
use gatewright_api::figures::{ApiHealth, CloseKey, Figures, Process};
use gatewright_api::message::{self, HEALTH_API_NOT_FOUND, HEALTH_OFF, MISSING_API_ID};
use gatewright_model::json;
use gatewright_model::order::set;
use gatewright_protocol::figures::{Found, Span, Tally, read};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply};
use gatewright_protocol::served::{Served, ServedAsk};
use gatewright_protocol::sessions::{Act, SessionAsk, SessionQuery};
use gatewright_protocol::time::millis;

/// The maximum number of APIs, and of keys close to their limit, in a response.
const MOST: u32 = 100;

/// A period up to now. Widths are in seconds.
struct Window {
    name: &'static str,
    /// The width of a point.
    step: u64,
    /// The number of points.
    steps: u64,
    /// The width of the buckets that points are summed up from.
    grain: u64,
}

const fn window(name: &'static str, step: u64, steps: u64, grain: u64) -> Window {
    Window {
        name,
        step,
        steps,
        grain,
    }
}

static WINDOWS: [Window; 4] = [
    window("15m", 30, 30, 10),
    window("1h", 60, 60, 10),
    window("24h", 1800, 48, 300),
    window("7d", 10_800, 56, 300),
];

impl Window {
    /// Returns the window that a request names.
    fn of(request: &Request) -> Result<&'static Self, Error> {
        let name = request.parameter("window").unwrap_or("1h");
        let named = WINDOWS.iter().find(|window| window.name == name);
        named.ok_or_else(|| Error::refused(400, message::WINDOW))
    }

    /// Returns its start in Unix seconds.
    fn since(&self, now: u64) -> u64 {
        since(now, self.step, self.steps)
    }
}

fn seconds<P: Platform>(platform: &P) -> u64 {
    millis(&platform.now()).unwrap_or_default() / 1000
}

/// Returns the start of a window with this many steps, the current one included.
fn since(now: u64, step: u64, steps: u64) -> u64 {
    let this = now.checked_div(step).unwrap_or(0);
    let first = this.saturating_add(1).saturating_sub(steps);
    first.saturating_mul(step)
}

/// `GET /gateway/health` (reference 1.1).
pub(super) async fn health<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let config = platform.health();
    if !config.enabled {
        return Err(Error::refused(400, HEALTH_OFF));
    }
    let api_id = request.parameter("api_id").unwrap_or_default();
    if api_id.is_empty() {
        return Err(Error::refused(400, MISSING_API_ID));
    }
    let ask = ServedAsk {
        apis: vec![api_id.to_owned()],
        ..ServedAsk::default()
    };
    let served = platform.served(&ask).await;
    if served.is_none_or(|set| set.api(api_id).is_none()) {
        return Err(reload::not_loaded(platform, HEALTH_API_NOT_FOUND, api_id).await);
    }
    let (now, grain) = (seconds(platform), 10);
    let span = Span {
        grain,
        since: since(now, grain, config.seconds.div_ceil(grain)),
        api_id: Some(api_id.to_owned()),
        ..Span::default()
    };
    let answer = platform.figures(&span).await?;
    let mut sum = Tally::default();
    for found in read(&answer) {
        if let Found::Api(_, mut tally) = found {
            sum.add(&mut tally);
        }
    }
    let health = rates(&sum, config.seconds);
    Ok(Response::json(200, &health))
}

/// Rounds to two decimals, as the reference does.
fn round(number: f64) -> f64 {
    (number * 100.0).round() / 100.0
}

#[expect(clippy::cast_precision_loss, reason = "a display needs no 2^53")]
fn rates(tally: &Tally, seconds: u64) -> ApiHealth {
    let rate = |count: u64| round(count as f64 / seconds.max(1) as f64);
    ApiHealth {
        throttled: rate(tally.rate_limited),
        quota_violations: rate(tally.quota_exceeded),
        key_failures: rate(tally.key_failures),
        latency_ms: round(tally.average_ms().unwrap_or_default()),
        requests: rate(tally.requests),
    }
}

/// `GET /gateway/health/figures`.
pub(super) async fn figures<P: Platform>(
    platform: &P,
    request: &Request,
) -> Result<Response, Error> {
    let window = Window::of(request)?;
    let now = seconds(platform);
    let api_id = query::given(request, "api_id");
    // It is sent to the Meter on a line of its own.
    if api_id.is_some_and(|id| id.contains('\n')) {
        return Err(Error::refused(400, message::INVALID_API_ID));
    }
    let span = Span {
        grain: window.grain,
        since: window.since(now),
        step: window.step,
        api_id: api_id.map(str::to_owned),
        most: MOST,
    };
    let answer = platform.figures(&span).await?;
    let mut body = drawn(&answer, &span, window.steps);
    window.name.clone_into(&mut body.window);
    body.until = now;
    if !body.close.is_empty() {
        name_keys(platform, &mut body.close).await?;
    }
    let apis = body.apis.iter().map(|api| &api.api_id);
    let ask = ServedAsk {
        apis: set(apis
            .chain(body.close.iter().map(|key| &key.api_id))
            .cloned())
        .into_iter()
        .collect(),
        ..ServedAsk::default()
    };
    if let Some(set) = platform.served(&ask).await {
        name_apis(&set, &mut body);
    }
    // Asked for last, because by now this process has loaded its set.
    body.processes = platform.processes().await.lines().map(process).collect();
    Ok(Response::json(200, &body))
}

/// Parses a line of [`Platform::processes`].
fn process(line: &str) -> Process {
    let mut words = line.split(' ');
    let name = words.next().unwrap_or_default().to_owned();
    let mut number = || words.next().and_then(|word| word.parse().ok());
    let generation = number();
    Process {
        name,
        ready: generation.is_some(),
        generation,
        wasm_bytes: number().unwrap_or_default(),
    }
}

/// `GET /gateway/health/storage`.
pub(super) async fn storage<P: Platform>(platform: &P) -> Result<Response, Error> {
    relay(platform, &Command::Storage).await
}

/// A key, identified by the hash of its token.
struct NamedKey {
    key: String,
    alias: String,
    /// When it was last changed, in Unix milliseconds.
    changed_ms: Option<u64>,
}

/// Returns the existing keys among these.
async fn aliases<P: Platform>(platform: &P, ids: Vec<String>) -> Result<Vec<NamedKey>, Error> {
    let ask = SessionAsk {
        act: Act::List,
        query: SessionQuery {
            ids,
            summary: true,
            ..SessionQuery::default()
        },
        ..SessionAsk::default()
    };
    let (Reply::Json, text) = platform.call(&Command::Session(ask), "").await? else {
        return Err(unexpected());
    };
    let page = json::parse(&text).map_err(|_| unexpected())?;
    let rows = page.get("keys").map(json::Value::items).unwrap_or_default();
    let text = |row: &json::Value<'_>, name| row.str(name).unwrap_or_default().to_owned();
    let named = rows.iter().map(|row| NamedKey {
        key: text(row, "key_hash"),
        alias: text(row, "alias"),
        changed_ms: row.str("updated_at").and_then(millis),
    });
    Ok(named.collect())
}

/// Adds the keys' aliases. A key that no longer exists, or was written since it was seen, is left out: its quota may be
/// another by now, or unused.
async fn name_keys<P: Platform>(platform: &P, keys: &mut Vec<CloseKey>) -> Result<(), Error> {
    let hashes = keys.iter().map(|key| key.key_hash.clone()).collect();
    let named = aliases(platform, hashes).await?;
    keys.retain_mut(|key| {
        let Some(known) = named.iter().find(|known| known.key == key.key_hash) else {
            return false;
        };
        let holds = known
            .changed_ms
            .is_some_and(|changed| changed <= key.seen_at);
        known.alias.clone_into(&mut key.alias);
        key.seen_at /= 1000;
        holds
    });
    Ok(())
}

fn name_apis(set: &Served, body: &mut Figures) {
    let name = |api_id: &str| {
        let api = set.api(api_id);
        api.map(|api| api.name.clone()).unwrap_or_default()
    };
    for api in &mut body.apis {
        api.name = name(&api.api_id);
    }
    for key in &mut body.close {
        key.api_name = name(&key.api_id);
    }
}
