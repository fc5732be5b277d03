//! Members that switch each other off, or need each other.

use super::Rules;
use super::versions::is_negative;
use crate::findings::shown;
use crate::issue::{IssueCode, Severity};
use crate::json::pointer::Path;
use crate::json::{Kind, Member, Value, decimal, quote};
use crate::shape::auth::METHOD_NAMES;

/// Switches of authentication methods that `use_keyless` makes meaningless. Client certificates are checked all the
/// same (reference section 3.1).
const METHODS: [&str; 9] = [
    "use_standard_auth",
    "use_basic_auth",
    "enable_jwt",
    "use_oauth2",
    "use_openid",
    "enable_signature_checking",
    "enable_coprocess_auth",
    "custom_plugin_auth_enabled",
    "use_go_plugin_auth",
];

impl Rules<'_, '_> {
    pub(super) fn conflicts(&mut self) {
        self.keyless();
        self.body_credentials();
        self.global_rate_limit();
        self.nothing_cached();
        self.security_requirements();
        self.overridden_answers();
    }

    fn keyless(&mut self) {
        if !self.on("use_keyless") {
            return;
        }
        for name in METHODS
            .into_iter()
            .filter(|name| self.on(name))
            .collect::<Vec<_>>()
        {
            let message = format!(
                "use_keyless lets every request through, so {} contradicts it; switch one off",
                quote(name)
            );
            self.warning(IssueCode::Conflict, &format!("/{name}"), message);
        }
    }

    fn body_credentials(&mut self) {
        if !self.on("use_basic_auth") || !self.at("/basic_auth/extract_from_body") {
            return;
        }
        for name in ["body_user_regexp", "body_password_regexp"] {
            let pointer = format!("/basic_auth/{name}");
            if self.text(&pointer).is_none_or(str::is_empty) {
                let message = format!(
                    "{} is missing; without it the body can't be searched",
                    quote(name)
                );
                self.warning(IssueCode::Required, &pointer, message);
            }
        }
    }

    fn negative(&self, pointer: &str) -> bool {
        self.definition.pointer(pointer).is_some_and(is_negative)
    }

    fn global_rate_limit(&mut self) {
        let above_0 = |pointer| match self.definition.pointer(pointer).map(|value| &value.kind) {
            Some(Kind::Number(text)) => decimal::sign(text).is_gt(),
            _ => false,
        };
        for name in ["rate", "per"] {
            let pointer = format!("/global_rate_limit/{name}");
            if self.negative(&pointer) {
                let message =
                    "a negative number switches the limit off; write one above 0, or set disabled";
                self.warning(IssueCode::Range, &pointer, message);
            }
        }
        let on = above_0("/global_rate_limit/rate") && !self.at("/global_rate_limit/disabled");
        if on && !above_0("/global_rate_limit/per") && !self.negative("/global_rate_limit/per") {
            let message = "without a period the limit is off; write its seconds";
            self.warning(IssueCode::Range, "/global_rate_limit/per", message);
        }
        if on && self.on("disable_rate_limit") {
            let message = "disable_rate_limit switches the limit off; remove one";
            self.warning(IssueCode::Conflict, "/disable_rate_limit", message);
        }
    }

    /// `enable_cache` alone caches nothing: another member has to select responses.
    fn nothing_cached(&mut self) {
        let chosen = self.at("/cache_options/cache_all_safe_requests");
        if !self.at("/cache_options/enable_cache") || chosen {
            return;
        }
        let versions = self.definition.pointer("/version_data/versions");
        let listed = |version: &Value<'_>| {
            [
                "/extended_paths/cache",
                "/extended_paths/advance_cache_config",
            ]
            .into_iter()
            .filter_map(|list| version.pointer(list))
            .any(|list| !list.items().is_empty())
        };
        let members = versions.map(Value::members).unwrap_or_default();
        if !members.iter().any(|version| listed(&version.value)) {
            let message = "caching is on, but nothing says which responses; set cache_all_safe_requests or list paths";
            let span = self.span("/cache_options/enable_cache");
            let pointer = "/cache_options/enable_cache";
            self.findings
                .add(Severity::Info, IssueCode::Conflict, span, pointer, message);
        }
    }

    /// Every required method has to be configured.
    fn security_requirements(&mut self) {
        let requirements = self
            .definition
            .get("security_requirements")
            .map(Value::items);
        let Some(configs) = self.definition.get("auth_configs") else {
            return;
        };
        for (index, group) in requirements.unwrap_or_default().iter().enumerate() {
            for (inner, name) in group.items().iter().enumerate() {
                let Some(name) = name.as_str().filter(|name| configs.member(name).is_none()) else {
                    continue;
                };
                let named = |config: &Member<'_>| config.value.str("name") == Some(name);
                // A known method without settings of its own has the defaults.
                if !METHOD_NAMES.contains(&name) && !configs.members().iter().any(named) {
                    let message = format!("{} isn't configured in auth_configs", shown(name));
                    let pointer = format!("/security_requirements/{index}/{inner}");
                    self.warning(IssueCode::Conflict, &pointer, message);
                }
            }
        }
    }

    /// An error response has one body.
    fn overridden_answers(&mut self) {
        let overrides = self.definition.get("error_overrides").map(Value::members);
        let root = Path::Root.member("error_overrides");
        for status in overrides.unwrap_or_default() {
            let list = root.member(&status.name);
            for (index, rule) in status.value.items().iter().enumerate() {
                let Some(response) = rule.get("response") else {
                    continue;
                };
                let set = |name: &&str| response.str(name).is_some_and(|text| !text.is_empty());
                let bodies: Vec<&str> = ["body", "message", "template"]
                    .into_iter()
                    .filter(|name| set(name))
                    .collect();
                if bodies.len() > 1 {
                    let rule = list.element(index);
                    let message = format!(
                        "of {} only one counts; remove the others",
                        bodies.join(", ")
                    );
                    let response_path = rule.member("response");
                    self.findings.warning(
                        IssueCode::Conflict,
                        response.span.opening(),
                        &response_path,
                        message,
                    );
                }
            }
        }
    }
}
