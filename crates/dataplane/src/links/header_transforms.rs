//! Link 31: headers of the request that are removed and added, for all paths and for some
//! (reference 3.4, *Header transform order*).

use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::rules::PatternId;
use crate::variables::{Escape, Template};
use gatewright_model::json::Value;

/// Headers that are removed and added.
#[derive(Debug, Default)]
pub struct HeaderTransforms {
    global: HeaderRule,
    rows: Vec<PathRule>,
}

/// What is removed, then what is added.
#[derive(Debug, Default)]
pub struct HeaderRule {
    /// Names in lower case.
    pub remove: Vec<String>,
    /// Names in lower case, and values.
    pub add: Vec<(String, Template)>,
}

/// A rule for a path and a method.
#[derive(Debug)]
pub struct PathRule {
    path: PatternId,
    method: String,
    rule: HeaderRule,
}

impl HeaderRule {
    /// Reads an object of names and values, and a list of names.
    #[must_use]
    pub fn read(add: Option<&Value<'_>>, remove: Option<&Value<'_>>) -> Self {
        let names = remove.map(Value::items).unwrap_or_default();
        let names = names.iter().filter_map(Value::as_str);
        let values = add.map(Value::members).unwrap_or_default();
        let values = values.iter().filter_map(|member| {
            let value = Template::parse(member.value.as_str()?);
            Some((member.name.to_ascii_lowercase(), value))
        });
        Self {
            remove: names.map(str::to_ascii_lowercase).collect(),
            add: values.collect(),
        }
    }

    /// True if it changes nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.add.is_empty()
    }

    /// The values it adds; `None` if one of them has a line break.
    fn apply(&self, exchange: &mut Exchange) -> Result<(), Failure> {
        for name in &self.remove {
            exchange.remove_header(name);
        }
        for (name, value) in &self.add {
            let value = exchange.fill(value, Escape::None);
            if value.contains(['\r', '\n', '\0']) {
                return Err(Failure::Upstream);
            }
            // The length is the platform's to say.
            if name != "content-length" {
                exchange.set_header(name, &value);
            }
        }
        Ok(())
    }
}

/// The rules of a list of `extended_paths` that change headers, in their order. Rows without a method
/// match nothing.
pub fn path_rules(from: &mut Compiler<'_>, list: &str) -> Vec<PathRule> {
    let rows = from.rows(list).into_iter();
    let rules = rows.map(|row| PathRule {
        path: from.path(row.path()),
        method: row.method().to_owned(),
        rule: HeaderRule::read(
            row.value.get("add_headers"),
            row.value.get("delete_headers"),
        ),
    });
    let rules: Vec<PathRule> = rules.collect();
    if !rules.is_empty() {
        let pointer = from.list_pointer(list);
        from.origin(pointer, crate::chain::counted(rules.len(), "rule"));
    }
    rules
}

/// The first rule for the path and method that were asked for.
pub fn first_match<'r>(rules: &'r [PathRule], exchange: &mut Exchange) -> Option<&'r HeaderRule> {
    let mut fits =
        |rule: &&PathRule| rule.method == exchange.request.method && exchange.is_match(rule.path);
    rules
        .iter()
        .find(|rule| fits(rule))
        .map(|found| &found.rule)
}

/// The rule for all paths of a version, unless it is switched off; `add` and `remove` are its members.
pub fn global_rule(from: &mut Compiler<'_>, add: &str, remove: &str, disabled: &str) -> HeaderRule {
    if from.version_switch(disabled) {
        return HeaderRule::default();
    }
    let [added, removed] = [add, remove].map(|name| from.of_version(name));
    let rule = HeaderRule::read(
        added.as_ref().map(|(value, _)| *value),
        removed.as_ref().map(|(value, _)| *value),
    );
    for ((_, pointer), count) in [(added, rule.add.len()), (removed, rule.remove.len())]
        .into_iter()
        .filter_map(|(found, count)| Some((found?, count)))
        .filter(|(_, count)| *count > 0)
    {
        from.origin(pointer, crate::chain::counted(count, "header"));
    }
    rule
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
        let row = first_match(&self.rows, exchange);
        for rule in [Some(&self.global), row].into_iter().flatten() {
            if let Err(failure) = rule.apply(exchange) {
                return Step::Reply(Reply::from(failure));
            }
        }
        Step::Next
    }
}

#[cfg(test)]
mod tests {
    use crate::testing::{Sent, send};

    const DEFINITION: &str = r#"{"enable_context_vars":true,"version_data":{"versions":{"v":{"use_extended_paths":true,
        "global_headers":{"X-Global":"g","X-Both":"global","X-In":"[$gateway_context.headers_X_In]"},
        "global_headers_remove":["x-gone"],
        "extended_paths":{"transform_headers":[
            {"path":"/one","method":"GET","add_headers":{"X-Both":"path","X-Pad":"  p  "},"delete_headers":["X-Global"]},
            {"path":"/one","method":"GET","add_headers":{"X-Second":"2"}},
            {"path":"/break","method":"GET","add_headers":{"X-Broken":"$gateway_context.request_data_v"}},
            {"path":"/none","add_headers":{"X-No-Method":"1"}},
            {"path":"/off","method":"GET","disabled":true,"add_headers":{"X-Off":"1"}}]}}}}}"#;

    fn sent(path: &str) -> Sent {
        send(DEFINITION, "GET", path, &[("x-gone", "1"), ("x-in", "in")])
    }

    #[test]
    fn the_first_rule_of_a_path_comes_after_that_of_all() {
        let one = sent("/one");
        assert_eq!(one.header("x-both"), Some("path"));
        assert_eq!(one.header("x-pad"), Some("p"));
        assert_eq!(one.header("x-in"), Some("[in]"));
        assert!(one.removes("x-gone") && one.removes("x-global"));
        assert_eq!(one.header("x-second"), None);
        assert_eq!(sent("/none").header("x-no-method"), None);
        assert_eq!(sent("/off").header("x-off"), None);
        assert_eq!(sent("/two").header("x-both"), Some("global"));
    }

    #[test]
    fn a_line_break_in_a_value_fails() {
        let refused = sent("/break?v=a%0d%0ab");
        assert_eq!(refused.status(), Some(500));
    }
}
