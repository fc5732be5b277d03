//! Part of link 40: gets targets from a service registry (`proxy.service_discovery`).
//!
//! Its list is used for the time set in the definition, and longer if the registry does not answer. Until it has named
//! an upstream, requests go to the definition's target. Rewrites to an absolute URL and versions with their own target
//! don't ask it.

use super::servers::{self, Call};
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::{Exchange, Target};
use crate::upstreams::{Answer, Fetched, Lifetime};
use crate::versions::has_own_target;
use gatewright_protocol::discovery::Discovery;
use gatewright_protocol::target::Target as Address;
use std::rc::Rc;

/// The service registry of an API.
#[derive(Debug)]
pub struct ServiceDiscovery {
    discovery: Discovery,
}

impl Middleware for ServiceDiscovery {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let proxy = from.definition.get("proxy")?;
        let discovery = Discovery::read(proxy.get("service_discovery"))?;
        if has_own_target(from) {
            return None;
        }
        from.origin("/proxy/service_discovery", "");
        Some(Self { discovery })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if matches!(exchange.target, Target::Absolute(_)) {
            return Step::Next;
        }
        let read = |fetched: Fetched<'_>| {
            let named = self.discovery.addresses(fetched.text);
            let named = named.iter().filter_map(|url| Address::parse(url));
            let targets: Vec<_> = named.map(Rc::new).collect();
            let lifetime = Lifetime {
                at: fetched.at,
                fresh: fetched.at.saturating_add(self.discovery.cache_ms),
                // An empty list means that the registry has lost its data: the previous one stays in use.
                ends: if targets.is_empty() { 0 } else { u64::MAX },
            };
            Some((Answer::Targets(targets), lifetime))
        };
        let call = Call {
            kind: "list",
            url: &self.discovery.endpoint,
            form: None,
            always: self.discovery.cache_ms == 0,
        };
        let found = match servers::ask(exchange, &call, &read) {
            Ok(found) => found,
            Err(step) => return step,
        };
        if found.is_none() {
            exchange.remark("the service registry has named no upstream");
        }
        exchange.discovered = found;
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::{Chain, Need, Settings, Step};
    use crate::exchange::{Exchange, Route};
    use crate::testing::{NOW_MS, chain, exchange, request};
    use std::rc::Rc;

    const CONSUL: &str = r#"[{"Address":"10.0.0.1","Port":80},{"Address":"10.0.0.2","Port":81}]"#;

    fn definition(more: &str, proxy: &str) -> Rc<Chain> {
        let text = format!(
            r#"{{"proxy":{{"target_url":"http://up/",{proxy}"service_discovery":{{"use_discovery_service":true,
            "query_endpoint":"http://consul/","endpoint_returns_list":true,"data_path":"Address","port_data_path":"Port"{more}}}}}}}"#
        );
        chain(&text, &Settings::default())
    }

    /// Starts a request, in the isolate of a previous one.
    fn begin(chain: &Rc<Chain>, before: Option<&Exchange>) -> Exchange {
        let route = Route {
            listen: 1,
            ..Route::default()
        };
        let mut exchange = exchange(request("GET", "/x", &[]), route, Rc::clone(chain));
        if let Some(before) = before {
            exchange.isolate = Rc::clone(&before.isolate);
        }
        exchange
    }

    /// Runs the links with these replies to their questions, in order, `None` for no reply.
    fn run(exchange: &mut Exchange, answers: &[Option<&str>]) -> (Vec<String>, Option<String>) {
        let chain = Rc::clone(&exchange.chain);
        let mut asked = Vec::new();
        for link in &chain.links {
            let mut step = link.request(exchange);
            while let Step::Need(Need::Upstreams(message)) = step {
                let answer = answers.get(asked.len()).copied().flatten();
                exchange.upstreams_answer = Some(answer.map(str::to_owned));
                asked.push(message);
                step = link.request(exchange);
            }
            assert_eq!(step, Step::Next);
        }
        let turn = exchange.turn.as_ref();
        (asked, turn.map(|target| target.join("/x", "", false)))
    }

    #[test]
    fn registry_is_queried_once_per_cache_period() {
        let chain = definition("", "");
        let mut first = begin(&chain, None);
        let answer = format!("{NOW_MS} new\n{CONSUL}");
        let (asked, turn) = run(&mut first, &[Some(&answer)]);
        assert_eq!(asked.len(), 1);
        assert!(asked[0].starts_with("fetch list 0 0 "), "{}", asked[0]);
        assert_eq!(turn.as_deref(), Some("http://10.0.0.1:80/x"));
        let (asked, turn) = run(&mut begin(&chain, Some(&first)), &[]);
        assert_eq!(
            (asked.len(), turn.as_deref()),
            (0, Some("http://10.0.0.1:80/x"))
        );
    }

    #[test]
    fn discovered_targets_rotate_if_balanced() {
        for (balanced, expected) in [(true, [1, 2, 1]), (false, [1, 1, 1])] {
            let chain = definition(
                r#","use_target_list":true,"target_path":"/v2""#,
                &format!(r#""enable_load_balancing":{balanced},"#),
            );
            let answer = format!("{NOW_MS} new\n{CONSUL}");
            let mut before = begin(&chain, None);
            let mut turns = vec![run(&mut before, &[Some(&answer)]).1];
            turns.extend((0..2).map(|_| run(&mut begin(&chain, Some(&before)), &[]).1));
            let expected =
                expected.map(|host| Some(format!("http://10.0.0.{host}:{}/v2/x", 79 + host)));
            assert_eq!(turns, expected, "{balanced}");
        }
    }

    #[test]
    fn expired_discovery_is_refreshed() {
        let chain = definition(r#","cache_timeout":5"#, "");
        let old = format!("{} kept\n[]", NOW_MS - 5000);
        let new = format!("{NOW_MS} new\n{CONSUL}");
        let (asked, turn) = run(&mut begin(&chain, None), &[Some(&old), Some(&new)]);
        assert!(asked[1].starts_with(&format!("fetch list 0 {} ", NOW_MS - 5000)));
        assert_eq!(
            (asked.len(), turn.as_deref()),
            (2, Some("http://10.0.0.1:80/x"))
        );
    }

    #[test]
    fn failed_discovery_falls_back_to_previous_list_or_target() {
        let chain = definition(r#","cache_disabled":true"#, "");
        let mut first = begin(&chain, None);
        assert_eq!(run(&mut first, &[None]).1, None);
        assert!(first.discovered.is_none());
        let answer = format!("{NOW_MS} new\n{CONSUL}");
        let (asked, turn) = run(&mut begin(&chain, Some(&first)), &[Some(&answer)]);
        assert_eq!(
            (asked.len(), turn.as_deref()),
            (1, Some("http://10.0.0.1:80/x"))
        );
        for answer in [None, Some("0 old no answer\n"), Some("7 new\n[]")] {
            let (asked, turn) = run(&mut begin(&chain, Some(&first)), &[answer]);
            assert!(asked.len() <= 1);
            assert_eq!(turn.as_deref(), Some("http://10.0.0.1:80/x"), "{answer:?}");
        }
    }
}
