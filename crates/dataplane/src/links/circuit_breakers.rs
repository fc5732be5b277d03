//! Part of link 40: gives an upstream that fails too often a rest (`circuit_breakers`; reference 3.4, *Circuit
//! breaker*).
//!
//! A breaker belongs to one rule: all paths that match its pattern share it, other methods are unaffected. The first
//! matching rule applies; for a message, the first for its method and the first for its tool both do, and both are told
//! how the request ends (reference 6.4, *Allow lists*). The driver reports the end of the request to them before the
//! answer is sent.

use crate::chain::{Compiler, Link, Middleware, Need, Step};
use crate::driver::of_breaker;
use crate::exchange::{Exchange, Passed};
use crate::failure::Failure;
use crate::rules::PatternId;
use crate::snapshot::Api;
use crate::upstreams::{Change, Gate, Known, Rule, Upstreams};
use std::rc::Rc;

/// The breakers.
#[derive(Debug)]
pub struct CircuitBreakers {
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Row {
    path: PatternId,
    text: Rc<str>,
    method: String,
    number: usize,
    rule: Rule,
}

impl Middleware for CircuitBreakers {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        const LIST: &str = "circuit_breakers";
        let rows = from.rows(LIST).into_iter();
        let rows: Vec<Row> = rows
            .map(|row| Row {
                path: from.path(row.path()),
                text: row.path().into(),
                method: row.method().to_owned(),
                number: row.number,
                rule: Rule::read(row.value),
            })
            .collect();
        from.origin_of_rules(LIST, rows.len());
        (!rows.is_empty()).then_some(Self { rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let rows = exchange.applicable(&self.rows, &[], |row| (row.path, &row.method));
        let mut rows: Vec<&Row> = rows.collect();
        rows.dedup_by_key(|row| row.number);
        for row in rows.into_iter().skip(exchange.breakers.len()) {
            if let Err(step) = row.pass(exchange) {
                return step;
            }
        }
        Step::Next
    }
}

impl Row {
    /// Admits a request; `Err` is the step to return instead.
    fn pass(&self, exchange: &mut Exchange) -> Result<(), Step> {
        let key = exchange.upstream_key(self.number);
        let answered = exchange.upstreams_answer.take();
        let isolate = Rc::clone(&exchange.isolate);
        let mut upstreams = isolate.upstreams().borrow_mut();
        let (gate, change) = match answered {
            Some(answer) => upstreams.gate_answered(&key, answer.as_deref()),
            None => match upstreams.gate(&key, self.rule, isolate.now_ms()) {
                Known::Now(known) => known,
                Known::Ask(message) => return Err(Step::Need(Need::Upstreams(message))),
            },
        };
        drop(upstreams);
        if change == Change::Closed {
            of_breaker(exchange, &self.text, change);
        }
        let is_trial = match gate {
            Gate::Open { .. } => return Err(Step::Reply(Failure::BreakerOpen.into())),
            Gate::Trial => true,
            Gate::Closed => false,
        };
        if is_trial {
            exchange.note(|| {
                let number = self.number;
                format!("rule {number} of circuit_breakers lets the request through as a trial")
            });
        }
        exchange.breakers.push(Passed {
            key,
            rule: self.rule,
            path: Rc::clone(&self.text),
            is_trial,
        });
        Ok(())
    }
}

/// The breakers of an API, one line each: requests, failures, when it closes (Unix milliseconds, 0 if it is closed),
/// whether the next request is a trial (0 or 1), `samples`, the threshold in millionths, and the rule's method and
/// path.
#[must_use]
pub fn shown(api: &Api, upstreams: &Upstreams, now: u64) -> String {
    let mut lines = String::new();
    for (version, chain) in api.chains.iter().enumerate() {
        let breakers = chain.chain.links.iter().find_map(|link| match link {
            Link::CircuitBreakers(breakers) => Some(&breakers.rows),
            _ => None,
        });
        for row in breakers.into_iter().flatten() {
            let key = format!("{:x} {version} {}", api.checksum, row.number);
            let [requests, failures, until, tries] = upstreams.shown(&key, row.rule, now);
            let Rule {
                samples, threshold, ..
            } = row.rule;
            let (method, path) = (&row.method, &row.text);
            lines.push_str(&format!(
                "{requests} {failures} {until} {tries} {samples} {threshold} {method} {path}\n"
            ));
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use crate::chain::{Chain, Settings};
    use crate::testing::{Sent, chain, exchange, pass, request};
    use crate::upstreams::{End, Known};
    use std::rc::Rc;

    const ROWS: &str = r#"{"version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"circuit_breakers":[
        {"path":"/off","method":"GET","samples":1,"disabled":true,"return_to_service_after":60},
        {"path":"/{any}/orders","method":"GET","samples":1,"threshold_percent":0.5,"return_to_service_after":60},
        {"path":"/pets","method":"GET","samples":1,"threshold_percent":0.5,"return_to_service_after":60},
        {"path":"/none","samples":1,"return_to_service_after":60}]}}}}}"#;

    fn route() -> crate::exchange::Route {
        crate::exchange::Route {
            listen: 1,
            ..Default::default()
        }
    }

    /// Sends a request in the isolate of a previous one, or in a new one.
    fn send(chain: &Rc<Chain>, method: &str, path: &str, before: Option<&Sent>) -> Sent {
        let mut exchange = exchange(request(method, path, &[]), route(), Rc::clone(chain));
        if let Some(before) = before {
            exchange.isolate = Rc::clone(&before.exchange.isolate);
        }
        pass(exchange, "")
    }

    #[test]
    fn a_breaker_belongs_to_a_row_and_a_method() {
        let chain = chain(ROWS, &Settings::default());
        let first = send(&chain, "GET", "/a/orders", None);
        let passed = first.exchange.breakers.first().unwrap();
        assert_eq!((&*passed.path, passed.is_trial), ("/{any}/orders", false));
        let isolate = &first.exchange.isolate;
        let mut upstreams = isolate.upstreams().borrow_mut();
        let ended = upstreams.ended(&passed.key, passed.rule, End::Failed, isolate.now_ms());
        assert_eq!(ended, Known::Now(crate::upstreams::Change::Opened));
        let text = super::shown(&first.exchange.api, &upstreams, isolate.now_ms());
        assert_eq!(
            text.lines().next(),
            Some(
                format!(
                    "1 1 {} 0 1 500000 GET /{{any}}/orders",
                    isolate.now_ms() + 60_000
                )
                .as_str()
            )
        );
        assert_eq!(text.lines().count(), 3, "{text}");
        drop(upstreams);
        for (method, path, expected) in [
            ("GET", "/a/orders", Some(503)),
            ("GET", "/b/orders", Some(503)),
            ("POST", "/a/orders", None),
            ("HEAD", "/a/orders", None),
            ("GET", "/pets", None),
            ("GET", "/else", None),
        ] {
            let sent = send(&chain, method, path, Some(&first));
            assert_eq!(sent.status(), expected, "{method} {path}");
        }
        for path in ["/off", "/none", "/else"] {
            let sent = send(&chain, "GET", path, None);
            assert!(sent.exchange.breakers.is_empty(), "{path}");
        }
    }

    #[test]
    fn both_breakers_of_a_message_count() {
        use crate::testing::send_body;
        let rows = r#"{"application_protocol":"mcp","use_keyless":true,"openapi":{"mcp":{"methods":["/tools/call"],"tools":[{"name":"a"}]}},
            "version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{"circuit_breakers":[
            {"path":"/tools/call","method":"POST","samples":2,"threshold_percent":0.5,"return_to_service_after":60},
            {"path":"^/mcp-tool:a$","method":"POST","samples":1,"threshold_percent":0.5,"return_to_service_after":60}]}}}}}"#;
        let call = |name: &str| {
            let body = format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"{name}"}}}}"#
            );
            let json = [("Content-Type", "application/json")];
            send_body(rows, request("POST", "/", &json), &body)
        };
        let paths = |sent: &Sent| -> Vec<String> {
            let passed = sent.exchange.breakers.iter();
            passed.map(|passed| passed.path.to_string()).collect()
        };
        assert_eq!(paths(&call("a")), ["/tools/call", "^/mcp-tool:a$"]);
        assert_eq!(paths(&call("b")), ["/tools/call"]);
    }
}
