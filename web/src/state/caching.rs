//! What a definition lets the cache keep, in words.

use gatewright_model::amount::Amount;
use gatewright_model::json::{Member, Value, parse};

/// Seconds that an answer is kept of which nothing is said.
const DEFAULT_SECONDS: i64 = 60;
/// The header in which upstreams say how long, unless the definition names another one.
const TTL_HEADER: &str = "x-gateway-cache-action-set-ttl";

/// What an API keeps.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caching {
    /// Whether it keeps anything.
    pub on: bool,
    /// Whether it keeps answers to every safe request.
    pub safe: bool,
    /// For how long.
    pub seconds: i64,
    /// Answers with these statuses only; with all of them if there is none.
    pub statuses: Vec<String>,
    /// The header in which the upstream may say how long; none if it may not.
    pub control: Option<String>,
    /// Headers of a request that have answers of their own.
    pub headers: Vec<String>,
    /// Paths with rules.
    pub rules: Vec<Rule>,
}

/// A path that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The version that it is of; empty where there is one only.
    pub version: String,
    /// Its method, or which ones.
    pub method: String,
    /// The path.
    pub path: String,
    /// For how long.
    pub seconds: i64,
    /// As in [`Caching`].
    pub statuses: Vec<String>,
    /// What of a body tells requests apart; empty for all of it.
    pub part: String,
}

impl Caching {
    /// Reads a definition; nothing is kept by a text that is none.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let Ok(definition) = parse(text) else {
            return Self::default();
        };
        let options = definition.get("cache_options");
        let option = |name: &str| options.and_then(|options| options.get(name));
        let on = |name: &str| option(name).and_then(Value::as_bool).unwrap_or_default();
        let seconds = seconds(option("cache_timeout")).unwrap_or(DEFAULT_SECONDS);
        let statuses = numbers(option("cache_response_codes"));
        let header = option("cache_control_ttl_header").and_then(Value::as_str);
        let header = header.filter(|name| !name.is_empty()).unwrap_or(TTL_HEADER);
        let mut caching = Self {
            on: on("enable_cache"),
            safe: on("cache_all_safe_requests"),
            seconds,
            statuses,
            control: on("enable_upstream_cache_control").then(|| header.to_ascii_lowercase()),
            headers: texts(option("cache_by_headers")),
            rules: Vec::new(),
        };
        let versions = definition.pointer("/version_data/versions");
        let versions = versions.map(Value::members).unwrap_or_default();
        for Member { name, value, .. } in versions {
            let name = if versions.len() > 1 { &**name } else { "" };
            caching.read(name, value);
        }
        caching
    }

    /// Reads the rules of a version.
    fn read(&mut self, version: &str, value: &Value<'_>) {
        let on = value.bool("use_extended_paths").unwrap_or_default();
        let lists = value.get("extended_paths").filter(|_| on);
        let list = |name: &str| lists.and_then(|lists| lists.get(name));
        let simple = texts(list("cache")).into_iter().map(|path| Rule {
            version: version.to_owned(),
            method: "GET, HEAD, OPTIONS".to_owned(),
            path,
            seconds: self.seconds,
            statuses: self.statuses.clone(),
            part: String::new(),
        });
        let rows = list("advance_cache_config")
            .map(Value::items)
            .unwrap_or_default();
        let rows = rows.iter().filter(|row| row.bool("disabled") != Some(true));
        let rows = rows.map(|row| Rule {
            version: version.to_owned(),
            method: row.str("method").unwrap_or_default().to_owned(),
            path: row.str("path").unwrap_or_default().to_owned(),
            seconds: seconds(row.get("timeout"))
                .filter(|seconds| *seconds > 0)
                .unwrap_or(self.seconds),
            statuses: numbers(row.get("cache_response_codes")),
            part: row.str("cache_key_regex").unwrap_or_default().to_owned(),
        });
        // A row of its own counts before the list.
        let rules: Vec<Rule> = rows.chain(simple).collect();
        self.rules.extend(rules);
    }

    /// Whether there is anything that it could keep.
    #[must_use]
    pub fn keeps(&self) -> bool {
        self.on && (self.safe || !self.rules.is_empty())
    }
}

fn seconds(value: Option<&Value<'_>>) -> Option<i64> {
    value.map(|value| Amount::read(value).floor())
}

fn numbers(value: Option<&Value<'_>>) -> Vec<String> {
    let items = value.map(Value::items).unwrap_or_default();
    let number = |item: &Value<'_>| Amount::read(item).floor().to_string();
    items.iter().map(number).collect()
}

fn texts(value: Option<&Value<'_>>) -> Vec<String> {
    let items = value.map(Value::items).unwrap_or_default();
    let texts = items.iter().filter_map(Value::as_str);
    texts.map(str::to_owned).collect()
}

/// A number of seconds as people say it.
#[must_use]
pub fn lasting(seconds: i64) -> String {
    match seconds {
        ..=0 => "Not kept".to_owned(),
        _ if seconds % 86_400 == 0 => format!("{} d", seconds / 86_400),
        _ if seconds % 3_600 == 0 => format!("{} h", seconds / 3_600),
        _ if seconds % 60 == 0 => format!("{} min", seconds / 60),
        _ => format!("{seconds} s"),
    }
}
