//! What becomes of each member of the extension: what the table says of the member of a definition that it is
//! carried over to, and where there is none, whether anything reads it.

use super::lines::{Carry, SCHEMES, SIGNATURE_LINES, leads_into_scheme, leads_to_lines, lines};
use super::rules::list_of;
use super::twin;
use crate::json::pointer::push_token;
use crate::shape::{Member, Root, Support, at};

const SCHEMES_OF: &str = "server.authentication.securitySchemes";

/// Objects whose members are rules, whatever their names are.
const RULED: [&str; 4] = [
    "middleware.operations",
    "middleware.mcpTools",
    "middleware.mcpResources",
    "middleware.mcpPrompts",
];

/// Members that are read where requirements are compiled.
const REQUIREMENTS: [&str; 2] = [
    "server.authentication.security",
    "server.authentication.securityProcessingMode",
];

/// What is done with a member of the extension, by its dotted path: names of operations, schemes and the like are
/// left out of it.
pub(crate) fn support(dotted: &str) -> &'static Support {
    if let Some(inside) = RULED.iter().find_map(|ruled| below(dotted, ruled)) {
        return of_rule(inside);
    }
    // What is inside of a member that is carried over goes with it.
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

/// The JSON text of its default: that of the member it becomes as it is.
pub(crate) fn default(dotted: &str) -> Option<&'static str> {
    let (all, dotted) = match below(dotted, SCHEMES_OF) {
        Some(inside) => (SCHEMES.iter().collect::<Vec<_>>(), inside),
        None => (lines().collect(), dotted),
    };
    let line = all.into_iter().find(|line| line.from == dotted)?;
    let same = matches!(line.carry, Carry::Same);
    carried(line.to).filter(|_| same)?.default()
}

/// What is left of a dotted path below another one; nothing of that one itself.
fn below<'d>(dotted: &'d str, part: &str) -> Option<&'d str> {
    let rest = dotted.strip_prefix(part)?;
    match rest.strip_prefix('.') {
        None if rest.is_empty() => Some(""),
        inside => inside,
    }
}

/// The member of a definition at a dotted path. What only documents have is below one that has no members of its
/// own in the table.
fn carried(target: &str) -> Option<&'static Member> {
    let mut pointer = String::new();
    target
        .split('.')
        .for_each(|name| push_token(&mut pointer, name));
    at(Root::ApiDefinition, &pointer)?.member
}

fn of_rule(inside: &str) -> &'static Support {
    match inside.split('.').next().unwrap_or_default() {
        // Compiled apart from the other rules.
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

/// Whether something reads a member of a security scheme that isn't carried over by itself.
fn in_scheme(inside: &str) -> bool {
    let (first, rest) = inside.split_once('.').unwrap_or((inside, ""));
    match first {
        // The requirements of the document are compiled with them.
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

    #[test]
    fn a_member_does_what_the_member_does_that_it_becomes() {
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
}
