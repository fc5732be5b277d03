//! Alternative ways to authenticate, one of which is enough (`openapi.security`; reference 3.1, *OAS authentication*).
//!
//! Each alternative is a list of methods that must all pass. Alternatives are tried in order; if none passes, the last
//! one's answer is sent, without a challenge.

use super::{Link, Step};
use crate::exchange::{Exchange, KeyFacts};
use crate::failure::{Failure, Reply};
use crate::identity::Method;
use gatewright_model::json::Value;

/// The alternatives of a chain; empty if all its methods must pass.
#[derive(Debug, Default)]
pub struct Alternatives(Vec<Alternative>);

/// The indexes of the links that must all pass; `None` if one of them is disabled, so that nobody can.
type Alternative = Option<Vec<usize>>;

impl Alternatives {
    /// Reads the alternatives of a definition that has these links.
    pub(super) fn read(definition: &Value<'_>, links: &[Link]) -> Self {
        let groups = definition.pointer("/openapi/security").map(Value::items);
        let link = |config: &Value<'_>| {
            let name = Method::link_of(config.as_str()?)?;
            links.iter().position(|link| link.name() == name)
        };
        let group = |group: &Value<'_>| group.items().iter().map(link).collect();
        Self(groups.unwrap_or_default().iter().map(group).collect())
    }

    /// Whether there are no alternatives.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Runs the links of the current alternative, and of the next ones if it fails.
    pub fn request(&self, links: &[Link], exchange: &mut Exchange) -> Step {
        while let Some(alternative) = self.0.get(exchange.alternative) {
            let step = match alternative {
                None => Step::Reply(Failure::CredentialMissing.into()),
                Some(alternative) => ask(alternative, links, exchange),
            };
            let Step::Reply(reply) = step else {
                return step;
            };
            let next = exchange.alternative.saturating_add(1);
            if next >= self.0.len() {
                return Step::Reply(without_challenge(reply));
            }
            exchange.remark("This is not enough; there is another way");
            exchange.forget_identity();
            exchange.key = KeyFacts::default();
            exchange.alternative = next;
        }
        Step::Reply(Failure::CredentialMissing.into())
    }
}

fn ask(alternative: &[usize], links: &[Link], exchange: &mut Exchange) -> Step {
    if alternative.is_empty() {
        // The document also admits requests without credentials.
        exchange.ignored = true;
    }
    for link in alternative.iter().filter_map(|index| links.get(*index)) {
        match link.request(exchange) {
            Step::Next => {}
            other => return other,
        }
    }
    Step::Next
}

fn without_challenge(reply: Reply) -> Reply {
    match reply {
        Reply::Failure(mut refusal) => {
            let is_challenge =
                |(name, _): &(String, String)| name.eq_ignore_ascii_case("www-authenticate");
            refusal.headers.retain(|header| !is_challenge(header));
            Reply::Failure(refusal)
        }
        answer => answer,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Chain, Compiler, Settings};
    use crate::exchange::Route;
    use crate::failure::FailureReply;
    use crate::testing::{exchange, request};
    use std::rc::Rc;

    /// The refusal of a request without credentials, if any, and whether it passes as on an ignored path.
    fn asked(security: &str) -> (Option<u16>, bool) {
        let definition = format!(
            r#"{{"use_keyless":false,"use_standard_auth":true,"openapi":{{"security":{security}}}}}"#
        );
        let value = gatewright_model::json::parse(&definition).unwrap();
        let settings = Settings::default();
        let chain: Rc<Chain> = Rc::new(Compiler::chain(&value, None, &settings));
        let route = Route::default();
        let mut exchange = exchange(request("GET", "/", &[]), route, Rc::clone(&chain));
        let step = match chain.alternatives.is_empty() {
            true => return (None, false),
            false => chain.alternatives.request(&chain.links, &mut exchange),
        };
        let status = match step {
            Step::Reply(Reply::Failure(refusal)) => Some(refusal.status()),
            Step::Next => None,
            other => unreachable!("{other:?}"),
        };
        (status, exchange.ignored)
    }

    #[test]
    fn one_alternative_is_enough_and_the_last_one_answers() {
        for (security, expected) in [
            (r#"[["authToken"]]"#, (Some(401), false)),
            // A disabled scheme can't be passed.
            (r#"[["basic"]]"#, (Some(401), false)),
            (r#"[["basic"],["authToken","basic"]]"#, (Some(401), false)),
            // An empty alternative requires nothing.
            (r#"[["authToken"],[]]"#, (None, true)),
            (r#"[[],["authToken"]]"#, (None, true)),
        ] {
            assert_eq!(asked(security), expected, "{security}");
        }
    }

    #[test]
    fn the_answer_has_no_challenge() {
        let refusal = FailureReply {
            headers: vec![
                ("WWW-Authenticate".to_owned(), "Basic".to_owned()),
                ("X-A".to_owned(), "1".to_owned()),
            ],
            ..Failure::CredentialMissing.into()
        };
        let Reply::Failure(refusal) = without_challenge(Reply::Failure(refusal)) else {
            unreachable!()
        };
        assert_eq!(refusal.headers, [("X-A".to_owned(), "1".to_owned())]);
    }
}
