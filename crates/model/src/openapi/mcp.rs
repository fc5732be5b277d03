//! Compiles a document's rules for the tools, resources and prompts of an MCP server.
//!
//! The rules of a primitive become entries of the ordinary lists for paths, under a path that no request can have
//! ([`mcp::path`]), so each rule is interpreted in only one way. Access to the primitive, and the methods that have
//! rules of their own, are in `openapi.mcp` ([`mcp::Lists`]), because there names are compared.

use super::operations::Operation;
use super::tree::Tree;
use super::{DocumentKind, Importer};
use crate::json::Value;
use crate::json::pointer::Path;
use crate::mcp::{self, Category};

/// The members of the middleware that hold primitives.
const PRIMITIVES: [(&str, Category); 3] = [
    ("mcpTools", Category::Tool),
    ("mcpResources", Category::Resource),
    ("mcpPrompts", Category::Prompt),
];

/// Rules about access to a primitive, and their names in its entry.
const ACCESS: [(&str, &str); 3] = [
    ("allow", "allow"),
    ("block", "block"),
    ("ignoreAuthentication", "open"),
];

/// Rules that only operations have. On a primitive they do nothing, as in the reference.
const WITHOUT_EFFECT: [&str; 7] = [
    "cache",
    "internal",
    "mockResponse",
    "transformRequestMethod",
    "transformResponseBody",
    "urlRewrite",
    "validateRequest",
];

impl Importer<'_, '_> {
    /// Compiles everything that only an MCP proxy has.
    pub(super) fn primitives_of_mcp(&mut self) {
        if self.kind != Some(DocumentKind::Mcp) {
            return;
        }
        let middleware = self
            .extension
            .and_then(|(name, extension)| Some((name, extension.get("middleware")?)));
        if let Some((name, middleware)) = middleware {
            let root = Path::Root;
            let root = root.member(name);
            let root = root.member("middleware");
            for (member, category) in PRIMITIVES {
                if let Some(primitives) = middleware.get(member) {
                    self.primitives_of(category, primitives, &root.member(member));
                }
            }
        }
        let methods = self.operations().into_iter();
        let methods = methods.filter(|operation| operation.method == "POST");
        let methods: Vec<Tree> = methods
            .map(|operation| Tree::text(operation.path))
            .collect();
        if !methods.is_empty() {
            self.tree
                .set_in(&["openapi", "mcp", "methods"], Tree::Array(methods));
        }
    }

    fn primitives_of(&mut self, category: Category, primitives: &Value<'_>, path: &Path<'_>) {
        for primitive in primitives.members() {
            let name = &*primitive.name;
            let path = path.member(name);
            let rule_path = format!("^{}$", mcp::path(category, name));
            let operation = Operation {
                path: &rule_path,
                method: "POST".to_owned(),
                value: &primitive.value,
                pointer: path.pointer(),
            };
            let mut entry = vec![("name".to_owned(), Tree::text(name))];
            for rule in primitive.value.members() {
                let path = path.member(&rule.name);
                let access = ACCESS.iter().find(|(known, _)| *known == rule.name);
                match access {
                    Some((_, flag)) if rule.value.bool("enabled") == Some(true) => {
                        entry.push(((*flag).to_owned(), Tree::raw("true")));
                    }
                    Some(_) => {}
                    None if WITHOUT_EFFECT.contains(&&*rule.name) => {}
                    None if rule.name == "security" && !rule.value.items().is_empty() => {
                        self.left_out(path.pointer(), "who may use it isn't carried over");
                    }
                    None => self.operation_rule(&operation, &rule.name, &rule.value, &path),
                }
            }
            let list = ["openapi", "mcp", category.plural()];
            self.tree.push_in(&list, Tree::Object(entry));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::definition::{Allowed, unservable};
    use crate::json::parse;
    use crate::mcp::{Category, Lists};
    use crate::openapi::{DocumentKind, compile};

    fn compiled(paths: &str, middleware: &str) -> String {
        let text = format!(
            r#"{{"openapi":"3.0.3","info":{{"title":"t","version":"1"}},"paths":{paths},"x-gateway-api-gateway":{{
            "info":{{"id":"i","name":"n","state":{{"active":true}}}},"upstream":{{"url":"http://a.example/mcp"}},
            "server":{{"listenPath":{{"value":"/n/","strip":true}}}},"middleware":{middleware}}}}}"#
        );
        compile(&text, DocumentKind::Mcp).unwrap()
    }

    fn at(definition: &str, pointer: &str) -> String {
        let value = parse(definition).unwrap();
        let found = value.pointer(pointer);
        found.map_or_else(String::new, |value| value.span.of(definition).to_owned())
    }

    const EXTENDED: &str = "/version_data/versions/Default/extended_paths";

    #[test]
    fn rules_of_primitives_are_rules_of_paths_that_no_request_has() {
        let definition = compiled(
            r#"{"/tools/call":{"post":{"operationId":"callTool"},"get":{}}}"#,
            r#"{"operations":{"callTool":{"requestSizeLimit":{"enabled":true,"value":9}}},
                "mcpTools":{"a.b":{"requestSizeLimit":{"enabled":true,"value":5},
                    "rateLimit":{"enabled":true,"rate":2,"per":"1m"},"allow":{"enabled":true},"block":{"enabled":false}}},
                "mcpResources":{"file:///x/*":{"ignoreAuthentication":{"enabled":true}}},
                "mcpPrompts":{"p":{"block":{"enabled":true}}}}"#,
        );
        assert_eq!(
            at(&definition, "/openapi/mcp"),
            r#"{"tools":[{"name":"a.b","allow":true}],"resources":[{"name":"file:///x/*","open":true}],"prompts":[{"name":"p","block":true}],"methods":["/tools/call"]}"#
        );
        let sizes = at(&definition, &format!("{EXTENDED}/size_limits"));
        assert!(
            sizes.contains(r#"{"path":"/tools/call","method":"POST","size_limit":9}"#),
            "{sizes}"
        );
        assert!(
            sizes.contains(r#"{"path":"^/mcp-tool:a%2Eb$","method":"POST","size_limit":5}"#),
            "{sizes}"
        );
        let rates = at(&definition, &format!("{EXTENDED}/rate_limit/0"));
        assert_eq!(
            rates,
            r#"{"path":"^/mcp-tool:a%2Eb$","method":"POST","rate":2,"per":60}"#
        );
        let value = parse(&definition).unwrap();
        let lists = Lists::read(&value);
        assert!(
            lists
                .find(Category::Resource, "file:///x/y")
                .unwrap()
                .is_open
        );
        assert!(lists.restricts(Category::Tool) && lists.restricts(Category::Prompt));
    }

    #[test]
    fn messages_have_the_rules_of_an_operation_that_is_not_posted() {
        let rules = r#"{"operations":{"x":{"requestSizeLimit":{"enabled":true,"value":9}}}}"#;
        for (paths, methods, count) in [
            (
                r#"{"/tools/call":{"get":{"operationId":"x"}}}"#,
                r#"["/tools/call"]"#,
                2,
            ),
            (
                r#"{"/tools/call":{"get":{"operationId":"x"},"post":{}}}"#,
                r#"["/tools/call"]"#,
                1,
            ),
            (r#"{"/tools/call":{"get":{}}}"#, "", 0),
            (r#"{"/other":{"get":{"operationId":"x"}}}"#, "", 1),
        ] {
            let definition = compiled(paths, rules);
            assert_eq!(at(&definition, "/openapi/mcp/methods"), methods, "{paths}");
            let sizes = at(&definition, &format!("{EXTENDED}/size_limits"));
            assert_eq!(sizes.matches("size_limit").count(), count, "{sizes}");
        }
    }

    #[test]
    fn rules_that_only_operations_have_do_nothing() {
        let definition = compiled(
            "{}",
            r#"{"mcpTools":{"t":{"internal":{"enabled":true},"validateRequest":{"enabled":true},
                "cache":{"enabled":true,"timeout":9},"mockResponse":{"enabled":true,"code":200,"body":"m"},
                "transformRequestMethod":{"enabled":true,"toMethod":"GET"},"transformResponseBody":{"enabled":true,"body":"x"},
                "urlRewrite":{"enabled":true,"pattern":".*","rewriteTo":"/other"}}}}"#,
        );
        assert!(!definition.contains("mcp-tool:"), "{definition}");
    }

    #[test]
    fn unenforced_primitive_protection_prevents_serving() {
        for rule in [
            r#""security":[{"a":[]}]"#,
            r#""scopeCheck":{"enabled":true,"scopes":["a"]}"#,
            r#""virtualEndpoint":{"enabled":true,"functionName":"f","body":"x"}"#,
            r#""postPlugins":[{"enabled":true,"functionName":"f","path":"p"}]"#,
        ] {
            let middleware = format!(r#"{{"mcpTools":{{"t":{{{rule}}}}}}}"#);
            let definition = compiled("{}", &middleware);
            let value = parse(&definition).unwrap();
            let open = unservable(&definition, &value, &Allowed::NONE);
            assert!(!open.is_empty(), "{definition}");
        }
    }
}
