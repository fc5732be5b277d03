//! What the administration asks the data plane of its isolate about the set served there. Both are separate WebAssembly
//! modules, so only what was asked for is transferred.

use crate::events::Handlers;
use gatewright_api::chain::Chain;
use gatewright_model::order::map;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A query of the administration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedAsk {
    /// Ids of APIs.
    pub apis: Vec<String>,
    /// Ids of policies, of either of the two kinds of id.
    pub policies: Vec<String>,
    /// Ids of APIs whose chains are returned.
    pub chains: Vec<String>,
}

/// An API that is served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServedApi {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Its organisation, empty for the default one.
    pub org_id: String,
    /// The handlers of its events.
    pub handlers: Handlers,
}

/// The requested parts of the set that are served.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Served {
    /// The requested APIs.
    pub apis: Vec<ServedApi>,
    /// The requested policies: the requested id, and the text.
    pub policies: Vec<(String, String)>,
    /// The requested chains.
    pub chains: Vec<Chain>,
    /// Whether any API of the entire set has a handler for events about keys.
    pub hears_of_tokens: bool,
}

impl Served {
    /// Returns the API with this id.
    #[must_use]
    pub fn api(&self, id: &str) -> Option<&ServedApi> {
        self.apis.iter().find(|api| api.id == id)
    }

    /// Returns the texts of the policies by the requested ids.
    #[must_use]
    pub fn into_policies(self) -> BTreeMap<String, String> {
        map(self.policies.into_iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::{decode, encode};
    use gatewright_api::chain::{Link, LinkPhase};
    use gatewright_model::json::parse;

    #[test]
    fn what_is_served_comes_over_with_its_handlers() {
        let definition = r#"{"api_id":"a","event_handlers":{"events":{"TokenCreated":[
            {"handler_name":"eh_log_handler","handler_meta":{"prefix":"p"}},
            {"handler_name":"eh_web_hook_handler","handler_meta":{"id":"h","event_timeout":7}}]}}}"#;
        let served = Served {
            apis: vec![ServedApi {
                id: "a".to_owned(),
                name: "Ä\n".to_owned(),
                org_id: String::new(),
                handlers: Handlers::read(&parse(definition).unwrap(), 3),
            }],
            policies: vec![("p".to_owned(), "{\"rate\": 1.0}".to_owned())],
            chains: vec![Chain {
                api_id: "a".to_owned(),
                links: vec![Link {
                    name: "cors".to_owned(),
                    title: "CORS".to_owned(),
                    phase: LinkPhase::Both,
                    version: Some("v 1".to_owned()),
                    pointers: vec!["/CORS".to_owned()],
                    detail: "1 origin".to_owned(),
                }],
            }],
            hears_of_tokens: true,
        };
        let message = encode(&served, "").unwrap();
        let (read, rest) = decode::<Served>(&message).unwrap();
        assert_eq!((&read, rest), (&served, ""));
        assert!(read.api("a").is_some() && read.api("b").is_none());
        assert_eq!(read.into_policies()["p"], "{\"rate\": 1.0}");
    }
}
