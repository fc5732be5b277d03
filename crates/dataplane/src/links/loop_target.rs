//! Link 40: requests that end at the chain of an API instead of an upstream: `target_url` is `gateway://<id>/`, or a
//! rewrite says so (reference 3.12).

use super::url_rewrites;
use crate::chain::{Compiler, Loop, Middleware, Step};
use crate::exchange::{Exchange, Target};
use crate::failure::Failure;
use crate::loops;
use crate::versions::is_unversioned;

/// Loops in place of the upstream.
#[derive(Debug)]
pub struct LoopTarget {
    /// The API that `target_url` names; a path there is ignored.
    api: Option<String>,
    strips_listen: bool,
}

/// The address used in place of the target, with its location.
fn target<'d>(from: &Compiler<'d>) -> Option<(&'d str, String)> {
    let of_version = from.of_version("override_target");
    let of_version = of_version.filter(|_| !is_unversioned(from.definition));
    if let Some((value, pointer)) = of_version {
        let text = value.as_str().filter(|text| !text.is_empty());
        if let Some(text) = text {
            return Some((text, pointer));
        }
    }
    let proxy = from.definition.get("proxy")?;
    if proxy.bool("enable_load_balancing") == Some(true) {
        return None;
    }
    let target = proxy.str("target_url")?;
    Some((target, "/proxy/target_url".to_owned()))
}

impl Middleware for LoopTarget {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let found = target(from);
        let found = found.and_then(|(url, at)| Some((loops::behind_scheme(url)?, at)));
        let api = found.map(|(rest, pointer)| {
            let api = rest.split(['/', '?']).next().unwrap_or_default();
            from.origin(pointer, format!("gateway://{api}"));
            api.to_owned()
        });
        if url_rewrites::loops(from) {
            from.origin(from.list_pointer(url_rewrites::LIST), "");
        } else if api.is_none() {
            return None;
        }
        let proxy = from.definition.get("proxy");
        let strips_listen = proxy.and_then(|proxy| proxy.bool("strip_listen_path"));
        Some(Self {
            api,
            strips_listen: strips_listen.unwrap_or_default(),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let to = match (&exchange.target, &self.api) {
            (Target::Loop(to), _) => Ok(Loop::clone(to)),
            (Target::Absolute(_), _) | (_, None) => return Step::Next,
            (Target::Asked, Some(api)) => {
                let path = exchange.asked_path(self.strips_listen);
                loop_to(api, &path, exchange.asked_query())
            }
            (Target::Path { path, query }, Some(api)) => loop_to(api, path, query),
        };
        match to {
            Ok(mut to) => {
                to.method = to.method.or_else(|| exchange.method.clone());
                exchange.note(|| format!("The request goes on at {}", to.address()));
                Step::Loop(to)
            }
            Err(failure) => Step::Reply(failure.into()),
        }
    }
}

/// A loop to an API instead of the upstream.
fn loop_to(api: &str, path: &str, query: &str) -> Result<Loop, Failure> {
    Ok(Loop {
        api: api.to_owned(),
        path: loops::path(path)?,
        query: query.to_owned(),
        is_target: true,
        missing: Failure::Target,
        ..Loop::default()
    })
}

#[cfg(test)]
mod tests {
    use crate::chain::{Loop, Settings};
    use crate::exchange::Route;
    use crate::failure::Failure;
    use crate::testing::{End, Sent, chain, pass, request};

    fn sent(target: &str, rest: &str, path: &str) -> Sent {
        let definition = format!(
            r#"{{"proxy":{{"target_url":"{target}","strip_listen_path":true}},
                "version_data":{{"not_versioned":true,"versions":{{"v":{{"use_extended_paths":true,{rest}"name":"v"}}}}}}}}"#
        );
        let route = Route {
            listen: 6,
            ..Route::default()
        };
        let chain = chain(&definition, &Settings::default());
        pass(
            crate::testing::exchange(request("GET", path, &[]), route, chain),
            "",
        )
    }

    fn to(path: &str, query: &str) -> End {
        End::Loop(Loop {
            api: "in ner".into(),
            path: path.into(),
            query: query.into(),
            is_target: true,
            missing: Failure::Target,
            ..Loop::default()
        })
    }

    #[test]
    fn path_and_query_are_passed_on() {
        for (target, path, end) in [
            (
                "gateway://in ner/",
                "/base/get?a=1&method=PUT",
                to("/get", "a=1&method=PUT"),
            ),
            (
                "gateway://in ner/prefix/?x=1",
                "/base/a%2Fb",
                to("/a%2Fb", ""),
            ),
            ("tyk://in ner", "/base/", to("/", "")),
            ("http://up/", "/base/", End::Sent),
        ] {
            assert_eq!(sent(target, "", path).end, end, "{target}");
        }
    }

    #[test]
    fn rewritten_path_is_passed_on_unless_absolute() {
        let rules = r#""extended_paths":{"url_rewrites":[
            {"path":"/old","method":"GET","match_pattern":"/old/(.*)","rewrite_to":"/new//$1"},
            {"path":"/out","method":"GET","match_pattern":"/out","rewrite_to":"http://up/x"},
            {"path":"/self","method":"GET","match_pattern":"/self","rewrite_to":"gateway://self/x"}],
            "method_transforms":[{"path":"/self","method":"GET","to_method":"POST"}]},"#;
        let end = |path| sent("gateway://in ner/", rules, path).end;
        assert_eq!(end("/base/old/7?x=1"), to("/new/7", "x=1"));
        assert_eq!(end("/base/out"), End::Sent);
        let own = Loop {
            path: "/x".into(),
            ..Loop::default()
        };
        assert!(
            matches!(end("/base/self"), End::Loop(to) if to.path == own.path && to.api == own.api)
        );
    }

    #[test]
    fn the_target_of_a_version_is_used_if_there_are_versions() {
        let overriding = r#""override_target":"gateway://other/","#;
        assert_eq!(
            sent("gateway://in ner/", overriding, "/base/x").end,
            to("/x", "")
        );
        let definition = r#"{"definition":{"location":"header","key":"v"},"version_data":{"versions":{
            "a":{"override_target":"gateway://other/"},"b":{}}},"proxy":{"target_url":"http://up/"}}"#;
        let exchange = crate::testing::exchange(
            request("GET", "/x", &[]),
            Route::default(),
            chain(definition, &Settings::default()),
        );
        assert!(matches!(pass(exchange, "").end, End::Loop(to) if to.api == "other"));
    }
}
