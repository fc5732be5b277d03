//! Imports the security requirements of a document.

use super::Importer;
use super::tree::Tree;
use crate::json::Value;
use crate::json::pointer::push_token;
use crate::order::firsts;

impl Importer<'_, '_> {
    /// A document without requirements becomes an API without keys, as in the reference. One with requirements never
    /// does: if they can't be imported, the API is closed.
    pub(super) fn security(&mut self) {
        let names = self.required_schemes();
        if names.is_empty() {
            self.tree.set("use_keyless", Tree::raw("true"));
            if self.overridden("/server/authentication/enabled") {
                return;
            }
            return self.note(
                "/security",
                false,
                "the document asks for no credentials, so the API is open to everybody",
            );
        }
        self.tree.set("use_keyless", Tree::raw("false"));
        let alternatives = self
            .document
            .get("security")
            .map(Value::items)
            .unwrap_or_default();
        if alternatives.len() > 1 {
            self.note(
                "/security/1",
                false,
                "alternatives aren't told apart; every scheme is asked for",
            );
        }
        if alternatives.iter().any(|group| group.members().is_empty()) {
            self.note(
                "/security",
                false,
                "the document allows requests without credentials as well; the API doesn't",
            );
        }
        for name in names {
            let mut pointer = "/components/securitySchemes".to_owned();
            push_token(&mut pointer, &name);
            self.scheme(&name, &pointer);
        }
    }

    /// Returns the names of schemes that the document or one of its operations requires, in order.
    pub(super) fn required_schemes(&self) -> Vec<String> {
        let mut names: Vec<&str> = Vec::new();
        let paths = self
            .document
            .get("paths")
            .map(Value::members)
            .unwrap_or_default();
        let operations = paths.iter().flat_map(|path| path.value.members());
        let own = operations.filter_map(|operation| operation.value.get("security"));
        for requirements in self.document.get("security").into_iter().chain(own) {
            let groups = requirements.items().iter().flat_map(Value::members);
            names.extend(groups.map(|scheme| &*scheme.name));
        }
        let firsts = firsts(&names).into_iter().enumerate();
        let first = firsts.filter(|(at, first)| at == first);
        first
            .filter_map(|(at, _)| names.get(at).map(|name| (*name).to_owned()))
            .collect()
    }

    fn scheme(&mut self, name: &str, pointer: &str) {
        let Some(scheme) = self.document.pointer(pointer) else {
            let message =
                format!("Missing required Security Scheme '{name}' in Components.SecuritySchemes.");
            return self.note(pointer, false, message);
        };
        let word = |member: &str| scheme.str(member).unwrap_or_default().to_ascii_lowercase();
        match (
            word("type").as_str(),
            word("scheme").as_str(),
            word("in").as_str(),
        ) {
            ("apikey", _, location @ ("header" | "query" | "cookie")) => {
                self.api_key(name, scheme.str("name").unwrap_or_default(), location);
                self.note(pointer, true, "a key of the gateway");
            }
            ("http", "basic", _) => {
                self.tree.set("use_basic_auth", Tree::raw("true"));
                self.tree.set("auth_configs.basic.name", Tree::text(name));
                self.note_member(pointer, "use_basic_auth", "basic authentication");
            }
            ("http", "bearer", _) if word("bearerFormat") == "jwt" => {
                self.tree.set("enable_jwt", Tree::raw("true"));
                self.tree.set("auth_configs.jwt.name", Tree::text(name));
                let message = "JSON Web Tokens; write jwt_source and jwt_signing_method";
                self.note_member(pointer, "enable_jwt", message);
            }
            ("http", "bearer", _) => {
                self.api_key(name, "Authorization", "header");
                self.note(
                    pointer,
                    true,
                    "a key of the gateway, in the header Authorization",
                );
            }
            ("oauth2", ..) => {
                self.tree.set("use_oauth2", Tree::raw("true"));
                self.tree.set("auth_configs.oauth.name", Tree::text(name));
                self.note_member(pointer, "use_oauth2", "OAuth 2.0; write oauth_meta");
            }
            ("openidconnect", ..) => {
                self.tree.set("use_openid", Tree::raw("true"));
                self.tree.set("auth_configs.oidc.name", Tree::text(name));
                let message = "OpenID Connect; write openid_options";
                self.note_member(pointer, "use_openid", message);
            }
            ("mutualtls", ..) => {
                self.tree.set("use_mutual_tls_auth", Tree::raw("true"));
                let message = "client certificates; write client_certificates";
                self.note_member(pointer, "use_mutual_tls_auth", message);
            }
            _ => self.note(
                pointer,
                false,
                "this scheme isn't known; the API asks for a key of the gateway instead",
            ),
        }
    }

    fn api_key(&mut self, name: &str, field: &str, location: &str) {
        self.tree.set("use_standard_auth", Tree::raw("true"));
        let config = |member: &str| format!("auth_configs.authToken.{member}");
        self.tree.set(&config("name"), Tree::text(name));
        match location {
            "query" | "cookie" => {
                let (switch, member) = if location == "query" {
                    ("use_param", "param_name")
                } else {
                    ("use_cookie", "cookie_name")
                };
                self.tree.set(&config("disable_header"), Tree::raw("true"));
                self.tree.set(&config(switch), Tree::raw("true"));
                self.tree.set(&config(member), Tree::text(field));
            }
            _ => self
                .tree
                .set(&config("auth_header_name"), Tree::text(field)),
        }
    }
}
