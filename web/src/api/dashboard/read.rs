//! Reading responses of the dashboard API.

use gatewright_model::json::Value;

use super::types::{Categories, ClientIdp, Preview, Ruleset};
use crate::api::group::Listed;
use crate::api::read::{Read, flag, list, number, some_text, text, texts};
use crate::api::types::Refusal;

/// Reads the envelope of an error.
pub(in crate::api) fn refusal(value: &Value<'_>) -> Result<Refusal, &'static str> {
    Ok(Refusal {
        message: text(value, "Message"),
        issues: list(value, "issues")?,
        request_id: some_text(value, "ID"),
    })
}

impl Read for ClientIdp {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let mappings = value.get("api_mappings").map(Value::members);
        let mappings = mappings.unwrap_or_default();
        let scopes = mappings
            .iter()
            .filter_map(|mapping| mapping.value.get("scope_to_policy"))
            .flat_map(|scopes| scopes.members());
        let policies = scopes.map(|scope| scope.value.as_str().unwrap_or_default().to_owned());
        Ok(Self {
            id: value.str("_id").ok_or("_id")?.to_owned(),
            client_idp_id: text(value, "client_idp_id"),
            name: text(value, "name"),
            issuer: text(value, "issuer"),
            apis: mappings
                .iter()
                .map(|mapping| mapping.name.to_string())
                .collect(),
            policies: policies.collect(),
            last_updated: text(value, "last_updated"),
        })
    }
}

impl Listed for ClientIdp {
    const GROUP: super::Group = super::Group::ClientIdps;
}

impl Read for Ruleset {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            id: value.str("_id").ok_or("_id")?.to_owned(),
            ruleset_id: text(value, "ruleset_id"),
            name: text(value, "name"),
            active: flag(value, "active"),
            resource_type: text(value, "resource_type"),
            action: text(value, "action"),
            categories: texts(value.get("categories")),
            last_updated: text(value, "last_updated"),
        })
    }
}

impl Listed for Ruleset {
    const GROUP: super::Group = super::Group::Rulesets;
}

impl Read for Categories {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        let categories = value.get("categories").ok_or("categories")?;
        Ok(Self(texts(Some(categories))))
    }
}

impl Read for Preview {
    fn read(value: &Value<'_>) -> Result<Self, &'static str> {
        Ok(Self {
            revision: number(value, "revision"),
            document: String::new(),
            issues: list(value, "issues")?,
        })
    }
}
