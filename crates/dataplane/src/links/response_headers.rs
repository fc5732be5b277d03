//! Row R: headers of the upstream's response that are removed and added, first for some paths and then for all
//! (reference 3.4, *Header transform order* and *Response header rules*).

use super::header_rules::{HeaderRule, PathRule, first_match, global_rule, path_rules};
use crate::chain::{Compiler, Middleware};
use crate::exchange::Exchange;
use crate::headers::{AnswerEdit, answer_value};
use crate::path::percent_decode;
use gatewright_protocol::variables::Escape;

/// Rules for response headers.
#[derive(Debug)]
pub struct ResponseHeaders {
    global: HeaderRule,
    rows: Vec<PathRule>,
    front: Option<TargetPath>,
}

/// The path of the API's target, which rules are matched with as well (reference 3.1).
#[derive(Debug)]
pub(super) struct TargetPath {
    /// The decoded path, without a trailing slash.
    path: String,
    /// Whether the listen path is stripped first.
    strips: bool,
}

impl TargetPath {
    /// Reads the target's path; `None` if it has none.
    pub(super) fn read(from: &Compiler<'_>) -> Option<Self> {
        let versions = from.definition.get("version_data");
        let is_versioned = !versions
            .and_then(|versions| versions.bool("not_versioned"))
            .unwrap_or_default();
        let of_version = from.version.filter(|_| is_versioned);
        let of_version = of_version
            .and_then(|version| version.str("override_target"))
            .filter(|target| !target.is_empty());
        let proxy = from.definition.get("proxy");
        let target = of_version.or_else(|| proxy?.str("target_url"))?;
        let (scheme, behind) = target.split_once("://")?;
        if matches!(scheme, "gateway" | "tyk") {
            // A loop starts from scratch: its target's path is not used.
            return None;
        }
        let (_, path) = behind.split_once('/')?;
        let path = path.split(['?', '#']).next().unwrap_or_default();
        let path = percent_decode(path.trim_end_matches('/'));
        let strips = proxy.and_then(|proxy| proxy.bool("strip_listen_path"));
        (!path.is_empty()).then(|| Self {
            path: format!("/{path}"),
            strips: strips.unwrap_or_default(),
        })
    }

    /// The forms of the requested path, with this path in front.
    pub(super) fn paths(&self, exchange: &Exchange) -> Vec<String> {
        // The rules for a message use nothing else.
        if exchange.rpc.is_some() {
            return Vec::new();
        }
        let mut forms = exchange.rule_paths();
        let full = forms.pop();
        if !self.strips {
            forms = full.into_iter().collect();
        }
        let joined = forms.iter().map(|path| format!("{}{path}", self.path));
        joined.collect()
    }
}

/// Applies a rule to the upstream's answer.
pub(super) fn apply(rule: &HeaderRule, exchange: &mut Exchange) {
    for name in &rule.remove {
        exchange.edit_answer(AnswerEdit::Remove(name.clone()));
    }
    for (name, value) in &rule.add {
        let value = answer_value(&exchange.fill(value, Escape::None));
        exchange.edit_answer(AnswerEdit::Set(name.clone(), value));
    }
}

impl Middleware for ResponseHeaders {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rows = path_rules(from, "transform_response_headers");
        let global = global_rule(
            from,
            "global_response_headers",
            "global_response_headers_remove",
            "global_response_headers_disabled",
        );
        let front = TargetPath::read(from).filter(|_| !rows.is_empty());
        (!global.is_empty() || !rows.is_empty()).then_some(Self {
            global,
            rows,
            front,
        })
    }

    fn response(&self, exchange: &mut Exchange) {
        let others = self.front.as_ref().map(|front| front.paths(exchange));
        let rows = first_match(&self.rows, exchange, &others.unwrap_or_default());
        for rule in rows.chain([&self.global]) {
            apply(rule, exchange);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::send;

    fn definition(proxy: &str, version: &str) -> String {
        format!(
            r#"{{"enable_context_vars":true,"proxy":{proxy},"version_data":{{"versions":{{"v":{{"use_extended_paths":true,
            "global_response_headers":{{"X-Global":"g","X-Both":"global","X-Break":"$gateway_context.request_data_v"}},
            "global_response_headers_remove":["X-Powered-By","x-lower"],{version}
            "extended_paths":{{"transform_response_headers":[
                {{"path":"/headers","method":"GET","add_headers":{{"X-Path":"p","X-Both":"path","X-Powered-By":"path"}},
                  "delete_headers":["X-Up","X-Global"]}},
                {{"path":"/headers","method":"GET","add_headers":{{"X-Path":"second"}}}},
                {{"path":"/v2/items","method":"GET","add_headers":{{"X-Path":"v2 items"}}}},
                {{"path":"/none","add_headers":{{"X-Path":"no method"}}}}]}}}}}}}}}}"#
        )
    }

    fn answered(definition: &str, method: &str, path: &str) -> Vec<(String, String)> {
        let came = [
            ("X-Up", "1"),
            ("X-Powered-By", "py"),
            ("X-LOWER", "l"),
            ("X-Global", "up"),
            ("X-Stay", "1"),
        ];
        send(definition, method, path, &[]).answered(&came)
    }

    fn value<'h>(headers: &'h [(String, String)], name: &str) -> Option<&'h str> {
        let mut named = headers.iter().filter(|(known, _)| known == name);
        let (_, value) = named.next()?;
        assert!(named.next().is_none(), "{name} twice");
        Some(value)
    }

    #[test]
    fn path_rule_precedes_the_global_rule() {
        let definition = definition(r#"{"target_url":"http://up/"}"#, "");
        let headers = answered(&definition, "GET", "/headers");
        assert_eq!(value(&headers, "x-path"), Some("p"));
        assert_eq!(value(&headers, "x-both"), Some("global"));
        assert_eq!(value(&headers, "x-global"), Some("g"));
        for gone in ["X-Up", "X-Powered-By", "x-powered-by", "X-LOWER"] {
            assert_eq!(value(&headers, gone), None, "{gone}");
        }
        assert_eq!(value(&headers, "X-Stay"), Some("1"));
        let posted = answered(&definition, "POST", "/headers");
        assert_eq!(value(&posted, "X-Up"), Some("1"));
        assert_eq!(value(&posted, "x-path"), None);
        assert_eq!(
            value(&answered(&definition, "GET", "/none"), "x-path"),
            None
        );
    }

    #[test]
    fn a_line_break_becomes_a_blank() {
        let definition = definition(r#"{"target_url":"http://up/"}"#, "");
        let headers = answered(&definition, "GET", "/x?v=a%0d%0aX-Evil:+1%0a");
        assert_eq!(value(&headers, "x-break"), Some("a  X-Evil: 1"));
    }

    #[test]
    fn rule_also_matches_below_the_target_path() {
        let path = |proxy: &str, version: &str, path: &str| {
            let headers = answered(&definition(proxy, version), "GET", path);
            value(&headers, "x-path").map(str::to_owned)
        };
        let v2 = r#"{"target_url":"http://up/v2/","strip_listen_path":true}"#;
        let plain = r#"{"target_url":"http://up:80","strip_listen_path":true}"#;
        assert_eq!(path(v2, "", "/items").as_deref(), Some("v2 items"));
        assert_eq!(path(v2, "", "/v2/items").as_deref(), Some("v2 items"));
        assert_eq!(path(v2, "", "/headers").as_deref(), Some("p"));
        assert_eq!(path(plain, "", "/items"), None);
        assert_eq!(
            path(plain, r#""override_target":"http://b/v2?k=1","#, "/items").as_deref(),
            Some("v2 items")
        );
    }

    #[test]
    fn switch_disables_only_the_global_rule() {
        let definition = definition(
            r#"{"target_url":"http://up/"}"#,
            r#""global_response_headers_disabled":true,"#,
        );
        let headers = answered(&definition, "GET", "/headers");
        assert_eq!(value(&headers, "x-both"), Some("path"));
        assert_eq!(value(&headers, "X-Global"), None);
        assert_eq!(value(&headers, "X-LOWER"), Some("l"));
    }
}
