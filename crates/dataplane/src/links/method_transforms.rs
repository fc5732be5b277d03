//! Link 33: changes the method of requests (reference 3.2 and 3.4, *Method transform*).

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::rules::PatternId;

/// The list of its rules in `extended_paths`.
const LIST: &str = "method_transforms";

/// The methods that requests can be changed to.
const METHODS: [&str; 6] = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Rules that change methods.
#[derive(Debug)]
pub struct MethodTransforms {
    rows: Vec<Row>,
}

/// A rule for a path and a method.
#[derive(Debug)]
struct Row {
    path: PatternId,
    method: String,
    /// The new method; `None` if it is not permitted, and the request is refused.
    to: Option<&'static str>,
}

impl Middleware for MethodTransforms {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let rows = from.rows(LIST).into_iter().map(|row| {
            let to = row.value.str("to_method").unwrap_or_default();
            let named = |method: &&'static str| method.eq_ignore_ascii_case(to);
            Row {
                path: from.path(row.path()),
                method: row.method().to_owned(),
                to: METHODS.into_iter().find(|method| named(method)),
            }
        });
        let rows: Vec<Row> = rows.collect();
        from.origin_of_rules(LIST, rows.len());
        (!rows.is_empty()).then_some(Self { rows })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let mut fits =
            |row: &&Row| row.method == exchange.request.method && exchange.is_match(row.path);
        let Some(row) = self.rows.iter().find(|row| fits(row)) else {
            return Step::Next;
        };
        match row.to {
            Some(method) => {
                exchange.set_method(method);
                Step::Next
            }
            None => {
                exchange.note(|| format!("to_method is none of {}", METHODS.join(", ")));
                Step::Reply(Reply::from(Failure::MethodNotAllowed))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{End, send};

    const DEFINITION: &str = r#"{"version_data":{"versions":{"v":{"use_extended_paths":true,"extended_paths":{
        "method_transforms":[
            {"path":"/search","method":"GET","to_method":"post"},
            {"path":"/search","method":"GET","to_method":"PUT"},
            {"path":"/head","method":"GET","to_method":"HEAD"},
            {"path":"/ask","method":"POST","to_method":"Options"},
            {"path":"/empty","method":"GET"},
            {"path":"/off","method":"GET","to_method":"PUT","disabled":true},
            {"path":"/every","to_method":"PUT"}]}}}}}"#;

    #[test]
    fn the_first_rule_gives_the_method_in_capitals() {
        for (method, path, sent) in [
            ("GET", "/search?q=1", "POST"),
            ("get", "/search", "get"),
            ("DELETE", "/search", "DELETE"),
            ("POST", "/ask", "OPTIONS"),
            ("GET", "/off", "GET"),
            ("GET", "/every", "GET"),
        ] {
            let came = send(DEFINITION, method, path, &[]);
            assert_eq!(came.end, End::Sent, "{path}");
            assert_eq!(came.exchange.sent_method(), sent, "{method} {path}");
        }
    }

    #[test]
    fn invalid_method_is_refused() {
        for path in ["/head", "/empty"] {
            assert_eq!(send(DEFINITION, "GET", path, &[]).status(), Some(405));
            assert_eq!(send(DEFINITION, "POST", path, &[]).end, End::Sent);
        }
    }
}
