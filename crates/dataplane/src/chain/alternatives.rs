//! Several ways to say who one is, of which one is enough (`openapi.security`; reference 3.1, *OAS
//! authentication*).
//!
//! Each alternative is some methods that all have to pass. They are tried in their order; if none passes,
//! the answer is that of the last one, without a challenge.

use super::{Link, Step};
use crate::exchange::Exchange;
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
