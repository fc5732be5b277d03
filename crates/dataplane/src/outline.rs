//! The chain of a loaded API in human-readable form: its links in order, each with the members of the definition that
//! created it.

use crate::chain::{ERRORS, LinkInfo, LinkOrigin, ORDER};
use crate::snapshot::{Api, VersionChain};
use gatewright_api::chain::{Chain, Link};

/// The chain of an API; for one with several versions, their chains one after another.
#[must_use]
pub fn outline(api: &Api) -> Chain {
    // If all requests use one version, the others are never reached.
    let only = api.versions.only_chain();
    let chains = api.chains.iter().enumerate();
    let entered = chains.filter(|(at, _)| only.is_none_or(|only| only == *at));
    let links = entered.flat_map(|(_, version)| {
        let name = only.is_none().then_some(version.name.as_str());
        links(version, name, api.definition.keyless)
    });
    Chain {
        api_id: api.definition.api_id.clone(),
        links: links.collect(),
    }
}

/// The links of a version. Links that every API has, without a member to enable them, are omitted from keyless APIs:
/// there they have nothing to count.
fn links(version: &VersionChain, name: Option<&str>, keyless: bool) -> Vec<Link> {
    let chain = &version.chain;
    let origin = |info: &LinkInfo| chain.origins.iter().find(|origin| origin.link == info.name);
    let is_there = |info: &LinkInfo| chain.links.iter().any(|link| link.name() == info.name);
    let shown = ORDER.iter().chain([&ERRORS]).filter_map(|info| {
        let origin = origin(info);
        let always = !keyless && is_there(info);
        (origin.is_some() || always).then(|| link(info, origin, name))
    });
    shown.collect()
}

fn link(info: &LinkInfo, origin: Option<&LinkOrigin>, version: Option<&str>) -> Link {
    Link {
        name: info.name.to_owned(),
        title: info.title.to_owned(),
        phase: info.phase,
        version: version.map(str::to_owned),
        pointers: origin.map_or_else(Vec::new, |origin| origin.pointers.clone()),
        detail: origin.map_or_else(String::new, |origin| origin.detail.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Settings;
    use gatewright_api::chain::LinkPhase;
    use gatewright_model::json::parse;

    fn of(members: &str) -> Vec<Link> {
        let text = format!(
            r#"{{"name":"n","api_id":"a",{members},"proxy":{{"listen_path":"/a/","target_url":"http://u"}}}}"#
        );
        let chain = outline(&Api::read(&parse(&text).unwrap(), 1, &Settings::default()));
        assert_eq!(chain.api_id, "a");
        chain.links
    }

    fn names(links: &[Link]) -> Vec<&str> {
        links.iter().map(|link| link.name.as_str()).collect()
    }

    #[test]
    fn keyless_api_has_only_configured_links() {
        assert!(of(r#""use_keyless":true"#).is_empty());
        let links = of(
            r#""use_keyless":true,"CORS":{"enable":true},"allowed_ips":["10.0.0.1"],
            "enable_ip_whitelisting":true,"error_overrides":{"500":[{"response":{"status_code":502}}]},
            "version_data":{"not_versioned":true,"versions":{"Default":{"name":"Default","use_extended_paths":true,
            "global_headers":{"x":"y"},"global_response_headers":{"x":"y"},
            "extended_paths":{"hard_timeouts":[{"path":"/b","timeout":1}]}}}}"#,
        );
        assert_eq!(
            names(&links),
            [
                "cors",
                "address_lists",
                "transform_headers",
                "hard_timeouts",
                "response_headers",
                "error_overrides"
            ]
        );
        assert_eq!(
            links.iter().map(|link| link.phase).collect::<Vec<_>>(),
            [
                LinkPhase::Both,
                LinkPhase::Request,
                LinkPhase::Request,
                LinkPhase::Request,
                LinkPhase::Response,
                LinkPhase::Response
            ]
        );
        let headers = &links[2];
        assert_eq!(
            (&*headers.title, &*headers.detail, &headers.version),
            ("Header transforms", "1 header", &None)
        );
        assert_eq!(
            headers.pointers,
            ["/version_data/versions/Default/global_headers"]
        );
    }

    #[test]
    fn key_adds_implicit_links() {
        let links = of(r#""use_standard_auth":true,"disable_quota":true"#);
        assert_eq!(
            names(&links),
            [
                "organisation",
                "auth_token",
                "key_state",
                "access_rights",
                "granular_access",
                "key_limits",
                "counters"
            ]
        );
        assert_eq!(links[1].pointers, ["/use_standard_auth"]);
        assert!(links[2].pointers.is_empty() && links[2].detail.is_empty());
        assert_eq!(links[5].pointers, ["/disable_quota"]);
    }

    #[test]
    fn the_chains_of_versions_follow_one_another() {
        let versions = r#""versions":{
            "v1":{"name":"v1","global_headers":{"x":"y"}},"v/2":{"name":"two","expires":"2001-01-01 00:00"},
            "Default":{"name":"Default","global_size_limit":7}}"#;
        let data = format!(
            r#""use_keyless":true,"definition":{{"location":"header","key":"v"}},"version_data":{{{versions}}}"#
        );
        let links = of(&data);
        let seen: Vec<_> = links
            .iter()
            .map(|link| (link.version.as_deref(), link.name.as_str()))
            .collect();
        assert_eq!(
            seen,
            [
                (Some("v1"), "transform_headers"),
                (Some("two"), "expiry"),
                (Some("Default"), "size_limits")
            ]
        );
        assert_eq!(links[1].pointers, ["/version_data/versions/v~12/expires"]);
        // The others are never reached.
        let one = of(&data.replace(
            r#""version_data":{"#,
            r#""version_data":{"not_versioned":true,"#,
        ));
        assert_eq!(names(&one), ["size_limits"]);
        assert_eq!(one[0].version, None);
    }
}
