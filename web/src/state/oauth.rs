//! Clients of an OAuth 2.0 server as they are filled in. Plain values.

use gatewright_model::json::{Kind, parse, quote};

use super::query_string::encode;
use crate::api::access::StoredPolicy;
use crate::api::oauth::Client;

/// The longest id and secret, in bytes, and what neither may have, as the edge says (RFC 7617 section 2).
const TEXT_MAX: usize = 256;

/// A client as a form has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Its id; a random one if it is empty.
    pub id: String,
    /// Its secret; a random one if it is empty.
    pub secret: String,
    /// Where its users come back to.
    pub redirect_uri: String,
    /// The policy of its tokens.
    pub policy_id: String,
    /// The metadata of its tokens, JSON; none if it is empty.
    pub meta_data: String,
    /// A text for people.
    pub description: String,
}

impl Wanted {
    /// What a stored client has, for a form that changes it.
    #[must_use]
    pub fn of(client: &Client) -> Self {
        let client = client.clone();
        Self {
            id: client.id,
            secret: String::new(),
            redirect_uri: client.redirect_uri,
            policy_id: client.policy_id,
            meta_data: client.meta_data,
            description: client.description,
        }
    }

    /// What is wrong with the id.
    #[must_use]
    pub fn id_problem(&self) -> Option<&'static str> {
        let text = self.id.trim();
        if text.len() > TEXT_MAX {
            Some("At most 256 bytes.")
        } else if text.contains(|letter: char| letter.is_control() || letter == ':') {
            Some("No colon: basic authentication could not carry it.")
        } else {
            None
        }
    }

    /// What is wrong with the address that users come back to: it is compared letter for letter, and has no fragment
    /// (RFC 6749 section 3.1.2).
    #[must_use]
    pub fn redirect_problem(&self) -> Option<&'static str> {
        let text = self.redirect_uri.trim();
        if text.is_empty() {
            None
        } else if !text.contains("://") && !text.contains(':') {
            Some("A whole address, such as https://app.example.com/back.")
        } else if text.contains('#') {
            Some("No fragment: what is behind # is never sent.")
        } else {
            None
        }
    }

    /// What is wrong with the metadata.
    #[must_use]
    pub fn meta_problem(&self) -> Option<&'static str> {
        if self.meta_data.trim().is_empty() {
            return None;
        }
        let is_object =
            parse(&self.meta_data).is_ok_and(|value| matches!(value.kind, Kind::Object(_)));
        (!is_object).then_some("A JSON object, such as {\"team\": \"mobile\"}.")
    }

    /// Whether it can be sent.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.id_problem().is_none()
            && self.redirect_problem().is_none()
            && self.meta_problem().is_none()
    }

    /// The body that makes or changes it; a change names no API, and its id stands in the path.
    #[must_use]
    pub fn body(&self, api: &str) -> String {
        let mut members = Vec::new();
        let mut add = |name: &str, text: &str| {
            if !text.is_empty() {
                members.push(format!("{}:{}", quote(name), quote(text)));
            }
        };
        add("api_id", api);
        add("client_id", self.id.trim());
        add("secret", &self.secret);
        add("redirect_uri", self.redirect_uri.trim());
        add("policy_id", &self.policy_id);
        add("description", self.description.trim());
        let meta = self.meta_data.trim();
        if !meta.is_empty() {
            members.push(format!("\"meta_data\":{meta}"));
        }
        format!("{{{}}}", members.join(","))
    }

    /// Whether storing it ends the tokens that the client has.
    #[must_use]
    pub fn ends_tokens(&self, stored: &Client) -> bool {
        self.policy_id != stored.policy_id
    }
}

/// The policies that open an API, by id and name: no other can be that of its clients.
#[must_use]
pub fn policies_for(api: &str, stored: &[StoredPolicy]) -> Vec<(String, String)> {
    let opens = |policy: &&StoredPolicy| {
        let value = parse(&policy.text);
        value.is_ok_and(|policy| {
            let rights = policy.get("access_rights");
            rights.is_some_and(|rights| rights.get(api).is_some())
        })
    };
    let named = |policy: &StoredPolicy| (policy.id.clone(), policy.name.clone());
    stored.iter().filter(opens).map(named).collect()
}

/// Whether a definition asks for access tokens: clients are made for no other.
#[must_use]
pub fn asks_for_tokens(definition: &str) -> bool {
    parse(definition).is_ok_and(|definition| definition.bool("use_oauth2") == Some(true))
}

/// What ends all tokens of a client.
#[derive(Clone, Copy, Debug)]
pub struct Revocation<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its secret.
    pub secret: &'a str,
}

impl Revocation<'_> {
    /// As the form that the endpoint takes.
    #[must_use]
    pub fn form(&self) -> String {
        format!(
            "client_id={}&client_secret={}",
            encode(self.id),
            encode(self.secret)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::oauth::clients;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn only_what_was_filled_in_is_sent() {
        let mut wanted = Wanted {
            id: " app ".to_owned(),
            redirect_uri: "https://a.example/back".to_owned(),
            meta_data: "{ \"n\": 1.0 }".to_owned(),
            ..Wanted::default()
        };
        assert!(wanted.is_complete());
        assert_eq!(
            wanted.body("orders"),
            r#"{"api_id":"orders","client_id":"app","redirect_uri":"https://a.example/back","meta_data":{ "n": 1.0 }}"#
        );
        wanted.id = "a:b".to_owned();
        assert!(wanted.id_problem().is_some() && !wanted.is_complete());
        assert_eq!(Wanted::default().body(""), "{}");
    }

    #[test]
    fn what_the_edge_would_refuse_is_said_before() {
        let with = |redirect: &str, meta: &str| Wanted {
            redirect_uri: redirect.to_owned(),
            meta_data: meta.to_owned(),
            ..Wanted::default()
        };
        for redirect in ["app", "https://a/#b"] {
            assert!(
                with(redirect, "").redirect_problem().is_some(),
                "{redirect}"
            );
        }
        for redirect in ["", "com.example.app:/back", "http://127.0.0.1:1/x?y=z"] {
            assert!(with(redirect, "").is_complete(), "{redirect}");
        }
        for meta in ["{", "[]", "1"] {
            assert!(with("", meta).meta_problem().is_some(), "{meta}");
        }
        assert!(
            Wanted {
                id: "a".repeat(257),
                ..Wanted::default()
            }
            .id_problem()
            .is_some()
        );
    }

    #[test]
    fn a_stored_client_comes_back_as_it_was_but_for_its_secret() {
        let text = r#"[{"client_id":"c","redirect_uri":"r","policy_id":"p","secret":"s","meta_data":{"n":1.0},"description":"d"},
            {"client_id":"e","redirect_uri":"","secret":"","meta_data":null,"description":""}]"#;
        let found = clients(text).unwrap();
        let wanted = Wanted::of(&found[0]);
        assert_eq!(
            (wanted.secret.as_str(), wanted.meta_data.as_str()),
            ("", r#"{"n":1.0}"#)
        );
        assert!(!wanted.ends_tokens(&found[0]));
        assert!(wanted.ends_tokens(&found[1]));
        assert_eq!(found[1].meta_data, "");
        assert_eq!(clients("null"), Ok(Vec::new()));
        assert!(clients("{").is_err() && clients("[{}]").is_err());
    }

    #[test]
    fn only_policies_that_open_the_api_are_offered() {
        let policy = |id: &str, text: &str| StoredPolicy {
            id: id.to_owned(),
            name: id.to_uppercase(),
            text: text.to_owned(),
            ..StoredPolicy::default()
        };
        let stored = [
            policy("p", r#"{"access_rights":{"a":{}}}"#),
            policy("q", r#"{"access_rights":{"b":{}}}"#),
            policy("r", "{}"),
        ];
        assert_eq!(
            policies_for("a", &stored),
            [("p".to_owned(), "P".to_owned())]
        );
    }

    #[test]
    fn secrets_travel_in_forms_with_every_letter() {
        let revocation = Revocation {
            id: "a b",
            secret: "x&y=+%",
        };
        assert_eq!(
            revocation.form(),
            "client_id=a%20b&client_secret=x%26y%3D%2B%25"
        );
        assert_eq!(
            [r#"{"use_oauth2":true}"#, "{}", "{"].map(asks_for_tokens),
            [true, false, false]
        );
    }
}
