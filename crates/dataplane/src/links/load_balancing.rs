//! Link 40, a part of it: requests go to the members of `target_list` in turn (reference 3.4, *Load
//! balancing*).
//!
//! One counter for each API, for all methods and versions, from the first target on; a target that is listed n times has n
//! turns. A rewrite to a whole address and a version's own target have no turn.

use crate::chain::{Compiler, Middleware, Need, Step, counted};
use crate::exchange::{Exchange, Target};
use crate::upstreams::Known;
use crate::versions::is_unversioned;
use gatewright_model::json::Value;
use gatewright_protocol::target::Target as Address;
use std::rc::Rc;

/// The targets in their order, repeated ones more than once.
#[derive(Debug)]
pub struct LoadBalancing {
    targets: Vec<Rc<Address>>,
}

impl Middleware for LoadBalancing {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let proxy = from.definition.get("proxy")?;
        if proxy.bool("enable_load_balancing") != Some(true) {
            return None;
        }
        let own = from.of_version("override_target");
        let own = own.and_then(|(value, _)| value.as_str());
        if own.is_some_and(|own| !own.is_empty()) && !is_unversioned(from.definition) {
            return None;
        }
        let listed = proxy.get("target_list").map(Value::items);
        let targets = listed.unwrap_or_default().iter();
        let targets: Vec<Rc<Address>> = targets
            .filter_map(|target| Address::parse(target.as_str()?).map(Rc::new))
            .collect();
        from.origin(
            "/proxy/enable_load_balancing",
            counted(targets.len(), "target"),
        );
        (!targets.is_empty()).then_some(Self { targets })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if matches!(exchange.target, Target::Absolute(_)) {
            return Step::Next;
        }
        // No row of a list has this number: the first is 1.
        let key = format!("{:x} turns", exchange.api.checksum);
        let answered = exchange.upstreams_answer.take();
        let isolate = Rc::clone(&exchange.isolate);
        let mut upstreams = isolate.upstreams().borrow_mut();
        let now = isolate.now_ms();
        let turn = match answered {
            Some(answer) => upstreams.turn_answered(&key, answer.as_deref(), now),
            None => match upstreams.turn(&key, now) {
                Known::Now(turn) => turn,
                Known::Ask(message) => return Step::Need(Need::Upstreams(message)),
            },
        };
        let count = u64::try_from(self.targets.len()).unwrap_or(u64::MAX);
        let at = turn.checked_rem(count).unwrap_or_default();
        let at = usize::try_from(at).unwrap_or_default();
        exchange.turn = self.targets.get(at).cloned();
        exchange.note(|| format!("target {} of {count}", at.saturating_add(1)));
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::{Chain, Settings};
    use crate::exchange::{Exchange, Route};
    use crate::isolate::Isolate;
    use crate::testing::{chain, exchange, pass, request};
    use std::rc::Rc;

    const LIST: &str =
        r#""target_list":["http://one/v2/","http://one/v2/","http://two","https://three/x"]"#;

    /// The origins of the targets of some requests, one after another.
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
    fn each_target_has_its_turns_from_the_first_on() {
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

    #[test]
    fn what_has_a_target_of_its_own_has_no_turn() {
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
}
