//! Part of link 40: distributes requests over the members of `target_list` in turn (reference 3.4, *Load
//! balancing*).
//!
//! There is one counter per API, for all methods and versions, starting with the first target; a target that is listed
//! n times gets n turns. Rewrites to an absolute URL and versions with their own target take no turn. Targets named by
//! a service registry replace the list, and a target that is down leaves its turn to the next one (reference 3.2,
//! *every host down*).
//!
//! A session of an MCP server takes no turns: it stays with the target that started it ([`sessions`]).

use crate::chain::{Compiler, Middleware, Need, Step, counted};
use crate::exchange::{Exchange, Target};
use crate::failure::Failure;
use crate::links::uptime_tests::{self, skips_down};
use crate::mcp::sessions;
use crate::upstreams::{Answer, Known};
use crate::versions::has_own_target;
use gatewright_model::json::Value;
use gatewright_protocol::discovery::Discovery;
use gatewright_protocol::target::Target as Address;
use std::rc::Rc;

/// The targets in order; repeated ones occur more than once.
#[derive(Debug)]
pub struct LoadBalancing {
    targets: Vec<Rc<Address>>,
    /// Whether requests are distributed, rather than all sent to the first target.
    is_balanced: bool,
    /// Whether targets that are down are skipped.
    skips_down: bool,
    /// Whether the targets are an MCP server.
    is_mcp: bool,
}

impl Middleware for LoadBalancing {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let proxy = from.definition.get("proxy")?;
        let is_balanced = proxy.bool("enable_load_balancing") == Some(true);
        let discovery = Discovery::read(proxy.get("service_discovery"));
        if !is_balanced && discovery.is_none() || has_own_target(from) {
            return None;
        }
        let listed = proxy.get("target_list").filter(|_| is_balanced);
        let targets = listed.map(Value::items).unwrap_or_default().iter();
        let targets: Vec<Rc<Address>> = targets
            .filter_map(|target| Address::parse(target.as_str()?).map(Rc::new))
            .collect();
        if is_balanced {
            from.origin(
                "/proxy/enable_load_balancing",
                counted(targets.len(), "target"),
            );
        }
        (!targets.is_empty() || discovery.is_some()).then(|| Self {
            targets,
            is_balanced,
            skips_down: is_balanced && skips_down(from.definition),
            is_mcp: from.is_mcp(),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if matches!(exchange.target, Target::Absolute(_)) {
            return Step::Next;
        }
        let discovered = exchange.discovered.take();
        let targets = match discovered.as_deref() {
            Some(Answer::Targets(targets)) => targets,
            _ => &self.targets,
        };
        let count = u64::try_from(targets.len()).unwrap_or(u64::MAX);
        let (mut turn, mut tried) = (0, targets.len());
        exchange.pins = self.is_mcp && self.is_balanced && count > 1;
        let session = exchange.pins.then(|| exchange.header(sessions::HEADER));
        if let Some(session) = session.flatten() {
            let Some((at, id)) = sessions::issuer(exchange, targets, &session) else {
                return Step::Reply(Failure::SessionUnknown.into());
            };
            exchange.set_header(sessions::HEADER, &id);
            (turn, tried) = (u64::try_from(at).unwrap_or_default(), 1);
        } else if self.is_balanced && count > 1 {
            match Self::turn(exchange) {
                Ok(taken) => turn = taken,
                Err(step) => {
                    exchange.discovered = discovered;
                    return step;
                }
            }
        }
        let known = self.skips_down.then(|| {
            let answers = exchange.isolate.answers().borrow();
            answers.known(&uptime_tests::key(exchange))
        });
        let known = known.flatten();
        let down: &[String] = match known.as_deref() {
            Some(Answer::Down(down)) => down,
            _ => &[],
        };
        let first = turn.checked_rem(count).unwrap_or_default();
        let first = usize::try_from(first).unwrap_or_default();
        let from_first = targets.iter().enumerate().cycle().skip(first);
        let mut from_first = from_first.take(tried);
        let is_up = |target: &Address| down.is_empty() || !down.contains(&target.host());
        match from_first.find(|(_, target)| is_up(target)) {
            Some((at, target)) => {
                exchange.turn = Some(Rc::clone(target));
                exchange.note(|| format!("target {} of {count}", at.saturating_add(1)));
                Step::Next
            }
            // Neither named nor listed targets: the request goes to the API's own.
            None if targets.is_empty() => Step::Next,
            None => Step::Reply(Failure::AllDown.into()),
        }
    }
}

impl LoadBalancing {
    /// The number of the turn, or the step needed to obtain it.
    fn turn(exchange: &mut Exchange) -> Result<u64, Step> {
        // No entry of a list has this part number: they start at 1.
        let key = format!("{:x} turns", exchange.api.checksum);
        let answered = exchange.upstreams_answer.take();
        let isolate = Rc::clone(&exchange.isolate);
        let mut upstreams = isolate.upstreams().borrow_mut();
        let now = isolate.now_ms();
        match answered {
            Some(answer) => Ok(upstreams.turn_answered(&key, answer.as_deref(), now)),
            None => match upstreams.turn(&key, now) {
                Known::Now(turn) => Ok(turn),
                Known::Ask(message) => Err(Step::Need(Need::Upstreams(message))),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::{Chain, Settings};
    use crate::exchange::{Exchange, Route};
    use crate::failure::Failure;
    use crate::isolate::Isolate;
    use crate::mcp::sessions;
    use crate::testing::{chain, exchange, pass, request};
    use std::rc::Rc;

    const LIST: &str =
        r#""target_list":["http://one/v2/","http://one/v2/","http://two","https://three/x"]"#;

    /// The origins of the targets of consecutive requests.
    fn turns(chain: &Rc<Chain>, requests: &[(&str, &str)]) -> Vec<String> {
        let mut isolate: Option<Rc<dyn Isolate>> = None;
        let urls = requests.iter().map(|(method, path)| {
            let route = Route {
                listen: 1,
                ..Route::default()
            };
            let mut exchange = exchange(request(method, path, &[]), route, Rc::clone(chain));
            exchange.isolate = isolate.take().unwrap_or(exchange.isolate);
            let exchange: Exchange = pass(exchange, "").exchange;
            isolate = Some(Rc::clone(&exchange.isolate));
            let turn = exchange.turn.as_ref();
            turn.map_or_else(String::new, |target| target.join(path, "", false))
        });
        urls.collect()
    }

    #[test]
    fn targets_rotate_starting_with_the_first() {
        let definition = format!(r#"{{"proxy":{{"enable_load_balancing":true,{LIST}}}}}"#);
        let chain = chain(&definition, &Settings::default());
        let paths = [
            ("GET", "/"),
            ("POST", "/a"),
            ("GET", "/b"),
            ("PUT", "/c"),
            ("GET", "/d"),
        ];
        assert_eq!(
            turns(&chain, &paths),
            [
                "http://one/v2",
                "http://one/v2/a",
                "http://two/b",
                "https://three/x/c",
                "http://one/v2/d"
            ]
        );
    }

    /// Sends a request with this session: returns its target and the id it is sent with, or a refusal.
    fn sent_in(chain: &Rc<Chain>, id: &str, isolate: &Rc<dyn Isolate>) -> Result<String, u16> {
        let headers = [("Mcp-Session-Id", id)];
        let headers = headers.get(usize::from(id.is_empty())..).unwrap();
        let request = request("GET", "/", headers);
        let mut exchange = exchange(request, Route::default(), Rc::clone(chain));
        exchange.isolate = Rc::clone(isolate);
        let sent = pass(exchange, "");
        if let Some(status) = sent.status() {
            return Err(status);
        }
        let exchange = sent.exchange;
        let target = exchange.turn.as_ref().unwrap().host();
        Ok(match id {
            "" => sessions::shown(&exchange, "s 1").unwrap(),
            _ => format!("{target} {}", exchange.header("mcp-session-id").unwrap()),
        })
    }

    #[test]
    fn mcp_session_sticks_to_its_target() {
        let chain_of = |list: &str| {
            let text = format!(
                r#"{{"application_protocol":"mcp","use_keyless":true,"proxy":{{"enable_load_balancing":true,"target_list":[{list}]}}}}"#
            );
            chain(&text, &Settings::default())
        };
        let chain = chain_of(r#""http://one/mcp","http://two/mcp""#);
        let isolate = exchange(
            request("GET", "/", &[]),
            Route::default(),
            Rc::clone(&chain),
        )
        .isolate;
        let begun: Vec<String> = (0..2)
            .map(|_| sent_in(&chain, "", &isolate).unwrap())
            .collect();
        let of = |at: usize| begun.get(at).unwrap().as_str();
        assert_ne!(of(0), of(1), "two targets call two sessions alike");
        for _ in 0..3 {
            assert_eq!(sent_in(&chain, of(1), &isolate), Ok("two s 1".to_owned()));
            assert_eq!(sent_in(&chain, of(0), &isolate), Ok("one s 1".to_owned()));
        }
        // In another order, and with one of the targets gone.
        let other = chain_of(r#""http://three","http://two/mcp""#);
        assert_eq!(sent_in(&other, of(1), &isolate), Ok("two s 1".to_owned()));
        assert_eq!(sent_in(&other, of(0), &isolate), Err(404));
        for wrong in [
            "s 1".to_owned(),
            format!("{}2", of(0).strip_suffix('1').unwrap()),
            format!("{}s 1", "0".repeat(32)),
            format!("x{}", of(0)),
            format!("{}, {}", of(0), of(1)),
            "ü".repeat(20),
        ] {
            assert_eq!(sent_in(&chain, &wrong, &isolate), Err(404), "{wrong}");
        }
        // With a single target the id passes unchanged.
        let one = chain_of(r#""http://one/mcp""#);
        assert_eq!(sent_in(&one, "s 1", &isolate), Ok("one s 1".to_owned()));
    }

    #[test]
    fn request_with_own_target_is_not_balanced() {
        let rewrite = r#"{"proxy":{"enable_load_balancing":true,"target_list":["http://one"]},"version_data":{"versions":
            {"v":{"use_extended_paths":true,"extended_paths":{"url_rewrites":[{"path":"/away","method":"GET","match_pattern":".*",
            "rewrite_to":"http://away/x"},{"path":"/here","method":"GET","match_pattern":".*","rewrite_to":"/there"}]}}}}}"#;
        let chain_of = |text: &str| chain(text, &Settings::default());
        let sent = turns(&chain_of(rewrite), &[("GET", "/away"), ("GET", "/here")]);
        assert_eq!(sent, ["", "http://one/here"]);
        let off = rewrite.replace("balancing\":true", "balancing\":false");
        assert_eq!(turns(&chain_of(&off), &[("GET", "/here")]), [""]);
        let own = r#"{"definition":{"location":"header","key":"v"},"proxy":{"enable_load_balancing":true,"target_list":["http://one"]},"version_data":{"not_versioned":false,
            "versions":{"v":{"override_target":"http://own"}}}}"#;
        assert_eq!(turns(&chain_of(own), &[("GET", "/x")]), [""]);
    }

    #[test]
    fn down_target_is_skipped() {
        use crate::chain::{Need, Step};
        let text = format!(
            r#"{{"proxy":{{"enable_load_balancing":true,"check_host_against_uptime_tests":true,{LIST}}}}}"#
        );
        let chain = chain(&text, &Settings::default());
        let mut isolate: Option<Rc<dyn Isolate>> = None;
        let mut send = |down: &str| {
            let mut exchange = exchange(
                request("GET", "/x", &[]),
                Route::default(),
                Rc::clone(&chain),
            );
            exchange.isolate = isolate.take().unwrap_or(exchange.isolate);
            let mut asked = 0;
            for link in &chain.links {
                let mut step = link.request(&mut exchange);
                while let Step::Need(Need::Upstreams(message)) = step {
                    assert_eq!(message, "down default");
                    asked += 1;
                    exchange.upstreams_answer = Some(Some(down.to_owned()));
                    step = link.request(&mut exchange);
                }
                if let Step::Reply(reply) = step {
                    assert_eq!(reply, Failure::AllDown.into());
                    exchange.turn = None;
                    break;
                }
            }
            isolate = Some(Rc::clone(&exchange.isolate));
            let turn = exchange.turn.as_ref();
            (asked, turn.map(|target| target.host()))
        };
        let to = |asked, host: &str| (asked, Some(host.to_owned()));
        // The first host's turns go to the second, and nobody asks again within the second.
        assert_eq!(send("one"), to(1, "two"));
        assert_eq!(send(""), to(0, "two"));
        assert_eq!(send(""), to(0, "two"));
        assert_eq!(send(""), to(0, "three"));
        drop(isolate);
        let mut isolate: Option<Rc<dyn Isolate>> = None;
        let mut all_down = || {
            let mut exchange = exchange(
                request("GET", "/x", &[]),
                Route::default(),
                Rc::clone(&chain),
            );
            exchange.isolate = isolate.take().unwrap_or(exchange.isolate);
            let step = chain.links.iter().map(|link| {
                exchange.upstreams_answer =
                    (link.name() == "uptime_tests").then(|| Some("one\ntwo\nthree".to_owned()));
                link.request(&mut exchange)
            });
            let steps: Vec<Step> = step.collect();
            isolate = Some(Rc::clone(&exchange.isolate));
            steps
        };
        let refused = Step::Reply(Failure::AllDown.into());
        assert!(all_down().contains(&refused));
        assert_eq!(Failure::AllDown.status(), 503);
    }
}
