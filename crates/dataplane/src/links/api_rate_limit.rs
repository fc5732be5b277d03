//! Link 23: the API's own counters for a request and their rates (`extended_paths.rate_limit`, `global_rate_limit`;
//! reference 3.1 no. 23). They are counted together with the other limits.
//!
//! A matching rule replaces the rate of the entire API: it has one counter for all paths it matches, and such requests
//! don't count towards the API, even if the rule limits nothing (a negative `rate`). A rule whose `rate` is 0, or whose
//! `per` is not above 0, says nothing: what it matches counts towards the API. A rule without a method matches nothing.

use crate::chain::{Compiler, Middleware, Step};
use crate::counters::{Counter, Scope};
use crate::exchange::{Entry, Exchange};
use crate::rules::PatternId;
use gatewright_model::amount::Amount;
use gatewright_model::session::Rate;
use gatewright_protocol::ledger::{Count, Limit};
use gatewright_protocol::limits::RateLimit;

/// The name of the counter for an entire API.
const WHOLE_API: &str = "api-rate";

/// The rates of an API and its endpoints.
#[derive(Debug)]
pub struct ApiRateLimit {
    /// The rate of the entire API.
    api: Option<Rate>,
    rows: Vec<RateRule>,
}

/// The rate for a path and a method.
#[derive(Debug)]
struct RateRule {
    path: PatternId,
    method: String,
    counter: String,
    /// `None` if it has no limit.
    rate: Option<Rate>,
}

/// A counter of the API with its rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountedRate<'r> {
    /// The counter's name, unique within its API.
    pub counter: &'r str,
    /// The number of requests, and the period in seconds.
    pub rate: Rate,
}

impl Middleware for ApiRateLimit {
    /// `None` if nothing is limited (`disable_rate_limit` disables everything).
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if from
            .definition
            .bool("disable_rate_limit")
            .unwrap_or_default()
        {
            return None;
        }
        let global = from.definition.get("global_rate_limit");
        let api = global
            .filter(|limit| !limit.bool("disabled").unwrap_or_default())
            .map(Rate::read)
            .filter(|rate| rate.is_limited());
        if let Some(rate) = api {
            from.origin("/global_rate_limit", shown(rate));
        }
        let rows = from.rows("rate_limit").into_iter();
        let rows: Vec<RateRule> = rows
            .map(|row| {
                let rate = Rate::read(row.value);
                let (counter, rate) = if rate.rate != Amount::ZERO && rate.per.is_positive() {
                    let counter = format!("{WHOLE_API}-{}:{}", row.method(), row.path());
                    (counter, Some(rate).filter(|rate| rate.is_limited()))
                } else {
                    (WHOLE_API.to_owned(), api)
                };
                RateRule {
                    path: from.path(row.path()),
                    method: row.method().to_owned(),
                    counter,
                    rate,
                }
            })
            .collect();
        from.origin_of_rules("rate_limit", rows.len());
        let limits = api.is_some() || rows.iter().any(|row| row.rate.is_some());
        limits.then_some(Self { api, rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let is_there = exchange
            .counters
            .iter()
            .any(|counter| counter.scope == Scope::Api);
        if is_there {
            return Step::Next;
        }
        let counts = self.of(exchange).into_iter().filter_map(|counted| {
            Some(Count {
                name: counted.counter.to_owned(),
                limit: Limit::Rate(RateLimit::of(counted.rate)?),
                smoothing: None,
            })
        });
        let counts: Vec<Count> = counts.collect();
        if !counts.is_empty() {
            let ledger = format!("api:{}", exchange.api.definition.api_id);
            exchange.count(Counter::new(Scope::Api, ledger, None, counts));
        }
        Step::Next
    }
}

impl ApiRateLimit {
    /// The counters for a request; empty if nothing limits it. A looping request counts only if it asks to
    /// (`check_limits=true`, reference 3.12).
    pub fn of(&self, exchange: &mut Exchange) -> Vec<CountedRate<'_>> {
        if exchange.request.entry == (Entry::Loop { counts: false }) {
            return Vec::new();
        }
        let rows = exchange.applicable(&self.rows, &[], |row| (row.path, &row.method));
        let mut counted: Vec<(&str, Option<Rate>)> =
            rows.map(|row| (row.counter.as_str(), row.rate)).collect();
        if counted.is_empty() {
            counted.push((WHOLE_API, self.api));
        }
        let limited = |(counter, rate): (_, Option<Rate>)| {
            Some(CountedRate {
                counter,
                rate: rate?,
            })
        };
        counted.into_iter().filter_map(limited).collect()
    }
}

/// Describes a rate in words.
fn shown(rate: Rate) -> String {
    format!("{} per {} s", rate.rate, rate.per)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Settings;
    use crate::exchange::Route;
    use crate::testing::request;
    use gatewright_model::json::parse;
    use std::rc::Rc;

    const ROWS: &str = r#"[{"path":"/orders","method":"GET","rate":1,"per":10},{"path":"/items/{id}","method":"GET","rate":2,"per":0.5},
        {"path":"/free","method":"GET","rate":1,"per":1,"disabled":true},{"path":"/open","method":"GET","rate":-1,"per":1},
        {"path":"/still","method":"GET","rate":5},{"path":"/zero","method":"GET","rate":0,"per":1},{"path":"/any","rate":1,"per":1}]"#;

    fn definition(api: &str) -> String {
        format!(
            r#"{{{api}"version_data":{{"versions":{{"v":{{"use_extended_paths":true,"extended_paths":{{"rate_limit":{ROWS}}}}}}}}}}}"#
        )
    }

    /// The counter for a request, as `counter rate/per`.
    fn asked(definition: &str, method: &str, path: &str, entry: Entry) -> Option<String> {
        let value = parse(definition).unwrap();
        let version = value.pointer("/version_data/versions/v");
        let settings = Settings::default();
        let mut compiler = Compiler::new(&value, version.map(|version| ("v", version)), &settings);
        let rates = ApiRateLimit::compile(&mut compiler)?;
        let chain = Rc::new(compiler.finish(Vec::new()));
        let mut request = request(method, path, &[]);
        request.entry = entry;
        let mut exchange = crate::testing::exchange(request, Route::default(), chain);
        let found = rates.of(&mut exchange);
        let found = found.first()?;
        Some(format!("{} {}", found.counter, shown(found.rate)))
    }

    #[test]
    fn rule_replaces_the_rate_of_the_api() {
        let definition = definition(r#""global_rate_limit":{"rate":3,"per":10},"#);
        let api = Some("api-rate 3 per 10 s");
        for (method, path, expected) in [
            ("GET", "/orders", Some("api-rate-GET:/orders 1 per 10 s")),
            (
                "GET",
                "/items/1",
                Some("api-rate-GET:/items/{id} 2 per 0.5 s"),
            ),
            (
                "GET",
                "/items/2/x",
                Some("api-rate-GET:/items/{id} 2 per 0.5 s"),
            ),
            ("POST", "/orders", api),
            ("GET", "/free", api),
            ("GET", "/any", api),
            ("GET", "/open", None),
            ("GET", "/still", api),
            ("GET", "/zero", api),
            ("GET", "/else", api),
        ] {
            let found = asked(&definition, method, path, Entry::Client);
            assert_eq!(found.as_deref(), expected, "{method} {path}");
        }
    }

    #[test]
    fn loops_count_if_configured() {
        let definition = definition("");
        for (entry, counts) in [
            (Entry::Loop { counts: false }, false),
            (Entry::Loop { counts: true }, true),
            (Entry::Client, true),
        ] {
            assert_eq!(
                asked(&definition, "GET", "/orders", entry).is_some(),
                counts,
                "{entry:?}"
            );
        }
    }

    #[test]
    fn rates_can_be_disabled() {
        let off =
            definition(r#""disable_rate_limit":true,"global_rate_limit":{"rate":3,"per":10},"#);
        assert_eq!(asked(&off, "GET", "/orders", Entry::Client), None);
        for api in [
            r#""global_rate_limit":{"rate":3,"per":10,"disabled":true},"#,
            r#""global_rate_limit":{"rate":0,"per":10},"#,
            "",
        ] {
            let definition = definition(api);
            assert_eq!(
                asked(&definition, "GET", "/else", Entry::Client),
                None,
                "{api}"
            );
            assert!(
                asked(&definition, "GET", "/orders", Entry::Client).is_some(),
                "{api}"
            );
        }
    }
}
