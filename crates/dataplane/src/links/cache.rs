//! Link 35: the cache (`cache_options`, `extended_paths.cache` and `extended_paths.advance_cache_config`; reference
//! 3.13). [`crate::caching`] decides whether an answer may be stored or reused; the driver does the lookup, and has
//! answers stored after all rules for answers.
//!
//! `cache_all_safe_requests` and the list `cache` apply to GET, HEAD and OPTIONS, an entry of
//! `advance_cache_config` to its own method; if both match, the entry's settings are ignored. Requests that the
//! cache can't answer correctly bypass it: those with conditions that it can't check, protocol upgrades, bodies of
//! methods that usually have none, bodies of unknown length, and loops, which the destination's chain caches. Byte
//! ranges are cut from a complete answer; partial answers of an upstream are passed on but never stored. A request
//! with an unsafe method that is not cached itself invalidates what is cached for its address.

use crate::caching::{self, Aim, Asking, CacheDecision, Caching, Control, Found, Policy, decide};
use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Body, Exchange, Target};
use crate::failure::{Failure, Reply};
use crate::rules::PatternId;
use gatewright_model::amount::Amount;
use gatewright_model::json::Value;
use regex_lite::Regex;
use std::rc::Rc;

/// The default lifetime of answers, in seconds (specification, section on caching).
const DEFAULT_SECONDS: u64 = 60;
/// The default header in which the upstream states the lifetime in seconds.
const TTL_HEADER: &str = "x-gateway-cache-action-set-ttl";
/// The safe methods that the shorter rules apply to.
const SAFE: [&str; 3] = ["GET", "HEAD", "OPTIONS"];
/// Request headers that the cache can't handle.
const FOREIGN: [&str; 3] = ["if-match", "if-unmodified-since", "upgrade"];

/// The cache link.
#[derive(Debug)]
pub struct Cache {
    /// The policy for all safe requests and for the paths of the list.
    policy: Rc<Policy>,
    all_safe: bool,
    paths: Vec<PatternId>,
    rows: Vec<Row>,
    /// The headers that are part of the key, in lower case.
    headers: Vec<String>,
}

/// A path and a method with their own policy.
#[derive(Debug)]
struct Row {
    path: PatternId,
    method: String,
    policy: Rc<Policy>,
    /// The part of the body included in the key; `None` for all of it.
    part: Option<Regex>,
}

fn seconds(value: Option<&Value<'_>>) -> Option<u64> {
    let amount = value.map(Amount::read)?;
    Some(u64::try_from(amount.floor()).unwrap_or_default())
}

fn statuses(object: &Value<'_>, without: &[u16]) -> Vec<u16> {
    let items = object.get("cache_response_codes").map(Value::items);
    let items = items.filter(|items| !items.is_empty());
    let read = |item: &Value<'_>| u16::try_from(Amount::read(item).floor()).ok();
    let own = |items: &[Value<'_>]| items.iter().filter_map(read).collect();
    items.map_or_else(|| without.to_vec(), own)
}

impl Cache {
    fn rows(from: &mut Compiler<'_>, policy: &Policy) -> Vec<Row> {
        let rows = from.rows("advance_cache_config").into_iter();
        let rows = rows.filter_map(|row| {
            let own = seconds(row.value.get("timeout")).filter(|seconds| *seconds > 0);
            let part = row.value.str("cache_key_regex");
            let part = part.filter(|part| !part.is_empty()).map(Regex::new);
            Some(Row {
                // Without its part of the key, nothing can be cached.
                part: part.transpose().ok()?,
                path: from.path(row.path()),
                method: row.method().to_owned(),
                policy: Rc::new(Policy {
                    seconds: own.unwrap_or(policy.seconds),
                    statuses: statuses(row.value, &policy.statuses),
                    control: policy.control.clone(),
                }),
            })
        });
        rows.collect()
    }

    fn paths(from: &mut Compiler<'_>) -> Vec<PatternId> {
        let lists = from.of_version("extended_paths");
        let list = lists.filter(|_| from.uses_extended_paths());
        let list = list.and_then(|(lists, _)| lists.get("cache"));
        let paths = list.map(Value::items).unwrap_or_default().iter();
        let paths = paths.filter_map(Value::as_str);
        paths.map(|path| from.simple_path(path)).collect()
    }

    /// The policy for a request, and the part of the body that is relevant.
    fn rule(&self, exchange: &mut Exchange, method: &str) -> Option<(&Rc<Policy>, Option<&Regex>)> {
        let is_kept = SAFE.contains(&method)
            && (self.all_safe || self.paths.iter().any(|path| exchange.is_match(*path)));
        if is_kept {
            return Some((&self.policy, None));
        }
        let own = |row: &&Row| row.method == method && exchange.is_match(row.path);
        let row = self.rows.iter().find(own)?;
        Some((&row.policy, row.part.as_ref()))
    }

    /// The GET that corresponds to a HEAD, if its answers are cached and upstreams control caching; otherwise each
    /// method is cached separately (reference 3.13).
    fn get(&self, exchange: &mut Exchange) -> Option<Box<Asking>> {
        let policy = Rc::clone(self.rule(exchange, "GET")?.0);
        policy.control.as_ref()?;
        let place = caching::place(exchange, "GET", &self.headers, &[]);
        Some(Box::new(asking(exchange, &policy, place.key)))
    }

    /// How the request uses the cache; `Err` is the step needed to find out.
    fn begin(&self, exchange: &mut Exchange) -> Result<Option<Caching>, Step> {
        let header = |exchange: &Exchange, name: &str| exchange.request.headers.get(name);
        if matches!(exchange.target, Target::Loop(_)) || exchange.api.target.is_none() {
            return Ok(None);
        }
        let method = exchange.request.method.clone();
        let get = (method == "HEAD").then(|| self.get(exchange)).flatten();
        let is_foreign = FOREIGN.iter().any(|name| header(exchange, name).is_some());
        let rule = self.rule(exchange, &method);
        let Some((policy, part)) = rule.filter(|(policy, _)| policy.keeps() && !is_foreign) else {
            let changes = !SAFE.contains(&method.as_str()) && method != "TRACE";
            let kept = changes && SAFE.iter().any(|safe| self.rule(exchange, safe).is_some());
            return Ok((kept || get.is_some()).then(|| Caching {
                place: caching::place(exchange, &method, &self.headers, &[]),
                aim: if changes { Aim::Forget } else { Aim::UpdateGet },
                get,
            }));
        };
        let length = header(exchange, "content-length");
        let length = length.and_then(|length| length.trim().parse::<usize>().ok());
        let has_body = length.is_some_and(|length| length > 0)
            || header(exchange, "transfer-encoding").is_some();
        let max = exchange.chain.settings.max_body_bytes;
        if has_body && caching::body(exchange).is_none() {
            let is_known = length.is_some_and(|length| length <= max);
            if SAFE.contains(&method.as_str()) || !is_known || exchange.body == Body::TooLarge {
                return Ok(None);
            }
            return Err(Step::Need(Need::Body { max }));
        }
        let body = caching::body(exchange)
            .filter(|_| has_body)
            .unwrap_or_default();
        let text;
        let body = match part {
            None => body,
            Some(part) => {
                text = String::from_utf8_lossy(body);
                part.find(&text)
                    .map_or("", |found| found.as_str())
                    .as_bytes()
            }
        };
        let place = caching::place(exchange, &method, &self.headers, body);
        let aim = Aim::Answer(Box::new(asking(exchange, policy, place.key.clone())));
        Ok(Some(Caching { place, aim, get }))
    }
}

/// The state of a cache lookup for a request.
fn asking(exchange: &Exchange, policy: &Rc<Policy>, key: String) -> Asking {
    let header = |name: &str| exchange.request.headers.get(name);
    let control = header("cache-control");
    let mut control = Control::read(control.as_deref());
    // Applies only without any known directives (RFC 9111 section 5.4).
    let pragma = header("pragma").unwrap_or_default();
    control.no_cache |= control == Control::default()
        && pragma
            .split(',')
            .any(|word| word.trim().eq_ignore_ascii_case("no-cache"));
    Asking {
        key,
        policy: Rc::clone(policy),
        control,
        is_authorized: exchange.identity.is_none() && header("authorization").is_some(),
        is_variant: false,
        found: Found::Unasked,
    }
}

impl Middleware for Cache {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let options = from.definition.get("cache_options")?;
        let on = |name| options.bool(name).unwrap_or_default();
        // All MCP messages share an address, and lists depend on the caller (reference 6.4).
        if !on("enable_cache") || from.is_mcp() {
            return None;
        }
        let name = options.str("cache_control_ttl_header");
        let name = name.filter(|name| !name.is_empty()).unwrap_or(TTL_HEADER);
        let policy = Policy {
            seconds: seconds(options.get("cache_timeout")).unwrap_or(DEFAULT_SECONDS),
            statuses: statuses(options, &[]),
            control: on("enable_upstream_cache_control").then(|| name.to_ascii_lowercase().into()),
        };
        let headers = options.get("cache_by_headers").map(Value::items);
        let headers = headers.unwrap_or_default().iter().filter_map(Value::as_str);
        let cache = Self {
            rows: Self::rows(from, &policy),
            paths: Self::paths(from),
            policy: Rc::new(policy),
            all_safe: on("cache_all_safe_requests"),
            headers: headers.map(str::to_ascii_lowercase).collect(),
        };
        if !cache.all_safe && cache.paths.is_empty() && cache.rows.is_empty() {
            return None;
        }
        let seconds = cache.policy.seconds;
        from.origin("/cache_options", format!("{seconds} s"));
        for (list, count) in [
            ("cache", cache.paths.len()),
            ("advance_cache_config", cache.rows.len()),
        ] {
            from.origin_of_rules(list, count);
        }
        Some(cache)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let mut begun = match exchange.caching.take() {
            Some(begun) => begun,
            None => match self.begin(exchange) {
                Ok(Some(begun)) => begun,
                Ok(None) => return Step::Next,
                Err(step) => return step,
            },
        };
        let step = match &mut begun.aim {
            Aim::Forget | Aim::UpdateGet => Step::Next,
            Aim::Answer(asking) => match decide(exchange, asking) {
                CacheDecision::Ask => Step::Need(Need::Cached),
                CacheDecision::Reuse(reuse) => Step::Reuse(reuse),
                CacheDecision::Miss if asking.control.only_if_cached => {
                    Step::Reply(Reply::from(Failure::NotCached))
                }
                CacheDecision::Miss => Step::Next,
            },
        };
        exchange.caching = Some(begun);
        step
    }
}

#[cfg(test)]
mod tests;
