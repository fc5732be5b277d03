//! Service discovery: where the response of a service registry lists the upstreams (`ServiceDiscoveryConfiguration`).
//! Members of the response are named by dotted paths.

use gatewright_model::json::{Kind, Value, parse};

/// How long a response is used if the definition doesn't say, in seconds.
const CACHE_SECONDS: u64 = 120;
/// The most addresses used from one response.
const MOST: usize = 1000;

/// How a service registry is called, and how its response is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Discovery {
    /// The URL of the registry.
    pub endpoint: String,
    /// Whether the response has a list of upstreams, which are used in turn.
    pub uses_list: bool,
    /// How long a response is used, in milliseconds; 0 means for one request.
    pub cache_ms: u64,
    returns_list: bool,
    is_nested: bool,
    parent_path: String,
    data_path: String,
    port_path: String,
    target_path: String,
}

impl Discovery {
    /// Reads `service_discovery`; `None` if it is off or names no registry.
    #[must_use]
    pub fn read(settings: Option<&Value<'_>>) -> Option<Self> {
        let settings = settings?;
        let is_on = |name: &str| settings.bool(name) == Some(true);
        let text = |name: &str| settings.str(name).unwrap_or_default().trim().to_owned();
        let endpoint = text("query_endpoint");
        if !is_on("use_discovery_service") || endpoint.is_empty() {
            return None;
        }
        let seconds = settings.int("cache_timeout").unwrap_or_default();
        let seconds = u64::try_from(seconds).ok().filter(|seconds| *seconds > 0);
        let cache_ms = seconds.unwrap_or(CACHE_SECONDS).saturating_mul(1000);
        Some(Self {
            endpoint,
            uses_list: is_on("use_target_list"),
            cache_ms: if is_on("cache_disabled") { 0 } else { cache_ms },
            returns_list: is_on("endpoint_returns_list"),
            is_nested: is_on("use_nested_query"),
            parent_path: text("parent_data_path"),
            data_path: text("data_path"),
            port_path: text("port_data_path"),
            target_path: text("target_path"),
        })
    }

    /// Returns the absolute addresses of upstreams in a response; empty where it lacks the expected members.
    #[must_use]
    pub fn addresses(&self, answer: &str) -> Vec<String> {
        let mut found = Vec::new();
        if let Ok(answer) = parse(answer) {
            self.each(&answer, &mut |item| found.extend(self.address(item)));
        }
        found.truncate(if self.uses_list { MOST } else { 1 });
        found
    }

    /// Returns the value at `data_path` as text: the uptime tests of upstreams, a list in JSON.
    #[must_use]
    pub fn text(&self, answer: &str) -> Option<String> {
        let parsed = parse(answer).ok()?;
        let mut found = None;
        self.each(&parsed, &mut |item| {
            let value = at(item, &self.data_path).filter(|_| found.is_none());
            found = found.take().or_else(|| {
                let value = value?;
                match value.as_str() {
                    Some(text) => Some(text.to_owned()),
                    // A value inside the nested JSON text has no span in the response.
                    None if self.is_nested => None,
                    None => Some(value.span.of(answer).to_owned()),
                }
            });
        });
        found
    }

    /// Calls `take` with every part of a response that describes an upstream.
    fn each(&self, answer: &Value<'_>, take: &mut dyn FnMut(&Value<'_>)) {
        if self.returns_list {
            for item in answer.items() {
                self.nested(item, take);
            }
        } else if self.uses_list && !self.is_nested && !self.parent_path.is_empty() {
            if let Some(list) = at(answer, &self.parent_path) {
                children(list, take);
            }
        } else {
            self.nested(answer, take);
        }
    }

    /// Like [`Self::each`], for a part whose upstreams may be in a nested JSON text.
    fn nested(&self, item: &Value<'_>, take: &mut dyn FnMut(&Value<'_>)) {
        if !self.is_nested {
            return take(item);
        }
        let parent = at(item, &self.parent_path);
        let text = parent.and_then(Value::as_str);
        let Some(Ok(inner)) = text.map(parse) else {
            return;
        };
        match &inner.kind {
            Kind::Array(items) => items.iter().for_each(take),
            _ => take(&inner),
        }
    }

    fn address(&self, item: &Value<'_>) -> Option<String> {
        let host = at(item, &self.data_path)?;
        let host = first(host).as_str()?.trim();
        if host.is_empty() {
            return None;
        }
        let (scheme, host) = host.split_once("://").unwrap_or(("http", host));
        // An IPv6 address without brackets (RFC 3986 section 3.2.2).
        let is_bare = host.matches(':').count() > 1 && !host.contains(['[', '/']);
        let mut address = match is_bare {
            true => format!("{scheme}://[{host}]"),
            false => format!("{scheme}://{host}"),
        };
        if !self.port_path.is_empty() {
            let port = at(item, &self.port_path)?;
            let port = match &first(port).kind {
                Kind::String(text) => text.trim().to_owned(),
                Kind::Number(text) => (*text).to_owned(),
                _ => return None,
            };
            let is_port = port.parse::<u16>().is_ok_and(|port| port > 0);
            if !is_port {
                return None;
            }
            address.truncate(address.trim_end_matches('/').len());
            address.push(':');
            address.push_str(&port);
        }
        if !self.target_path.is_empty() {
            address.truncate(address.trim_end_matches('/').len());
            address.push('/');
            address.push_str(self.target_path.trim_start_matches('/'));
        }
        Some(address)
    }
}

/// Returns the first element of a list, or any other value itself.
fn first<'v, 'a>(value: &'v Value<'a>) -> &'v Value<'a> {
    value.items().first().unwrap_or(value)
}

/// Calls `take` with the elements of a list or the members of an object.
fn children(value: &Value<'_>, take: &mut dyn FnMut(&Value<'_>)) {
    value.items().iter().for_each(&mut *take);
    for member in value.members() {
        take(&member.value);
    }
}

/// Returns the value at a path. In a list on the way, a number selects that element; otherwise the first element that
/// has the rest of the path is used.
fn at<'v, 'a>(value: &'v Value<'a>, path: &str) -> Option<&'v Value<'a>> {
    if path.is_empty() {
        return Some(value);
    }
    // A member whose own name contains dots.
    if let Some(found) = value.get(path) {
        return Some(found);
    }
    let (name, rest) = path.split_once('.').unwrap_or((path, ""));
    let items = value.items();
    if items.is_empty() {
        return at(value.get(name)?, rest);
    }
    let numbered = name
        .parse::<usize>()
        .ok()
        .and_then(|number| items.get(number));
    match numbered {
        Some(item) => at(item, rest),
        None => items.iter().find_map(|item| at(item, path)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(members: &str) -> Discovery {
        let text =
            format!(r#"{{"use_discovery_service":true,"query_endpoint":"http://r/",{members}}}"#);
        Discovery::read(Some(&parse(&text).unwrap())).unwrap()
    }

    fn addresses(members: &str, answer: &str) -> Vec<String> {
        read(members).addresses(answer)
    }

    #[test]
    fn an_answer_of_etcd_has_one_address_or_json_in_a_text() {
        let single =
            r#"{"action":"get","node":{"key":"/s","value":"http://one:6000","modifiedIndex":6}}"#;
        assert_eq!(
            addresses(r#""data_path":"node.value""#, single),
            ["http://one:6000"]
        );
        let nested = r#"{"node":{"value":"{\"hostname\": \"one\", \"port\": \"80\"}"}}"#;
        let paths = r#""use_nested_query":true,"parent_data_path":"node.value","data_path":"hostname","port_data_path":"port""#;
        assert_eq!(addresses(paths, nested), ["http://one:80"]);
        let list = r#"{"node":{"value":"[{\"hostname\":\"http://one/\",\"port\":81},{\"hostname\":\"two\",\"port\":[82]},{\"port\":1}]"}}"#;
        let all = format!(r#"{paths},"use_target_list":true,"target_path":"/v2""#);
        assert_eq!(
            addresses(&all, list),
            ["http://one:81/v2", "http://two:82/v2"]
        );
        assert_eq!(addresses(paths, list), ["http://one:81"]);
        // The nested text of each element of a list.
        let each = r#"{"nodes":[{"value":"{\"hostname\":\"one\"}"}]}"#;
        let of_nodes =
            r#""use_nested_query":true,"parent_data_path":"nodes.value","data_path":"hostname""#;
        assert_eq!(addresses(of_nodes, each), ["http://one"]);
    }

    #[test]
    fn an_answer_of_consul_is_a_list() {
        let answer = r#"[{"Node":"a","Address":"10.0.0.1","ServicePort":8080},{"Address":"::1","ServicePort":8081},
            {"Address":"10.0.0.3"},{"Address":"10.0.0.4","ServicePort":70000}]"#;
        let paths =
            r#""endpoint_returns_list":true,"data_path":"Address","port_data_path":"ServicePort""#;
        assert_eq!(addresses(paths, answer), ["http://10.0.0.1:8080"]);
        let all = format!(r#"{paths},"use_target_list":true"#);
        assert_eq!(
            addresses(&all, answer),
            ["http://10.0.0.1:8080", "http://[::1]:8081"]
        );
    }

    #[test]
    fn an_answer_of_eureka_has_a_list_inside() {
        let answer = r#"{"application":{"name":"A","instance":[
            {"hostName":"one","port":{"$":"8080","@enabled":"true"}},{"hostName":"two","port":{"$":8081}}]}}"#;
        let paths = r#""use_target_list":true,"parent_data_path":"application.instance","data_path":"hostName","port_data_path":"port.$""#;
        assert_eq!(
            addresses(paths, answer),
            ["http://one:8080", "http://two:8081"]
        );
        // The members of an object are treated as a list, too.
        let object = r#"{"hosts":{"a":{"h":"https://one"},"b":{"h":"two"}}}"#;
        let of_object = r#""use_target_list":true,"parent_data_path":"hosts","data_path":"h""#;
        assert_eq!(addresses(of_object, object), ["https://one", "http://two"]);
    }

    #[test]
    fn missing_members_give_no_address() {
        for answer in [
            "",
            "null",
            "[]",
            "{}",
            r#"{"a":1}"#,
            r#"{"a":{"b":""}}"#,
            "{",
        ] {
            assert!(
                addresses(r#""data_path":"a.b""#, answer).is_empty(),
                "{answer}"
            );
        }
        assert_eq!(
            addresses(r#""data_path":"a.1""#, r#"{"a":["x","y"]}"#),
            ["http://y"]
        );
        assert_eq!(
            addresses(r#""data_path":"a.b""#, r#"{"a.b":"x"}"#),
            ["http://x"]
        );
    }

    #[test]
    fn tests_of_upstreams_are_a_text_or_json() {
        let tests = r#"[{"url":"http://one"}]"#;
        let quoted = gatewright_model::json::quote(tests);
        let of_data = read(r#""data_path":"d""#);
        assert_eq!(
            of_data.text(&format!(r#"{{"d":{quoted}}}"#)).as_deref(),
            Some(tests)
        );
        assert_eq!(
            of_data.text(&format!(r#"{{"d":{tests}}}"#)).as_deref(),
            Some(tests)
        );
        assert_eq!(of_data.text("{}"), None);
        assert_eq!(
            read(r#""data_path":"""#).text(tests).as_deref(),
            Some(tests)
        );
    }

    #[test]
    fn it_is_off_without_a_switch_or_an_address() {
        for off in [
            "null",
            "{}",
            r#"{"use_discovery_service":true,"query_endpoint":" "}"#,
            r#"{"query_endpoint":"http://r"}"#,
        ] {
            assert_eq!(Discovery::read(Some(&parse(off).unwrap())), None, "{off}");
        }
        assert_eq!(Discovery::read(None), None);
        let cache = |members: &str| read(members).cache_ms;
        assert_eq!(cache(r#""cache_timeout":5"#), 5000);
        assert_eq!(cache(r#""cache_timeout":0"#), 120_000);
        assert_eq!(cache(r#""cache_timeout":5,"cache_disabled":true"#), 0);
    }
}
