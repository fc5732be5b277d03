//! The cache settings of a definition, in words.

use gatewright_model::amount::Amount;
use gatewright_model::json::{Member, Value, parse};

/// The default time a response is cached, in seconds.
const DEFAULT_SECONDS: i64 = 60;
/// The default name of the response header in which upstreams set the time.
const TTL_HEADER: &str = "x-gateway-cache-action-set-ttl";

/// The cache settings of an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caching {
    /// Whether caching is enabled.
    pub on: bool,
    /// Whether responses to all safe requests are cached.
    pub safe: bool,
    /// For how long, in seconds.
    pub seconds: i64,
    /// The statuses that are cached; empty for all.
    pub statuses: Vec<String>,
    /// The header in which the upstream may set the time; `None` if it may not.
    pub control: Option<String>,
    /// Request headers that are part of the cache key.
    pub headers: Vec<String>,
    /// Rules for paths.
    pub rules: Vec<Rule>,
}

/// A cached path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rule {
    /// The version it belongs to; empty if there is only one.
    pub version: String,
    /// Its method or methods.
    pub method: String,
    /// The path.
    pub path: String,
    /// For how long, in seconds.
    pub seconds: i64,
    /// As in [`Caching`].
    pub statuses: Vec<String>,
    /// The expression for the part of the body that is in the cache key; empty for all of it.
    pub part: String,
}

impl Caching {
    /// Reads a definition; caching is off if the text isn't one.
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
        // A row of `advance_cache_config` takes precedence over the simple list.
        let rules: Vec<Rule> = rows.chain(simple).collect();
        self.rules.extend(rules);
    }

    /// Whether anything can be cached.
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

/// Formats a number of seconds.
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
