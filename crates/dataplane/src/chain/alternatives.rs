//! Several ways to say who one is, of which one is enough (`openapi.security`; reference 3.1, *OAS
//! authentication*).
//!
//! Each alternative is some methods that all have to pass. They are tried in their order; if none passes,
//! the answer is that of the last one, without a challenge.

use super::{Link, Step};
use crate::exchange::{Exchange, KeyFacts};
use crate::failure::{Failure, Reply};
use crate::identity::Method;
use gatewright_model::json::Value;

/// The alternatives of a chain; none where all its methods have to pass.
#[derive(Debug, Default)]
pub struct Alternatives(Vec<Alternative>);

/// The links that all have to pass, by their indexes; `None` where one of them is off, so that nobody can.
type Alternative = Option<Vec<usize>>;

impl Alternatives {
    /// Reads them from a definition, for these links.
    pub(super) fn read(definition: &Value<'_>, links: &[Link]) -> Self {
        let groups = definition.pointer("/openapi/security").map(Value::items);
        let link = |config: &Value<'_>| {
            let name = Method::link_of(config.as_str()?)?;
            links.iter().position(|link| link.name() == name)
        };
        let group = |group: &Value<'_>| group.items().iter().map(link).collect();
        Self(groups.unwrap_or_default().iter().map(group).collect())
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asks the links of the alternative at hand, and of those after it.
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
            exchange.note(|| "This is not enough; there is another way".to_owned());
            exchange.forget_identity();
            exchange.key = KeyFacts::default();
            exchange.alternative = next;
        }
        Step::Reply(Failure::CredentialMissing.into())
    }
}

fn ask(alternative: &[usize], links: &[Link], exchange: &mut Exchange) -> Step {
    if alternative.is_empty() {
        // The document lets requests through without any credential, too.
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

    /// What comes of a request without credentials, and whether it passes as on an ignored path.
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
            // A scheme that is off can't be passed.
            (r#"[["basic"]]"#, (Some(401), false)),
            (r#"[["basic"],["authToken","basic"]]"#, (Some(401), false)),
            // None at all is one way, too.
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
