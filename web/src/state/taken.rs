//! Whether another API is already served where a draft would be. Plain values.
//!
//! The gateway has the last word: it also knows routes that are the same in another spelling.

use gatewright_model::definition::ApiDefinition;
use gatewright_model::json::{LineIndex, Value, parse};
use gatewright_model::openapi::stored;
use gatewright_model::{Issue, IssueCode, Severity};

use crate::api::Summary;

/// The pointer of the listen path in a definition.
pub const LISTEN_PATH: &str = "/proxy/listen_path";

/// Where a definition would be served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    id: String,
    domain: String,
    /// The listen path.
    pub path: String,
}

impl Route {
    /// Reads it from the definition of the API with this id; `None` if it is not served publicly, or is not JSON.
    #[must_use]
    pub fn of(text: &str, id: Option<String>) -> Option<Self> {
        let api = ApiDefinition::read(&parse(text).ok()?);
        let public = api.active && !api.internal && !api.proxy.listen_path.is_empty();
        public.then(|| Self {
            id: id.unwrap_or(api.api_id),
            domain: api.domain,
            path: api.proxy.listen_path,
        })
    }

    /// Reads it from the document of the OpenAPI API or MCP proxy with this id, under the same conditions.
    #[must_use]
    pub fn of_document(text: &str, id: Option<String>) -> Option<Self> {
        let document = parse(text).ok()?;
        let (_, extension) = stored::extension(&document)?;
        let (state, server) = (extension.pointer("/info/state"), extension.get("server")?);
        let is = |name| state.and_then(|state| state.bool(name)) == Some(true);
        let at = |value: &Value<'_>, name| value.str(name).unwrap_or_default().to_owned();
        let path = at(server.get("listenPath")?, "value");
        let domain = server.get("customDomain");
        let domain = domain.filter(|domain| domain.bool("enabled") != Some(false));
        // Other spellings of the host and the path are left to the gateway.
        let domain = domain.map(|domain| at(domain, "name").to_ascii_lowercase());
        let public = is("active") && !is("internal") && !path.is_empty();
        public.then(|| Self {
            id: id.unwrap_or_default(),
            domain: domain.unwrap_or_default(),
            path,
        })
    }

    /// Returns it as one text: pages have memos of texts already, and each further kind of memo makes them larger.
    #[must_use]
    pub fn key(&self) -> String {
        [&*self.id, &self.domain, &self.path].join("\n")
    }

    /// Reads it from its text.
    #[must_use]
    pub fn of_key(key: &str) -> Option<Self> {
        let mut parts = key.splitn(3, '\n').map(str::to_owned);
        let mut next = || parts.next();
        Some(Self {
            id: next()?,
            domain: next()?,
            path: next()?,
        })
    }

    /// Returns the other API that is served there.
    #[must_use]
    pub fn owner(&self, apis: Vec<Summary>) -> Option<Summary> {
        let has = |api: &Summary| {
            !["inactive", "internal", "deleted"].contains(&&*api.state)
                && api.api_id != self.id
                && api.domain == self.domain
                && api.listen_path == self.path
        };
        apis.into_iter().find(has)
    }
}

/// Returns the problem at the listen path of a text, which is at this pointer.
#[must_use]
pub fn problem(text: &str, pointer: &str, owner: &Summary) -> Option<Issue> {
    let value = parse(text).ok()?;
    let span = value.pointer(pointer)?.span;
    let lines = LineIndex::new(text);
    Some(Issue {
        pointer: pointer.to_owned(),
        code: IssueCode::Conflict,
        severity: Severity::Error,
        message: format!(
            "the API \"{}\" is served under this listen path; change one of them, or make one inactive or internal",
            owner.title()
        ),
        start: lines.position(span.start),
        end: lines.position(span.end),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    const MINE: &str = r#"{"api_id":"mine","domain":"A.example","proxy":{"listen_path":"/a//b/"}}"#;

    fn api(id: &str, state: &str) -> Summary {
        Summary {
            api_id: id.to_owned(),
            domain: "a.example".to_owned(),
            listen_path: "/a/b/".to_owned(),
            state: state.to_owned(),
            ..Summary::default()
        }
    }

    fn owner(text: &str, apis: &[Summary]) -> Option<String> {
        let owner = Route::of(text, None)?.owner(apis.to_vec())?;
        Some(owner.api_id)
    }

    #[test]
    fn a_route_belongs_to_the_other_public_api_with_its_host_and_path() {
        let theirs = api("theirs", "pending");
        let elsewhere = Summary {
            listen_path: "/a/".to_owned(),
            ..theirs.clone()
        };
        let any_host = Summary {
            domain: String::new(),
            ..theirs.clone()
        };
        let others = [elsewhere, any_host, api("mine", "live")];
        assert_eq!(owner(MINE, &others), None);
        for state in ["inactive", "internal", "deleted"] {
            assert_eq!(owner(MINE, &[api("theirs", state)]), None);
        }
        let mut all = others.to_vec();
        all.push(theirs);
        assert_eq!(owner(MINE, &all).as_deref(), Some("theirs"));
        for hidden in [r#"{"active":false,"#, r#"{"internal":true,"#] {
            assert_eq!(owner(&MINE.replacen('{', hidden, 1), &all), None);
        }
        assert_eq!(owner("{", &all), None);
    }

    #[test]
    fn a_document_is_served_under_the_same_conditions() {
        let document = |state: &str, domain: &str| {
            format!(
                r#"{{"x-gateway-api-gateway":{{"info":{{"state":{state}}},"server":{{"listenPath":{{"value":"/a/b/"}},"customDomain":{domain}}}}}}}"#
            )
        };
        let owner = |text: &str| {
            let route = Route::of_document(text, Some("mine".to_owned()))?;
            assert_eq!(Route::of_key(&route.key()).as_ref(), Some(&route));
            route.owner(vec![api("mine", "live"), api("theirs", "live")])
        };
        let (active, host) = (
            r#"{"active":true}"#,
            r#"{"enabled":true,"name":"A.example"}"#,
        );
        let text = document(active, host);
        assert_eq!(owner(&text).unwrap().api_id, "theirs");
        let reference = text.replace("x-gateway-api-gateway", "x-tyk-api-gateway");
        assert_eq!(owner(&reference).unwrap().api_id, "theirs");
        for state in ["{}", r#"{"active":true,"internal":true}"#] {
            assert_eq!(owner(&document(state, host)), None);
        }
        let off = r#"{"enabled":false,"name":"A.example"}"#;
        assert_eq!(owner(&document(active, off)), None);
        assert_eq!(owner("{}"), None);
    }

    #[test]
    fn the_problem_is_at_the_listen_path() {
        let issue = problem(MINE, LISTEN_PATH, &api("theirs", "live")).unwrap();
        assert_eq!((issue.start.line, issue.pointer.as_str()), (1, LISTEN_PATH));
        assert!(issue.is_error() && issue.message.starts_with("the API \"theirs\" is served"));
        let before = MINE.split("\"/a//b/\"").next().unwrap_or_default();
        let column = usize::try_from(issue.start.column).unwrap();
        assert_eq!(column.checked_sub(1), Some(before.len()));
    }
}
