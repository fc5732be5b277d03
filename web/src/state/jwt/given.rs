//! The policies that a token gets from a definition, and from the mappings of client identity providers.

use gatewright_model::json::{Value, parse, quote};
use gatewright_model::scopes::{self, CLAIM};

use super::Token;
use crate::state::scopes::Reading;

/// What a token gets for an API.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Given {
    /// The claim that identifies the caller, and its value.
    pub identity: Option<(String, String)>,
    /// The policy named by a claim, and that claim.
    pub named: Option<(String, String)>,
    /// Its scopes, each with the policy it maps to, if any.
    pub scopes: Vec<(String, Option<String>)>,
    /// All its policies, without duplicates.
    pub policies: Vec<String>,
    /// Whether these are the default policies, because there are no others.
    pub are_defaults: bool,
    /// Whether it is refused because none of its scopes is mapped.
    pub is_unmapped: bool,
}

impl Given {
    /// Returns the session that the edge makes of the policies, as a JSON object; empty if there are none.
    #[must_use]
    pub fn session(&self) -> String {
        let ids: Vec<String> = self.policies.iter().map(|id| quote(id)).collect();
        match ids.is_empty() {
            true => String::new(),
            false => format!("{{\"apply_policies\":[{}]}}", ids.join(",")),
        }
    }
}

fn texts<'v>(value: Option<&'v Value<'_>>) -> Vec<&'v str> {
    let items = value.map(Value::items).unwrap_or_default().iter();
    items
        .filter_map(Value::as_str)
        .filter(|text| !text.is_empty())
        .collect()
}

/// Returns the first non-empty claim among those named by a definition; `members` are the newer and the older member
/// for that, in this order.
fn claim_of(
    definition: &Value<'_>,
    claims: &Value<'_>,
    members: [&str; 2],
) -> Option<(String, String)> {
    let [newer, older] = members;
    let mut names = texts(definition.get(newer));
    names.extend(definition.str(older).filter(|name| !name.is_empty()));
    names.into_iter().find_map(|name| {
        let text = scopes::claim(claims, name)?.as_str()?;
        (!text.is_empty()).then(|| (name.to_owned(), text.to_owned()))
    })
}

/// Maps the scopes in the claims to policies as the definition says; `None` if it has no mapping or the claim is
/// missing.
fn mapped(definition: &Value<'_>, claims: &Value<'_>) -> Option<Vec<(String, Option<String>)>> {
    let newer = definition.pointer("/scopes/jwt");
    let of_newer = newer.and_then(|newer| newer.get("scope_to_policy"));
    let has_newer = of_newer.is_some_and(|mapping| !mapping.members().is_empty());
    let (name, mapping) = match has_newer {
        true => (
            newer.and_then(|newer| newer.str("scope_claim_name")),
            of_newer,
        ),
        false => (
            definition.str("jwt_scope_claim_name"),
            definition.get("jwt_scope_to_policy_mapping"),
        ),
    };
    let members = mapping.map(Value::members).unwrap_or_default().iter();
    let mapping: Vec<(&str, &str)> = members
        .filter_map(|member| Some((&*member.name, member.value.as_str()?)))
        .collect();
    if mapping.is_empty() {
        return None;
    }
    let mut names = texts(definition.get("jwt_scope_claims"));
    if names.is_empty() {
        names.push(name.filter(|name| !name.is_empty()).unwrap_or(CLAIM));
    }
    let claim = names
        .into_iter()
        .find_map(|name| scopes::claim(claims, name))?;
    let policy = |scope: &str| {
        let first = scopes::policies(&mapping, &[scope]).into_iter().next();
        first.map(str::to_owned)
    };
    let words = scopes::words(claim).into_iter();
    Some(
        words
            .map(|scope| (scope.to_owned(), policy(scope)))
            .collect(),
    )
}

/// Works out what a token gets from a definition and from the mappings of the matching client identity providers.
#[must_use]
pub fn given(definition: &str, token: &Token, provided: &[Reading]) -> Given {
    let (Ok(definition), Ok(claims)) = (parse(definition), parse(&token.claims)) else {
        return Given::default();
    };
    let identity = claim_of(
        &definition,
        &claims,
        ["jwt_subject_claims", "jwt_identity_base_field"],
    );
    let subject = || Some(("sub".to_owned(), claims.str("sub")?.to_owned()));
    let named = claim_of(
        &definition,
        &claims,
        ["jwt_base_policy_claims", "jwt_policy_field_name"],
    );
    let mut scoped = mapped(&definition, &claims);
    for reading in provided.iter().filter(|reading| !reading.is_missing) {
        let known = scoped.get_or_insert_default();
        for (scope, policy) in &reading.scopes {
            let says_nothing = |(name, led): &(String, Option<String>)| {
                name == scope && (policy.is_none() || led == policy)
            };
            if known.iter().any(says_nothing) {
                continue;
            }
            match known
                .iter_mut()
                .find(|(name, led)| name == scope && led.is_none())
            {
                Some((_, led)) => led.clone_from(policy),
                None => known.push((scope.clone(), policy.clone())),
            }
        }
    }
    let mut policies: Vec<String> = named.iter().map(|(_, id)| id.clone()).collect();
    let by_scopes = scoped
        .iter()
        .flatten()
        .filter_map(|(_, policy)| policy.clone());
    for id in by_scopes.collect::<Vec<_>>() {
        if !policies.contains(&id) {
            policies.push(id);
        }
    }
    let is_unmapped = scoped
        .as_ref()
        .is_some_and(|scopes| scopes.iter().all(|(_, policy)| policy.is_none()));
    let are_defaults = policies.is_empty() && scoped.is_none();
    if are_defaults {
        let defaults = texts(definition.get("jwt_default_policies")).into_iter();
        policies.extend(defaults.map(str::to_owned));
    }
    Given {
        identity: identity.or_else(subject),
        named,
        scopes: scoped.unwrap_or_default(),
        are_defaults: are_defaults && !policies.is_empty(),
        policies,
        is_unmapped,
    }
}

/// Whether a definition authenticates with JSON Web Tokens.
#[must_use]
pub fn asks_for_jwt(definition: &str) -> bool {
    parse(definition).is_ok_and(|definition| definition.bool("enable_jwt") == Some(true))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{HEADER, token};
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn policies_come_from_claim_scopes_and_defaults() {
        let claims = r#"{"sub":"ann","pol":"base","scope":"read other","realm":{"roles":["all"]}}"#;
        let token = token(HEADER, claims);
        let policies = |definition: &str| given(definition, &token, &[]).policies;
        let definition = r#"{"jwt_policy_field_name":"pol","scopes":{"jwt":{"scope_to_policy":{"read":"p1"}}},"jwt_default_policies":["d"]}"#;
        let all = given(definition, &token, &[]);
        assert_eq!(all.policies, ["base", "p1"]);
        assert_eq!(all.session(), r#"{"apply_policies":["base","p1"]}"#);
        assert_eq!(
            all.scopes,
            [
                ("read".to_owned(), Some("p1".to_owned())),
                ("other".to_owned(), None)
            ]
        );
        assert_eq!(all.identity, Some(("sub".to_owned(), "ann".to_owned())));
        assert_eq!(
            policies(
                r#"{"jwt_scope_claim_name":"realm.roles","jwt_scope_to_policy_mapping":{"all":"p2"}}"#
            ),
            ["p2"]
        );
        let defaults = given(r#"{"jwt_default_policies":["d"]}"#, &token, &[]);
        assert!(defaults.are_defaults && defaults.policies == ["d"]);
        let unmapped = given(
            r#"{"jwt_scope_to_policy_mapping":{"none":"p"},"jwt_default_policies":["d"]}"#,
            &token,
            &[],
        );
        assert!(unmapped.is_unmapped && unmapped.policies.is_empty());
        assert_eq!(unmapped.session(), "");
    }

    #[test]
    fn providers_add_their_mappings() {
        let token = token(HEADER, r#"{"scope":"read other"}"#);
        let reading = Reading {
            claim: Some("scope".to_owned()),
            scopes: vec![
                ("read".to_owned(), None),
                ("other".to_owned(), Some("p9".to_owned())),
            ],
            policies: vec!["p9".to_owned()],
            is_missing: false,
        };
        let definition = r#"{"jwt_scope_to_policy_mapping":{"read":"p1"}}"#;
        let both = given(definition, &token, std::slice::from_ref(&reading));
        assert_eq!(both.policies, ["p1", "p9"]);
        // A scope that the provider doesn't map occurs only once, with the definition's policy.
        let leads = |scope: &str, policy: &str| (scope.to_owned(), Some(policy.to_owned()));
        assert_eq!(both.scopes, [leads("read", "p1"), leads("other", "p9")]);
        assert!(!both.is_unmapped);
        assert_eq!(given("{}", &token, &[reading]).policies, ["p9"]);
        assert!(asks_for_jwt(r#"{"enable_jwt":true}"#) && !asks_for_jwt("{}"));
    }
}
