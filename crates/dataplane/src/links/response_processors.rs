//! Row R: the steps of `response_processors` that are there, in their order (reference 3.4, *Response
//! header rules*); they come behind the rules of the version. What isn't known is passed over.

use super::header_rules::HeaderRule;
use super::response_headers::apply;
use crate::chain::{Compiler, Middleware, counted};
use crate::exchange::Exchange;
use crate::headers::AnswerEdit;
use gatewright_model::json::Value;

/// Steps that an answer passes.
#[derive(Debug)]
pub struct ResponseProcessors {
    steps: Vec<Processor>,
}

/// A step.
#[derive(Debug)]
enum Processor {
    /// `header_injector`
    Inject(HeaderRule),
    /// `header_transform`: addresses in headers get the scheme and host that clients know.
    Move {
        /// Names in lower case.
        headers: Vec<String>,
        /// `https://host`
        origin: String,
    },
}

impl Processor {
    /// Reads a step; `None` for one that changes nothing.
    fn read(value: &Value<'_>, injects: bool) -> Option<Self> {
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
                let (scheme, behind) = options.str("target_host")?.split_once("://")?;
                let host = behind.split(['/', '?', '#']).next().unwrap_or_default();
                let is_known = !scheme.is_empty() && !host.is_empty() && !headers.is_empty();
                is_known.then(|| Self::Move {
                    headers,
                    origin: format!("{scheme}://{host}"),
                })
            }
            _ => None,
        }
    }
}

impl Middleware for ResponseProcessors {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let declared = from.definition.get("response_processors")?.items();
        let injects = !from.version_switch("global_response_headers_disabled");
        let steps = declared
            .iter()
            .filter_map(|value| Processor::read(value, injects));
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
                Processor::Move { headers, origin } => {
                    for name in headers {
                        exchange.edit_answer(AnswerEdit::Origin(name.clone(), origin.clone()));
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::send;

    fn answered(version: &str, processors: &str, headers: &[(&str, &str)]) -> Vec<String> {
        let definition = format!(
            r#"{{"enable_context_vars":true,"version_data":{{"versions":{{"v":{{{version}}}}}}},"response_processors":{processors}}}"#
        );
        let sent = send(&definition, "GET", "/x", &[("X-In", "in")]);
        let headers = sent.answered(headers).into_iter();
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
    fn it_is_switched_off_with_them() {
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
    fn an_address_in_a_header_gets_the_host_that_clients_know() {
        let processors = r#"[{"name":"header_transform","options":{"rev_proxy_header_cleanup":{
            "headers":["Location","Link"],"target_host":"https://api.example/ignored"}}}]"#;
        let came = [
            ("Location", "http://10.0.0.1:8080/a?b=http://c/"),
            ("Link", "/relative"),
        ];
        assert_eq!(
            answered("", processors, &came),
            [
                "Location: https://api.example/a?b=http://c/",
                "Link: /relative"
            ]
        );
    }
}
