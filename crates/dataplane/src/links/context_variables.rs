//! Link 11: reads the body for context variables that need it. All others are read from the request where they are
//! used; form fields are in the body (reference 3.11, `request_data`).

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Body, Exchange};
use gatewright_model::json::{Kind, Value};

/// The prefix of variables that are form fields.
const FIELDS: &str = "request_data";

/// Reads forms whose fields some rule may use.
#[derive(Debug)]
pub struct ContextVariables;

/// Whether a name or text in a value refers to form fields. Conditions of rewrites name variables without any prefix,
/// so the bare word is sufficient.
fn names_fields(value: &Value<'_>) -> bool {
    match &value.kind {
        Kind::String(text) => text.contains(FIELDS),
        Kind::Array(items) => items.iter().any(names_fields),
        Kind::Object(members) => members
            .iter()
            .any(|member| member.name.contains(FIELDS) || names_fields(&member.value)),
        Kind::Null | Kind::Bool(_) | Kind::Number(_) => false,
    }
}

impl Middleware for ContextVariables {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if !from.definition.bool("enable_context_vars")? {
            return None;
        }
        let of_api = from.definition.members().iter();
        // The rules of other versions have their own chains.
        let mut of_api = of_api.filter(|member| member.name != "version_data");
        let is_named = from.version.is_some_and(names_fields)
            || of_api.any(|member| names_fields(&member.value));
        is_named.then(|| {
            from.origin("/enable_context_vars", "fields of forms");
            Self
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.body == Body::Streamed && exchange.is_form() {
            let max = exchange.chain.settings.max_body_bytes;
            return Step::Need(Need::Body { max });
        }
        if exchange.body == Body::TooLarge {
            exchange.remark("the form is too long for its fields to be read");
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::Settings;
    use crate::exchange::{Body, Request, Route};
    use crate::path::RequestPath;
    use crate::testing::{Sent, chain, exchange, pass, request, run, send_body};
    use std::rc::Rc;

    const FORM: (&str, &str) = (
        "Content-Type",
        "Application/X-WWW-Form-Urlencoded; charset=utf-8",
    );

    fn definition(switch: bool, text: &str) -> String {
        format!(
            r#"{{"enable_context_vars":{switch},"version_data":{{"versions":{{
            "v":{{"global_headers":{{"X-A":"{text}"}}}},"w":{{"global_headers":{{"X-A":"$gateway_context.request_data_a"}}}}}}}}}}"#
        )
    }

    fn sent(method: &str, content_type: (&str, &str), body: &str) -> Sent {
        let definition = definition(
            true,
            "$gateway_context.request_data_a|$gateway_context.request_data",
        );
        send_body(
            &definition,
            request(method, "/x?a=q&b-c=2", &[content_type]),
            body,
        )
    }

    #[test]
    fn fields_come_before_the_query() {
        let came = sent("POST", FORM, "a=f+1&a=%C3%A9&d=");
        assert_eq!(came.header("x-a"), Some("f 1|a:f 1,é,q;d:;b-c:2"));
    }

    #[test]
    fn other_bodies_are_ignored() {
        for (method, content_type) in [
            ("GET", FORM),
            ("DELETE", FORM),
            ("POST", ("Content-Type", "application/json")),
            ("POST", ("Content-Type", "multipart/form-data; boundary=x")),
            ("POST", ("X-None", "")),
        ] {
            let came = sent(method, content_type, "a=f");
            assert_eq!(came.exchange.body, Body::Streamed, "{method}");
            assert_eq!(came.header("x-a"), Some("q|a:q;b-c:2"), "{method}");
        }
    }

    #[test]
    fn malformed_form_yields_nothing() {
        for body in ["a=f&b=%zz", "a=f&b=%4", "a=%"] {
            let came = sent("PUT", FORM, body);
            assert_eq!(came.header("x-a"), Some("q|a:q;b-c:2"), "{body}");
        }
    }

    #[test]
    fn stripped_version_is_not_part_of_the_path() {
        let text = definition(true, "$gateway_context.path|$gateway_context.path_parts");
        let chain = chain(&text, &Settings::default());
        for (strips_version, shown) in [
            (true, "/base/a b/|base,a b,"),
            (false, "/base/v1/a b/|base,v1,a b,"),
        ] {
            let route = Route {
                listen: 6,
                version: 2,
                strips_version,
                ..Route::default()
            };
            let asked = request("GET", "/base/v1/a%20b/", &[]);
            let came = pass(exchange(asked, route, Rc::clone(&chain)), "");
            assert_eq!(came.header("x-a"), Some(shown));
        }
    }

    #[test]
    fn a_loop_without_a_path_has_none() {
        let text = definition(true, "[$gateway_context.path|$gateway_context.path_parts]");
        let chain = chain(&text, &Settings::default());
        let asked = Request {
            path: RequestPath::default(),
            ..request("GET", "/", &[])
        };
        let came = pass(exchange(asked, Route::default(), chain), "");
        assert_eq!(came.header("x-a"), Some("[|]"));
    }

    #[test]
    fn malformed_parameter_is_ignored_and_last_cookie_wins() {
        let definition = definition(
            true,
            "$gateway_context.request_data|$gateway_context.cookies_a_b",
        );
        let headers = [("Cookie", "a-b=1; c=2; a-b=\"3\"")];
        let asked = request("GET", "/x?a=%zz&b=1;c=2&d=3&=4", &headers);
        let came = send_body(&definition, asked, "");
        assert_eq!(came.header("x-a"), Some("d:3;:4|3"));
    }

    #[test]
    fn cookies_with_characters_that_are_not_allowed_are_ignored() {
        let definition = definition(true, "[$gateway_context.cookies_a]");
        for (cookie, shown) in [
            ("a=\"b c\"", "[b c]"),
            ("a=x=y,z", "[x=y,z]"),
            ("a=1; a=b\"c", "[1]"),
            ("a=\"b", "[]"),
            ("a=b\\c", "[]"),
            ("a=grün", "[]"),
        ] {
            let asked = request("GET", "/x", &[("Cookie", cookie)]);
            let came = send_body(&definition, asked, "");
            assert_eq!(came.header("x-a"), Some(shown), "{cookie}");
        }
    }

    #[test]
    fn oversized_form_yields_nothing() {
        let settings = Settings {
            max_body_bytes: 4,
            ..Settings::default()
        };
        let chain = chain(
            &definition(true, "[$tyk_context.request_data_a]"),
            &settings,
        );
        let came = run(chain, request("PATCH", "/x", &[FORM]), "a=long");
        assert_eq!(came.exchange.body, Body::TooLarge);
        assert_eq!(came.header("x-a"), Some("[]"));
    }

    #[test]
    fn body_is_read_only_if_a_field_is_referenced() {
        for (switch, text) in [(false, "$gateway_context.request_data_a"), (true, "plain")] {
            let came = send_body(
                &definition(switch, text),
                request("POST", "/x", &[FORM]),
                "a=f",
            );
            assert_eq!(came.exchange.body, Body::Streamed, "{text}");
        }
    }
}
