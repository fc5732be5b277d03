//! The authentication of an API compiled from a document (reference 3.1, *OAS authentication*).
//!
//! A scheme becomes a method of the API if the document requires it and the extension enables it. The schemes of the
//! first requirement are required. In compliant mode all schemes that a requirement names are methods, and if there are
//! several of both, each requirement is an alternative; otherwise every method is required.

use super::super::Importer;
use super::super::lines::Carry;
use super::super::tree::Tree;
use crate::json::Value;
use crate::json::pointer::Path;

/// An authentication method: its member of `auth_configs`, and its switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Method {
    config: &'static str,
    switch: &'static str,
}

const fn method(config: &'static str, switch: &'static str) -> Method {
    Method { config, switch }
}

const TOKEN: Method = method("authToken", "use_standard_auth");
const BASIC: Method = method("basic", "use_basic_auth");
const JWT: Method = method("jwt", "enable_jwt");
const OAUTH: Method = method("oauth", "use_oauth2");
const EXTERNAL: Method = method("externalOAuth", "external_oauth.enabled");

/// Methods that are not schemes of the document, and their members of the extension.
const PROPRIETARY: [(&str, &str); 3] =
    [("hmac", "hmac"), ("oidc", "oidc"), ("custom", "coprocess")];

/// The names that the reference takes for methods which documents can't describe.
const INDESCRIBABLE: [&str; 4] = ["hmac", "custom", "mtls", "coprocess"];

/// The flows of OAuth 2.0 (OpenAPI 3.1 section 4.8.29), and their names in a definition.
const FLOWS: [(&str, &str); 3] = [
    ("authorizationCode", "authorization_code"),
    ("clientCredentials", "client_credentials"),
    ("password", "password"),
];

impl Importer<'_, '_> {
    /// Sets the methods of the API, and in compliant mode which combinations are sufficient.
    pub(super) fn requirements(&mut self) {
        let Some((name, extension)) = self.extension else {
            return;
        };
        let Some(authentication) = extension.pointer("/server/authentication") else {
            return;
        };
        if authentication.bool("enabled") != Some(true) {
            self.tree.set("use_keyless", Tree::raw("true"));
            return;
        }
        let is_compliant = authentication.str("securityProcessingMode") == Some("compliant");
        let mut required = of_document(self.document);
        if is_compliant {
            add_own(&mut required, authentication);
        } else {
            required.truncate(1);
        }
        let root = Path::Root;
        let root = root.member(name);
        let root = root.member("server");
        let root = root.member("authentication");
        let path = root.member("securitySchemes");
        let schemes = authentication.get("securitySchemes").map(Value::members);
        let mut methods: Vec<(&str, Method)> = Vec::new();
        for scheme in schemes.unwrap_or_default() {
            let is_required = required.iter().flatten().any(|name| *name == scheme.name);
            let path = path.member(&scheme.name);
            if is_required && let Some(method) = self.method(&scheme.name, &scheme.value, &path) {
                methods.push((&scheme.name, method));
            }
        }
        for (member, config) in PROPRIETARY {
            if let Some(settings) = authentication.get(member) {
                self.without_header(config, settings);
                if settings.bool("enabled") == Some(true) {
                    methods.push((member, method(config, "")));
                }
            }
        }
        if is_compliant && is_choice(&required, &methods) {
            self.alternatives_of(&required, &methods);
        }
    }

    /// Configures the method of a required scheme, and returns it if it is enabled.
    fn method(&mut self, name: &str, settings: &Value<'_>, path: &Path<'_>) -> Option<Method> {
        let scheme = self
            .document
            .pointer("/components/securitySchemes")?
            .get(name)?;
        let word = |member: &str| scheme.str(member).unwrap_or_default().to_ascii_lowercase();
        let has_providers = settings
            .get("providers")
            .is_some_and(|list| !list.items().is_empty());
        let method = match (word("type").as_str(), word("scheme").as_str()) {
            ("apikey", _) => TOKEN,
            ("http", "basic") => BASIC,
            ("http", "bearer") if word("bearerFormat") == "jwt" => JWT,
            ("http", "bearer") => TOKEN,
            ("oauth2", _) if has_providers => EXTERNAL,
            ("oauth2", _) => OAUTH,
            _ => return None,
        };
        let is_on = settings.bool("enabled") == Some(true);
        // The location of tokens is also needed if no method is enabled: then the API requires a token (reference 3.7).
        if !is_on && method != TOKEN {
            return None;
        }
        if is_on {
            self.tree.set(method.switch, Tree::raw("true"));
        }
        let config = format!("auth_configs.{}", method.config);
        self.tree.set(&format!("{config}.name"), Tree::text(name));
        for (member, carry) in [
            ("header", Carry::Header),
            ("query", Carry::Query),
            ("cookie", Carry::Cookie),
        ] {
            if let Some(source) = settings.get(member) {
                self.carry(carry, &config, source, &path.member(member));
            }
        }
        let location = scheme.str("in").filter(|_| method == TOKEN);
        let field = scheme.str("name").unwrap_or_default();
        match (location, method) {
            (Some(location), _) => self.locate_token(&config, location, field, settings),
            // For these the document implies the location: their standard header (RFC 7617, RFC 6750).
            (None, BASIC | TOKEN) => {
                let named = ["header", "query", "cookie"].into_iter();
                if named.filter_map(|name| settings.get(name)).next().is_some() {
                    self.without_header(method.config, settings);
                }
            }
            (None, _) => self.without_header(method.config, settings),
        }
        self.scheme_members(settings, "", path);
        if method == OAUTH {
            self.flows(scheme, settings);
        }
        is_on.then_some(method)
    }

    /// Disables the header if the extension names none.
    fn without_header(&mut self, config: &str, settings: &Value<'_>) {
        if settings.get("header").is_none() {
            let member = format!("auth_configs.{config}.disable_header");
            self.tree.set(&member, Tree::raw("true"));
        }
    }

    /// Adds the location of a token given in the document to those given in the extension.
    fn locate_token(&mut self, config: &str, location: &str, field: &str, settings: &Value<'_>) {
        let mut set = |member: &str, tree: Tree| self.tree.set(&format!("{config}.{member}"), tree);
        match location {
            "query" | "cookie" => {
                let (switch, name) = match location {
                    "query" => ("use_param", "param_name"),
                    _ => ("use_cookie", "cookie_name"),
                };
                set(switch, Tree::raw("true"));
                set(name, Tree::text(field));
                if settings.get("header").is_none() {
                    set("disable_header", Tree::raw("true"));
                }
            }
            _ => {
                set("disable_header", Tree::raw("false"));
                set("auth_header_name", Tree::text(field));
            }
        }
    }

    /// Sets the flows of this gateway's own OAuth 2.0 server.
    fn flows(&mut self, scheme: &Value<'_>, settings: &Value<'_>) {
        let flows = scheme.get("flows");
        let has = |name: &str| flows.is_some_and(|flows| flows.get(name).is_some());
        let mut types: Vec<Tree> = FLOWS
            .into_iter()
            .filter(|(flow, _)| has(flow))
            .map(|(_, name)| Tree::text(name))
            .collect();
        if settings.bool("refreshToken") == Some(true) {
            types.push(Tree::text("refresh_token"));
        }
        let member = "oauth_meta.allowed_access_types";
        self.tree.set(member, Tree::Array(types));
    }

    /// Sets which methods together are sufficient, each group being an alternative. A disabled scheme can't succeed,
    /// and so its group can't either.
    fn alternatives_of(&mut self, alternatives: &[Vec<&str>], methods: &[(&str, Method)]) {
        let mut groups = Vec::new();
        for names in alternatives {
            let of = |name: &&str| {
                let found = methods.iter().find(|(known, _)| known == name);
                let config = found.map_or("", |(_, method)| method.config);
                Tree::text(config)
            };
            groups.push(Tree::Array(names.iter().map(of).collect()));
        }
        self.tree.set("openapi.security", Tree::Array(groups));
    }
}

/// Returns the names of the schemes that each requirement of a document combines.
fn of_document<'v>(document: &'v Value<'_>) -> Vec<Vec<&'v str>> {
    let requirements = document.get("security").map(Value::items);
    let names = |group: &'v Value<'_>| {
        let members = group.members().iter();
        let mut names: Vec<&str> = members.map(|scheme| &*scheme.name).collect();
        names.sort_unstable();
        names
    };
    requirements.unwrap_or_default().iter().map(names).collect()
}

/// Adds the requirements of the extension.
///
/// One that combines a scheme with a method that documents can't describe replaces the document's requirement of that
/// scheme alone: for other readers that one is the nearest description of it.
fn add_own<'v>(requirements: &mut Vec<Vec<&'v str>>, authentication: &'v Value<'_>) {
    let own = authentication.get("security").map(Value::items);
    let names = |group: &'v Value<'_>| group.items().iter().filter_map(Value::as_str).collect();
    let own: Vec<Vec<&str>> = own.unwrap_or_default().iter().map(names).collect();
    requirements.retain(|names| match names[..] {
        [name] if !INDESCRIBABLE.contains(&name) => !own.iter().any(|group| {
            let is_mixed = group.iter().any(|other| INDESCRIBABLE.contains(other));
            is_mixed && group.contains(&name)
        }),
        _ => true,
    });
    requirements.extend(own);
}

/// Whether requirements leave a choice, so that not every method is required.
fn is_choice(requirements: &[Vec<&str>], methods: &[(&str, Method)]) -> bool {
    if requirements.iter().any(Vec::is_empty) {
        return true;
    }
    let Some((_, first)) = methods.first() else {
        return false;
    };
    if requirements.len() < 2 {
        return false;
    }
    // If only one method is enabled it is required, unless it is nowhere enough by itself.
    let is_first = |name: &&str| methods.contains(&(*name, *first));
    methods.iter().any(|(_, method)| method != first)
        || !requirements.iter().any(|names| names.iter().all(is_first))
}

#[cfg(test)]
mod tests;
