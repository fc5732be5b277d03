//! Finds what references an API, a policy or a webhook in the texts of documents. Plain values.

use gatewright_model::json::{Value, parse};

use crate::api::access::StoredPolicy;
use crate::api::dashboard::ClientIdp;
use crate::routes;

/// A document that references another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct User {
    /// Its name.
    pub name: String,
    /// The address of its page.
    pub url: String,
}

impl User {
    fn new(name: &str, id: &str, url: String) -> Self {
        let name = if name.is_empty() { id } else { name };
        Self {
            name: name.to_owned(),
            url,
        }
    }
}

/// Returns the policies that give access to an API.
#[must_use]
pub fn policies_of(policies: &[StoredPolicy], api: &str) -> Vec<User> {
    let gives = |policy: &&StoredPolicy| {
        let value = parse(&policy.text).ok();
        let rights = value.as_ref().and_then(|value| value.get("access_rights"));
        rights.is_some_and(|rights| rights.get(api).is_some())
    };
    let user = |policy: &StoredPolicy| {
        let url = routes::policy(&policy.id);
        User::new(&policy.name, &policy.id, url)
    };
    policies.iter().filter(gives).map(user).collect()
}

/// Returns the client identity providers that fulfil a condition.
fn providers(idps: &[ClientIdp], names: impl Fn(&ClientIdp) -> bool) -> Vec<User> {
    let named = idps.iter().filter(|idp| names(idp));
    named
        .map(|idp| User::new(&idp.name, &idp.client_idp_id, routes::client_idp(&idp.id)))
        .collect()
}

/// Returns the client identity providers with a mapping for an API.
#[must_use]
pub fn providers_of_api(idps: &[ClientIdp], api: &str) -> Vec<User> {
    providers(idps, |idp| idp.apis.iter().any(|id| id == api))
}

/// Returns the client identity providers with a scope that maps to a policy.
#[must_use]
pub fn providers_of_policy(idps: &[ClientIdp], policy: &str) -> Vec<User> {
    providers(idps, |idp| idp.policies.iter().any(|id| id == policy))
}

/// Returns the APIs in a list of definitions with an event handler that calls a webhook, given its ids.
#[must_use]
pub fn apis_of_hook(definitions: &str, ids: &[&str]) -> Vec<User> {
    let list = parse(definitions).ok();
    let list = list.as_ref().map(Value::items).unwrap_or_default();
    let calls = |handler: &Value<'_>| {
        let settings = handler.get("handler_meta");
        let text = |name| settings.and_then(|all| all.str(name)).unwrap_or_default();
        // A target of its own is called instead of the webhook.
        !text("id").is_empty() && text("target_path").is_empty() && ids.contains(&text("id"))
    };
    let names = |definition: &&Value<'_>| {
        let events = definition.pointer("/event_handlers/events");
        let mut events = events.map(Value::members).unwrap_or_default().iter();
        events.any(|event| event.value.items().iter().any(calls))
    };
    let user = |definition: &Value<'_>| {
        let text = |name: &str| definition.str(name).unwrap_or_default();
        let id = text("api_id");
        User::new(text("name"), id, routes::api(id))
    };
    list.iter().filter(names).map(user).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn names(users: &[User]) -> Vec<(&str, &str)> {
        let each = users.iter();
        each.map(|user| (&*user.name, &*user.url)).collect()
    }

    #[test]
    fn policies_are_found_by_their_rights() {
        let policy = |id: &str, text: &str| StoredPolicy {
            id: id.to_owned(),
            text: text.to_owned(),
            ..StoredPolicy::default()
        };
        let all = [
            policy("gold", r#"{"access_rights":{"orders":{},"a/b":{}}}"#),
            policy("none", r#"{"access_rights":null,"name":"orders"}"#),
            policy("broken", "{"),
        ];
        let found = policies_of(&all, "orders");
        assert_eq!(names(&found), [("gold", "/console/policies/gold")]);
        assert_eq!(policies_of(&all, "a/b").len(), 1);
        assert!(policies_of(&all, "payments").is_empty());
    }

    #[test]
    fn providers_are_found_by_their_mappings() {
        let idp = ClientIdp {
            id: "5f".to_owned(),
            client_idp_id: "okta".to_owned(),
            apis: vec!["orders".to_owned()],
            policies: vec!["gold".to_owned()],
            ..ClientIdp::default()
        };
        let all = [idp, ClientIdp::default()];
        let expected = [("okta", "/console/client-idps/5f")];
        assert_eq!(names(&providers_of_api(&all, "orders")), expected);
        assert_eq!(names(&providers_of_policy(&all, "gold")), expected);
        assert!(providers_of_policy(&all, "orders").is_empty());
    }

    #[test]
    fn apis_are_found_by_the_webhooks_of_their_handlers() {
        let definitions = r#"[
            {"api_id":"orders","name":"Orders","event_handlers":{"events":{"QuotaExceeded":[
                {"handler_name":"eh_web_hook_handler","handler_meta":{"id":"ops"}}]}}},
            {"api_id":"payments","event_handlers":{"events":{"QuotaExceeded":[
                {"handler_name":"eh_log_handler","handler_meta":{"prefix":"ops","id":""}}]}}},
            {"api_id":"own","event_handlers":{"events":{"QuotaExceeded":[{"handler_name":"eh_web_hook_handler",
                "handler_meta":{"id":"ops","target_path":"https://e.example/"}}]}}},
            {"api_id":"plain"}]"#;
        let found = apis_of_hook(definitions, &["64ff", "ops", ""]);
        assert_eq!(names(&found), [("Orders", "/console/apis/orders")]);
        assert!(apis_of_hook("no json", &["ops"]).is_empty());
    }
}
