//! The servers of a stored document: the addresses at which the gateway serves its API, then those of the user
//! (reference 1.4).

use super::Served;
use crate::json::{Value, parse};
use crate::openapi::stored::extension;
use crate::openapi::tree::Tree;

/// Returns the servers of a document.
pub(super) fn servers(
    value: &Value<'_>,
    extended: &Value<'_>,
    text: &str,
    served: &Served<'_>,
) -> Tree {
    let base = served.base.and_then(|(base, _)| parse(base).ok());
    let base = base.as_ref().and_then(extension).zip(served.base);
    let base = base.map(|((_, base), (_, name))| (base, name));
    let addresses = addresses(extended, base, served.origin);
    let before = served.before.and_then(|before| parse(before).ok());
    let former = before.as_ref().and_then(extension);
    let former = former.map(|(_, former)| self::addresses(former, None, served.origin));
    let mut former: Vec<String> = former.iter().flatten().map(|url| plain(url).0).collect();
    // It may have been written under another host.
    let first = before
        .as_ref()
        .and_then(|before| before.pointer("/servers/0")?.str("url"));
    let path = former.get(1).cloned().unwrap_or_default();
    let first = first.filter(|first| first.ends_with(&path));
    former.extend(first.map(str::to_owned));
    let generated: Vec<String> = addresses.iter().map(|address| plain(address).0).collect();
    let is_generated = |server: &&Value<'_>| {
        let url = server.str("url").unwrap_or_default();
        let mut members = server.members().iter();
        let is_bare = members.all(|member| matches!(&*member.name, "url" | "variables"));
        is_bare && former.iter().chain(&generated).any(|known| known == url)
    };
    let users = value.get("servers").map(Value::items).unwrap_or_default();
    let users = users.iter().filter(|server| !is_generated(server));
    let users = users.map(|server| Tree::raw(server.span.of(text)));
    Tree::Array(
        addresses
            .iter()
            .map(|url| server(url))
            .chain(users)
            .collect(),
    )
}

/// Returns the server for an address. A pattern in the listen path becomes a variable.
fn server(address: &str) -> Tree {
    let (url, variables) = plain(address);
    let mut server = Tree::object();
    server.set_in(&["url"], Tree::text(&url));
    for (index, name) in variables.iter().enumerate() {
        let default = format!("pathParam{}", index.saturating_add(1));
        server.set_in(&["variables", name, "default"], Tree::text(&default));
    }
    server
}

/// Returns an address with only the names of its parameters (`{id:[0-9]+}` becomes `{id}`), and these names.
fn plain(address: &str) -> (String, Vec<String>) {
    let (mut url, mut names) = (String::new(), Vec::<String>::new());
    let (mut depth, mut is_name) = (0_usize, true);
    for letter in address.chars() {
        if letter == '}' {
            depth = depth.saturating_sub(1);
        }
        is_name = depth == 0 || (is_name && letter != ':');
        if is_name {
            url.push(letter);
        }
        match names.last_mut().filter(|_| is_name && depth > 0) {
            Some(name) => name.push(letter),
            None if letter == '{' && depth == 0 => names.push(String::new()),
            None => {}
        }
        if letter == '{' {
            depth = depth.saturating_add(1);
        }
    }
    (url, names)
}

/// Returns the listen path without its trailing slash.
fn listen_path<'v>(extension: &'v Value<'_>) -> &'v str {
    let path = extension
        .pointer("/server/listenPath/value")
        .and_then(Value::as_str);
    match path.unwrap_or_default() {
        "/" => "/",
        path => path.strip_suffix('/').unwrap_or(path),
    }
}

/// Returns the addresses of an API: with its host, and each path alone unless it has a host of its own.
fn addresses(extension: &Value<'_>, base: Option<(&Value<'_>, &str)>, origin: &str) -> Vec<String> {
    let domain = extension.pointer("/server/customDomain");
    let domain = domain.filter(|domain| domain.bool("enabled") != Some(false));
    let domain = domain.and_then(|domain| domain.str("name"));
    let domain = domain.filter(|name| !name.is_empty());
    let hosts = match (domain, origin.split_once("://")) {
        (Some(name), Some((scheme, _))) => vec![format!("{scheme}://{name}")],
        _ => vec![origin.to_owned(), String::new()],
    };
    let paths = paths(extension, base);
    let of = |path: &String| hosts.iter().map(|host| format!("{host}{path}")).collect();
    paths
        .iter()
        .flat_map(|path| -> Vec<String> { of(path) })
        .collect()
}

/// Returns the paths of an API, with its version if it is one of several.
fn paths(extension: &Value<'_>, base: Option<(&Value<'_>, &str)>) -> Vec<String> {
    let own = listen_path(extension).to_owned();
    let versioning = |of: &Value<'_>| {
        let versioning = of.pointer("/info/versioning")?;
        (versioning.bool("enabled") == Some(true)).then_some(())?;
        Some(versioning.str("name").unwrap_or_default().to_owned())
    };
    if let Some((base, name)) = base.filter(|(base, _)| versioning(base).is_some()) {
        let mut paths = versioned(base, name, false);
        if extension
            .pointer("/info/state/internal")
            .and_then(Value::as_bool)
            != Some(true)
        {
            paths.push(own);
        }
        return paths;
    }
    let has_versions = extension
        .pointer("/info/versioning/versions")
        .is_some_and(|versions| !versions.items().is_empty());
    match versioning(extension).filter(|name| has_versions && !name.is_empty()) {
        Some(name) => versioned(extension, &name, true),
        None => vec![own],
    }
}

/// Returns the paths of a version below its base: with the version, and without it if requests may omit it.
fn versioned(base: &Value<'_>, name: &str, is_base: bool) -> Vec<String> {
    let text = |member: &str| {
        let versioning = base.pointer("/info/versioning");
        let text = versioning.and_then(|versioning| versioning.str(member));
        text.unwrap_or_default()
    };
    let path = listen_path(base);
    let location = text("location");
    let mut paths = vec![match location {
        "header" => path.to_owned(),
        "url-param" => format!("{path}?{}={name}", text("key")),
        _ => format!("{}/{name}", path.strip_suffix('/').unwrap_or(path)),
    }];
    let falls_back = base
        .pointer("/info/versioning/fallbackToDefault")
        .and_then(Value::as_bool);
    let default = text("default");
    let is_default = !default.is_empty() && (is_base || default == name);
    if falls_back == Some(true) && is_default && location != "header" {
        paths.push(path.to_owned());
    }
    paths
}
