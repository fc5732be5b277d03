//! Row R: the supported steps of `response_processors`, in order (reference 3.4, *Response header rules*); they follow
//! the rules of the version. Unknown steps are ignored.

use super::header_rules::HeaderRule;
use super::response_headers::apply;
use crate::chain::{Compiler, Middleware, counted};
use crate::exchange::Exchange;
use crate::headers::{AnswerEdit, Moves};
use gatewright_model::definition::route::clean;
use gatewright_model::json::Value;

/// Steps that process a response.
#[derive(Debug)]
pub struct ResponseProcessors {
    steps: Vec<Processor>,
}

/// A step.
#[derive(Debug)]
enum Processor {
    /// `header_injector`
    Inject(HeaderRule),
    /// `header_transform`: upstream addresses in headers are rewritten to their public form.
    Move {
        /// Names in lower case.
        headers: Vec<String>,
        moves: Moves,
    },
}

impl Processor {
    /// Reads a step; `None` if it changes nothing.
    fn read(value: &Value<'_>, injects: bool, definition: &Value<'_>) -> Option<Self> {
        let options = value.get("options")?;
        match value.str("name")? {
            "header_injector" if injects => {
                let rule =
                    HeaderRule::read(options.get("add_headers"), options.get("remove_headers"));
                (!rule.is_empty()).then_some(Self::Inject(rule))
            }
            "header_transform" => {
                let options = options.get("rev_proxy_header_cleanup")?;
                let headers = options.get("headers").map(Value::items).unwrap_or_default();
                let headers = headers.iter().filter_map(Value::as_str);
                let headers: Vec<String> = headers.map(str::to_ascii_lowercase).collect();
                let (public, _) = split(options.str("target_host")?)?;
                let moves = moves(public, definition)?;
                (!headers.is_empty()).then_some(Self::Move { headers, moves })
            }
            _ => None,
        }
    }
}

/// The origin of an address, and its path without a trailing slash.
fn split(address: &str) -> Option<(&str, &str)> {
    let address = address.split(['?', '#']).next().unwrap_or_default();
    let (scheme, behind) = address.split_once("://")?;
    let host = behind.split('/').next().unwrap_or_default();
    let end = address.len().checked_sub(behind.len())?;
    let (origin, path) = address.split_at_checked(end.checked_add(host.len())?)?;
    let is_known = !scheme.is_empty() && !host.is_empty();
    is_known.then(|| (origin, path.trim_end_matches('/')))
}

/// The mapping of addresses below an API's target to a public origin: below the listen path, if that is stripped before
/// forwarding. `None` for a listen path with templates.
fn moves(public: &str, definition: &Value<'_>) -> Option<Moves> {
    let proxy = definition.get("proxy")?;
    let (origin, path) = split(proxy.str("target_url")?)?;
    let listen = clean(proxy.str("listen_path").unwrap_or_default());
    let listen = match proxy.bool("strip_listen_path") {
        Some(true) if listen.contains('{') => path,
        Some(true) => listen.trim_end_matches('/'),
        _ => "",
    };
    Some(Moves::new((origin, path), (public, listen)))
}

impl Middleware for ResponseProcessors {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let declared = from.definition.get("response_processors")?.items();
        let injects = !from.version_switch("global_response_headers_disabled");
        let steps = declared
            .iter()
            .filter_map(|value| Processor::read(value, injects, from.definition));
        let steps: Vec<Processor> = steps.collect();
        if steps.is_empty() {
            return None;
        }
        from.origin("/response_processors", counted(steps.len(), "step"));
        Some(Self { steps })
    }

    fn response(&self, exchange: &mut Exchange) {
        for step in &self.steps {
            match step {
                Processor::Inject(rule) => apply(rule, exchange),
                Processor::Move { headers, moves } => {
                    for name in headers {
                        exchange.edit_answer(AnswerEdit::Move(name.clone(), moves.clone()));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::headers::{AnswerEdit, Moves};
    use crate::testing::{Sent, send};

    fn sent(version: &str, processors: &str) -> Sent {
        let definition = format!(
            r#"{{"enable_context_vars":true,"proxy":{{"target_url":"http://10.0.0.1:8080/v2/","listen_path":"/base/","strip_listen_path":true}},"version_data":{{"versions":{{"v":{{{version}}}}}}},"response_processors":{processors}}}"#
        );
        send(&definition, "GET", "/x", &[("X-In", "in")])
    }

    fn answered(version: &str, processors: &str, headers: &[(&str, &str)]) -> Vec<String> {
        let headers = sent(version, processors).answered(headers).into_iter();
        headers
            .map(|(name, value)| format!("{name}: {value}"))
            .collect()
    }

    const GLOBAL: &str = r#""global_response_headers":{"X-Both":"global","X-Global":"g"}"#;
    const INJECTOR: &str = r#"[{"name":"no_such_processor","options":{}},{"name":"header_injector","options":{
        "add_headers":{"X-Both":"injected","X-Var":"$gateway_context.headers_X_In"},"remove_headers":["X-Up","X-Absent"]}}]"#;

    #[test]
    fn the_injector_comes_after_the_rules_of_the_version() {
        let headers = answered(GLOBAL, INJECTOR, &[("X-Up", "1"), ("X-Other", "2")]);
        assert_eq!(
            headers,
            ["X-Other: 2", "x-global: g", "x-both: injected", "x-var: in"]
        );
    }

    #[test]
    fn injector_is_disabled_with_the_rules() {
        let off = format!(r#"{GLOBAL},"global_response_headers_disabled":true"#);
        assert_eq!(answered(&off, INJECTOR, &[("X-Up", "1")]), ["X-Up: 1"]);
    }

    #[test]
    fn steps_without_options_change_nothing() {
        let came = [("X-Up", "1")];
        for processors in [
            "[]",
            r#"[{"name":"header_injector"}]"#,
            r#"[{"name":"header_transform"},{"name":"header_transform","options":{}}]"#,
            r#"[{"name":"header_transform","options":{"rev_proxy_header_cleanup":{"headers":["X-Up"]}}}]"#,
        ] {
            assert_eq!(answered("", processors, &came), ["X-Up: 1"], "{processors}");
        }
    }

    #[test]
    fn header_urls_get_the_public_host() {
        let processors = r#"[{"name":"header_transform","options":{"rev_proxy_header_cleanup":{
            "headers":["Location","Link"],"target_host":"https://api.example/ignored"}}}]"#;
        let sent = sent("", processors);
        let moves = Moves::new(
            ("http://10.0.0.1:8080", "/v2"),
            ("https://api.example", "/base"),
        );
        let moved = ["location", "link"];
        let moved = moved.map(|name| AnswerEdit::Move(name.to_owned(), moves.clone()));
        assert_eq!(sent.exchange.upstream_answer, moved);
    }
}
