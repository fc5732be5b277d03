//! Link 31: request headers that are removed and added, for all paths and for some (reference 3.4, *Header transform
//! order*). Hop-by-hop headers that a rule adds have no effect: they are left out when the request is sent.

use super::header_rules::{HeaderRule, PathRule, first_match, global_rule, path_rules};
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use gatewright_protocol::variables::Escape;

/// Rules for request headers.
#[derive(Debug, Default)]
pub struct HeaderTransforms {
    global: HeaderRule,
    rows: Vec<PathRule>,
}

/// Applies a rule to the request; fails with the header's name if a value has a line break or another invalid character
/// (RFC 9110 section 5.5).
fn apply(rule: &HeaderRule, exchange: &mut Exchange) -> Result<(), String> {
    for name in &rule.remove {
        exchange.remove_header(name);
    }
    for (name, value) in &rule.add {
        let value = exchange.fill(value, Escape::None);
        if value.contains(|letter: char| letter.is_ascii_control() && letter != '\t') {
            return Err(name.clone());
        }
        exchange.set_header(name, &value);
    }
    Ok(())
}

impl Middleware for HeaderTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let global = global_rule(
            from,
            "global_headers",
            "global_headers_remove",
            "global_headers_disabled",
        );
        let rows = path_rules(from, "transform_headers");
        (!global.is_empty() || !rows.is_empty()).then_some(Self { global, rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let rows = first_match(&self.rows, exchange, &[]);
        for rule in [&self.global].into_iter().chain(rows) {
            if let Err(name) = apply(rule, exchange) {
                exchange.note(|| {
                    format!("the value of {name} has a line break or a control character")
                });
                return Step::Reply(Reply::from(Failure::Upstream));
            }
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sent, send};

    const DEFINITION: &str = r#"{"enable_context_vars":true,"version_data":{"versions":{"v":{"use_extended_paths":true,
        "global_headers":{"X-Global":"g","X-Both":"global","X-In":"[$gateway_context.headers_X_In]","X-Dash":"[$gateway_context.headers_X-In]"},
        "global_headers_remove":["x-gone"],
        "extended_paths":{"transform_headers":[
            {"path":"/one","method":"GET","add_headers":{"X-Both":"path","X-Pad":"  p  "},"delete_headers":["X-Global"]},
            {"path":"/one","method":"GET","add_headers":{"X-Second":"2"}},
            {"path":"/break","method":"GET","add_headers":{"X-Broken":"$gateway_context.request_data_v"}},
            {"path":"/none","add_headers":{"X-No-Method":"1"}},
            {"path":"/off","method":"GET","disabled":true,"add_headers":{"X-Off":"1"}},
            {"path":"/edges","method":"GET","add_headers":{"Content-Length":"9","X-Empty":"","X Bad":"1","X-Words":"grün"}}]}}}}}"#;

    fn sent(path: &str) -> Sent {
        send(DEFINITION, "GET", path, &[("x-gone", "1"), ("x-in", "in")])
    }

    #[test]
    fn first_path_rule_follows_the_global_rule() {
        let one = sent("/one");
        assert_eq!(one.header("x-both"), Some("path"));
        assert_eq!(one.header("x-pad"), Some("p"));
        assert_eq!(one.header("x-in"), Some("[in]"));
        assert_eq!(one.header("x-dash"), Some("[]"));
        assert!(one.removes("x-gone") && one.removes("x-global"));
        assert_eq!(one.header("x-second"), None);
        assert_eq!(sent("/none").header("x-no-method"), None);
        assert_eq!(sent("/off").header("x-off"), None);
        assert_eq!(sent("/two").header("x-both"), Some("global"));
    }

    #[test]
    fn line_break_in_value_fails() {
        for value in ["a%0d%0ab", "%0a", "a%00", "%01x", "%7f"] {
            let refused = sent(&format!("/break?v={value}"));
            assert_eq!(refused.status(), Some(500), "{value}");
        }
        let tab = sent("/break?v=a%09b");
        assert_eq!(tab.header("x-broken"), Some("a\tb"));
    }

    #[test]
    fn empty_value_is_sent_but_content_length_is_not() {
        let edges = sent("/edges");
        assert_eq!(edges.header("x-empty"), Some(""));
        assert_eq!(edges.header("x-words"), Some("grün"));
        assert_eq!(edges.header("content-length"), None);
        assert_eq!(edges.header("x bad"), None);
    }

    #[test]
    fn global_rule_can_be_disabled_separately() {
        let off = DEFINITION.replacen(
            r#""use_extended_paths""#,
            r#""global_headers_disabled":true,"use_extended_paths""#,
            1,
        );
        let one = send(&off, "GET", "/one", &[("x-gone", "1")]);
        assert_eq!(one.header("x-both"), Some("path"));
        assert!(!one.removes("x-gone"));
    }
}
