//! Rules about versions: the API that serves each one (`definition`), and the rules of each (`version_data`).

use super::super::target;
use super::Rules;
use super::paths::opened;
use crate::findings::shown;
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Kind, Member, Value, decimal};
use crate::order::firsts;
use crate::text::{duration, is_reference};

/// If an API that is not versioned lists several versions, one of them must have one of these names (reference section
/// 5.1).
const DEFAULTS: [&str; 3] = ["Default", "default", ""];

impl Rules<'_, '_> {
    /// References of `definition`: names and ids that must exist (reference 5.2).
    pub(super) fn version_references(&mut self) {
        let Some(definition) = self.definition.get("definition") else {
            return;
        };
        let versions = definition
            .get("versions")
            .map(Value::members)
            .unwrap_or_default();
        self.served_versions(versions);
        self.default_version(definition, versions);
        let own = definition.str("name").unwrap_or_default();
        if !own.is_empty() && versions.iter().any(|version| version.name == own) {
            let message = format!(
                "{} is the name of this API itself and of a version; rename one",
                shown(own)
            );
            self.warning(IssueCode::Conflict, "/definition/name", message);
        }
        if definition.bool("enabled") != Some(true) {
            return;
        }
        if versions.is_empty() {
            let message = "versions are switched on, but none is listed in definition.versions";
            self.warning(IssueCode::Conflict, "/definition/enabled", message);
        }
        self.version_key();
    }

    /// A header or a parameter that selects the version needs a name.
    fn version_key(&mut self) {
        let location = self.text("/definition/location").unwrap_or_default();
        let key = self.text("/definition/key").unwrap_or_default();
        if matches!(location, "header" | "url-param") && key.is_empty() {
            let message =
                "\"key\" is missing; write the header or parameter that names the version";
            self.warning(IssueCode::Required, "/definition/key", message);
        }
    }

    fn served_versions(&mut self, versions: &[Member<'_>]) {
        let own = self.text("/api_id").filter(|id| !id.is_empty());
        let root = Path::Root.member("definition");
        let root = root.member("versions");
        let ids: Vec<&str> = versions
            .iter()
            .map(|version| version.value.as_str().unwrap_or_default())
            .collect();
        for (version, first) in versions.iter().zip(firsts(&ids)) {
            let Some(id) = version.value.as_str().filter(|id| !id.is_empty()) else {
                continue;
            };
            let first = versions.get(first).map_or("", |first| &*first.name);
            let message = if own == Some(id) {
                "a version can't be served by this API itself; its own version has its name in definition.name".to_owned()
            } else if first != version.name {
                format!(
                    "the API {} serves the version {} already",
                    shown(id),
                    shown(first)
                )
            } else {
                continue;
            };
            let version_path = root.member(&version.name);
            let span = version.value.span;
            self.findings
                .warning(IssueCode::Conflict, span, &version_path, message);
        }
    }

    fn default_version(&mut self, definition: &Value<'_>, versions: &[Member<'_>]) {
        let own = definition.str("name").unwrap_or_default();
        let default = definition.str("default").unwrap_or_default();
        let known = default.is_empty()
            || default == "self"
            || default == own
            || versions.iter().any(|version| version.name == default);
        if !known {
            let message = format!(
                "{} is no version; write a name of definition.versions, or self",
                shown(default)
            );
            self.warning(IssueCode::Conflict, "/definition/default", message);
        }
    }

    /// Versions inside one definition.
    pub(super) fn version_data(&mut self) {
        let Some(data) = self.definition.get("version_data") else {
            return;
        };
        let versions = data.get("versions").map(Value::members).unwrap_or_default();
        let single = data.bool("not_versioned") == Some(true);
        if versions.len() > 1 && single {
            let named = |name: &&&str| versions.iter().any(|version| version.name == **name);
            let message = match DEFAULTS.iter().filter(named).count() {
                0 => {
                    "No default API version for this non-versioned API found; call one of them Default"
                }
                1 => "",
                _ => "Ambiguous default API version for this non-versioned API; keep one of them",
            };
            if !message.is_empty() {
                self.warning(IssueCode::Conflict, "/version_data/versions", message);
            }
        }
        if versions.len() > 1 && !single {
            self.version_key();
        }
        let default = data.str("default_version").unwrap_or_default();
        if !single && !default.is_empty() && !versions.iter().any(|version| version.name == default)
        {
            let message = format!(
                "{} is no version; write a name of version_data.versions",
                shown(default)
            );
            self.warning(
                IssueCode::Conflict,
                "/version_data/default_version",
                message,
            );
        }
        let root = Path::Root.member("version_data");
        let root = root.member("versions");
        for version in versions {
            self.version(&version.value, &root.member(&version.name));
        }
    }

    fn version(&mut self, version: &Value<'_>, path: &Path<'_>) {
        if let Some(timeout) = version
            .get("global_enforce_timeout")
            .filter(|timeout| is_negative(timeout))
        {
            let timeout_path = path.member("global_enforce_timeout");
            self.findings.error(
                IssueCode::Range,
                timeout.span,
                &timeout_path,
                "invalid global timeout value",
            );
        }
        if let Some(override_target) = version.get("override_target")
            && let Some(Err(problem)) = override_target
                .as_str()
                .filter(|url| !url.is_empty() && !is_reference(url))
                .map(target::check)
        {
            let path = path.member("override_target");
            self.findings
                .warning(IssueCode::Format, override_target.span, &path, problem);
        }
        self.simple_lists(version, path);
        self.protecting_rules(version, path);
        let Some(rules) = version.get("extended_paths") else {
            return;
        };
        let rules_path = path.member("extended_paths");
        let lists = rules
            .members()
            .iter()
            .any(|list| !list.value.items().is_empty());
        if lists && version.bool("use_extended_paths") != Some(true) {
            let message =
                "use_extended_paths isn't true, so these rules mean nothing; switch it on";
            let span = version
                .member("extended_paths")
                .map_or(rules.span, |member| member.name_span);
            self.findings
                .warning(IssueCode::Conflict, span, &rules_path, message);
        }
        self.path_rules(rules, &rules_path);
    }
}

impl Rules<'_, '_> {
    /// Checks the paths of simple lists that grant access, if those lists are in use.
    fn simple_lists(&mut self, version: &Value<'_>, path: &Path<'_>) {
        let found = version.get("paths");
        let off = version.bool("use_extended_paths") == Some(true);
        let Some(lists) = found.filter(|_| !off) else {
            return;
        };
        let path = path.member("paths");
        for list in ["ignored", "white_list"] {
            let path = path.member(list);
            let items = lists.get(list).map(Value::items).unwrap_or_default();
            for (index, item) in items.iter().enumerate() {
                opened(item, &path.element(index), self.findings);
            }
        }
    }
}

/// Whether a number of seconds, or a text such as `-1s`, is below 0.
pub(super) fn is_negative(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::Number(text) => decimal::sign(text).is_lt(),
        Kind::String(text) => duration::nanoseconds(text).is_some_and(|length| length < 0),
        _ => false,
    }
}
