//! Link 19: the paths and methods of the API that the key may use (`allowed_urls`).

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::path::{self, CLIMBS};
use std::rc::Rc;

/// The paths that the key may use.
#[derive(Debug)]
pub struct GranularAccess;

impl Middleware for GranularAccess {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let keyless = from.definition.bool("use_keyless").unwrap_or_default();
        (!keyless).then_some(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let Some(identity) = exchange.identity.as_ref().filter(|_| !exchange.ignored) else {
            return Step::Next;
        };
        let known = Rc::clone(&identity.known);
        let anchors = exchange.chain.settings.anchors;
        let rules = known.rules(&exchange.api.definition.api_id, anchors);
        if rules.urls.is_empty() {
            return Step::Next;
        }
        if path::climbs(exchange.request.path.decoded()) {
            exchange.remark(CLIMBS);
            return Step::Reply(Reply::from(Failure::ResourceDisallowed));
        }
        let method = exchange.request.method.clone();
        // Both the complete path, including what names the API (reference 2.2), and the same without a stripped
        // version. With prefix matching, a rule may also start after the listen path.
        let path = exchange.request.path.decoded().to_owned();
        let bare = exchange.decoded_path();
        let paths = if anchors.prefix {
            exchange.rule_paths()
        } else {
            vec![&*path, &*bare]
        };
        // An upstream may take the path for another one, which has to be allowed as well.
        let is_plain = |path: &&str| path::alternatives(path).is_empty();
        let allows = |path: &str| rules.urls.rule(&method, &[path]).is_some();
        let holds = |path: &&str| {
            allows(path) && path::alternatives(path).iter().all(|other| allows(other))
        };
        let is_sure =
            rules.urls.has_parameters || paths.iter().all(is_plain) || paths.iter().any(holds);
        match rules.urls.rule(&method, &paths).filter(|_| is_sure) {
            Some(rule) => {
                exchange.note(|| format!("Rule {rule} of its allowed_urls allows it"));
                Step::Next
            }
            None => {
                exchange.note(|| format!("None of its allowed_urls allows {method} {path}"));
                Step::Reply(Reply::from(Failure::ResourceDisallowed))
            }
        }
    }
}
