//! Forms of OAuth clients. Plain values.

use gatewright_model::json::{Kind, parse, quote};

use super::query_string::encode;
use crate::api::access::StoredPolicy;
use crate::api::oauth::Client;

/// The maximum length of id and secret in bytes, and the characters neither may contain, as enforced by the edge (RFC
/// 7617 section 2).
const TEXT_MAX: usize = 256;

/// A client as entered in a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Its id; if empty, a random one.
    pub id: String,
    /// Its secret; if empty, a random one.
    pub secret: String,
    /// The URI its users are redirected to.
    pub redirect_uri: String,
    /// The policy of its tokens.
    pub policy_id: String,
    /// The metadata of its tokens, JSON; may be empty.
    pub meta_data: String,
    /// A description for people.
    pub description: String,
}

impl Wanted {
    /// Creates the form for changing a stored client.
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

    /// Returns what is wrong with the id.
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

    /// Returns what is wrong with the redirect URI: it is compared character by character, and can't have a fragment
    /// (RFC 6749 section 3.1.2).
    #[must_use]
    pub fn redirect_problem(&self) -> Option<&'static str> {
        let text = self.redirect_uri.trim();
        if text.is_empty() {
            None
        } else if !text.contains("://") && !text.contains(':') {
            Some("A complete address, such as https://app.example.com/back.")
        } else if text.contains('#') {
            Some("No fragment: the part after # is never sent.")
        } else {
            None
        }
    }

    /// Returns what is wrong with the metadata.
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

    /// Returns the body that creates or changes it; a change includes no API and no id, which is in the path.
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

    /// Whether storing it ends the client's existing tokens.
    #[must_use]
    pub fn ends_tokens(&self, stored: &Client) -> bool {
        self.policy_id != stored.policy_id
    }
}

/// Returns ids and names of the policies that give access to an API: the API's clients can't have others.
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

/// Whether a definition uses OAuth access tokens; only such APIs have clients.
#[must_use]
pub fn asks_for_tokens(definition: &str) -> bool {
    parse(definition).is_ok_and(|definition| definition.bool("use_oauth2") == Some(true))
}

/// The request that revokes all tokens of a client.
#[derive(Clone, Copy, Debug)]
pub struct Revocation<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its secret.
    pub secret: &'a str,
}

impl Revocation<'_> {
    /// Returns the form data that the endpoint expects.
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
    fn only_filled_fields_are_sent() {
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
    fn refusals_of_the_edge_are_predicted() {
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
    fn stored_client_round_trips_except_its_secret() {
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
    fn secrets_are_form_encoded() {
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
