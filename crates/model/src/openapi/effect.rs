//! The support for each member of the extension: that of the definition member it is carried over to or, if there is
//! none, whether anything reads it.

use super::lines::{Carry, SCHEMES, SIGNATURE_LINES, leads_into_scheme, leads_to_lines, lines};
use super::operations::{Operation, operations};
use super::rules::{list_of, rule_of};
use super::twin;
use crate::json::Value;
use crate::json::pointer::{push_token, tokens};
use crate::shape::{Member, Root, Support, at};

const SCHEMES_OF: &str = "server.authentication.securitySchemes";

/// Objects whose members are rules, whatever their names.
const RULED: [&str; 4] = [
    "middleware.operations",
    "middleware.mcpTools",
    "middleware.mcpResources",
    "middleware.mcpPrompts",
];

/// Members that are read when requirements are compiled.
const REQUIREMENTS: [&str; 2] = [
    "server.authentication.security",
    "server.authentication.securityProcessingMode",
];

/// Returns the support for a member of the extension, by its dotted path without the names of operations, schemes and
/// the like.
pub(crate) fn support(dotted: &str) -> &'static Support {
    if let Some(inside) = RULED.iter().find_map(|ruled| below(dotted, ruled)) {
        return of_rule(inside);
    }
    // The content of a member is carried over with it.
    let mut part = Some(dotted);
    while let Some(path) = part {
        if let Some(target) = twin(path) {
            return carried(target).map_or(&Support::Enforced, |member| member.support);
        }
        part = path.rsplit_once('.').map(|(around, _)| around);
    }
    let reads = match below(dotted, SCHEMES_OF) {
        Some(inside) => in_scheme(inside),
        None => REQUIREMENTS.contains(&dotted) || leads_to_lines(dotted),
    };
    if reads {
        &Support::Enforced
    } else {
        &Support::Stored
    }
}

/// Returns the JSON text of its default: that of the definition member it is carried over to unchanged.
pub(crate) fn default(dotted: &str) -> Option<&'static str> {
    let (all, dotted) = match below(dotted, SCHEMES_OF) {
        Some(inside) => (SCHEMES.iter().collect::<Vec<_>>(), inside),
        None => (lines().collect(), dotted),
    };
    let line = all.into_iter().find(|line| line.from == dotted)?;
    let same = matches!(line.carry, Carry::Same);
    carried(line.to).filter(|_| same)?.default()
}

/// Returns the rest of a dotted path below another one; empty for that path itself.
fn below<'d>(dotted: &'d str, part: &str) -> Option<&'d str> {
    let rest = dotted.strip_prefix(part)?;
    match rest.strip_prefix('.') {
        None if rest.is_empty() => Some(""),
        inside => inside,
    }
}

/// Returns the member of a definition at a dotted path. Members that only documents have are below one that has no
/// members of its own in the table.
fn carried(target: &str) -> Option<&'static Member> {
    let mut pointer = String::new();
    target
        .split('.')
        .for_each(|name| push_token(&mut pointer, name));
    at(Root::ApiDefinition, &pointer)?.member
}

/// Finds the origin in the extension of a value in the definition compiled from a document: returns a pointer below the
/// extension, as far as the path exists there. `None` if no single member is the origin.
#[must_use]
pub fn origin(definition: &Value<'_>, document: &Value<'_>, pointer: &str) -> Option<String> {
    let tokens = tokens(pointer)?;
    let names: Vec<&str> = tokens.iter().map(|token| &**token).collect();
    if let [
        "version_data",
        "versions",
        _,
        "extended_paths",
        list,
        index,
        ..,
    ] = names.as_slice()
    {
        let entry = format!("/version_data/versions/Default/extended_paths/{list}/{index}");
        let entry = definition.pointer(&entry)?;
        let (path, method) = (entry.str("path")?, entry.str("method")?);
        let about = |one: &Operation<'_, '_>| one.path == path && one.method == method;
        let operations = operations(document);
        let mut found = "/middleware/operations".to_owned();
        push_token(&mut found, &operations.iter().find(|one| about(one))?.id());
        push_token(&mut found, rule_of(list)?);
        return Some(found);
    }
    // The line with the longest matching path; several members with the same name share it.
    let length = |to: &str| {
        let mut names = names.iter();
        let leads = to.split('.').all(|name| names.next() == Some(&name));
        leads.then(|| to.split('.').count())
    };
    let lines = lines().filter_map(|line| Some((length(line.to)?, line)));
    let (length, line) = lines.max_by_key(|(length, _)| *length)?;
    let mut found = String::new();
    line.from
        .split('.')
        .for_each(|name| push_token(&mut found, name));
    if matches!(line.carry, Carry::Same) {
        let rest = names.iter().skip(length);
        rest.for_each(|name| push_token(&mut found, name));
    }
    Some(found)
}

fn of_rule(inside: &str) -> &'static Support {
    match inside.split('.').next().unwrap_or_default() {
        // Compiled separately from the other rules.
        "" | "validateRequest" | "mockResponse" => &Support::Enforced,
        rule => {
            let list = list_of(rule).and_then(|list| {
                let list = format!("version_data.versions.Default.extended_paths.{list}");
                carried(&list)
            });
            list.map_or(&Support::Stored, |list| list.support)
        }
    }
}

/// Whether anything reads a member of a security scheme that isn't carried over by itself.
fn in_scheme(inside: &str) -> bool {
    let (first, rest) = inside.split_once('.').unwrap_or((inside, ""));
    match first {
        // Read when the requirements of the document are compiled.
        "" | "enabled" | "header" | "query" | "cookie" | "refreshToken" => true,
        "signatureValidation" => {
            let leads = |(from, _): &(&str, &str)| from.starts_with(rest);
            SIGNATURE_LINES.iter().any(leads)
        }
        _ => leads_into_scheme(inside),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use crate::openapi::{DocumentKind, compile};

    #[test]
    fn member_has_the_effect_of_its_classic_member() {
        for (dotted, word) in [
            ("info", "enforced"),
            ("upstream.url", "enforced"),
            ("upstream.proxy.url", "unsupported"),
            ("server.listenPath.value", "enforced"),
            ("server.slug", "informative"),
            ("server.authentication.securityProcessingMode", "enforced"),
            ("server.authentication.securitySchemes", "enforced"),
            ("server.authentication.securitySchemes.source", "enforced"),
            (
                "server.authentication.securitySchemes.header.name",
                "enforced",
            ),
            (
                "server.authentication.securitySchemes.allowedIssuers",
                "enforced",
            ),
            (
                "server.authentication.securitySchemes.signatureValidation.query.name",
                "enforced",
            ),
            (
                "server.authentication.securitySchemes.tokenExchange.enabled",
                "stored",
            ),
            ("server.eventHandlers.trigger", "enforced"),
            ("middleware.global.trafficLogs.plugins", "stored"),
            ("middleware.operations", "enforced"),
            ("middleware.operations.validateRequest.enabled", "enforced"),
            (
                "middleware.operations.urlRewrite.triggers.rules.pattern",
                "enforced",
            ),
            ("middleware.operations.virtualEndpoint", "stored"),
            ("middleware.operations.postPlugins.path", "unsupported"),
            ("middleware.operations.scopeCheck.enabled", "stored"),
            ("middleware.mcpTools.rateLimit.rate", "enforced"),
            ("middleware.mcpTools.security", "stored"),
        ] {
            assert_eq!(support(dotted).word(), word, "{dotted}");
        }
        assert_eq!(default("middleware.global.cache.timeout"), Some("60"));
        assert_eq!(
            default("server.customDomain.enabled"),
            None,
            "it is the other way round there"
        );
    }

    #[test]
    fn definition_members_trace_back_to_the_document() {
        let document = r#"{"openapi":"3.0.3","info":{"title":"t","version":"1"},
            "paths":{"/a":{"get":{"operationId":"readA"}},"/b":{"post":{}}},
            "x-gateway-api-gateway":{"info":{"id":"i","name":"n","state":{"active":true}},
            "upstream":{"url":"http://a.example"},
            "server":{"listenPath":{"value":"/n/"},"ipAccessControl":{"enabled":true,"allow":["no"]}},
            "middleware":{"operations":{"readA":{"urlRewrite":{"enabled":true,"pattern":"(","rewriteTo":"/"}},
                "bPOST":{"block":{"enabled":true}}}}}}"#;
        let definition = compile(document, DocumentKind::Oas).unwrap();
        let (definition, document) = (parse(&definition).unwrap(), parse(document).unwrap());
        let of = |pointer| origin(&definition, &document, pointer).unwrap_or_default();
        let lists = "/version_data/versions/Default/extended_paths";
        for (pointer, expected) in [
            ("/proxy/listen_path", "/server/listenPath/value"),
            ("/allowed_ips/0", "/server/ipAccessControl/allow/0"),
            (
                "/version_data/versions/Default/global_headers/X",
                "/middleware/global/transformRequestHeaders/add",
            ),
            (
                &format!("{lists}/url_rewrites/0/match_pattern"),
                "/middleware/operations/readA/urlRewrite",
            ),
            (
                &format!("{lists}/black_list/0"),
                "/middleware/operations/bPOST/block",
            ),
            (&format!("{lists}/black_list/7"), ""),
            ("/nowhere", ""),
        ] {
            assert_eq!(of(pointer), expected, "{pointer}");
        }
    }
}
