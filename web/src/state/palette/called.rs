//! Finds the API that serves a path or URL. As in the gateway's router, a matching host comes first, then the longest
//! listen path.

use gatewright_model::definition::route::clean;
use gatewright_model::definition::{Piece, pieces};

use super::Entry;

/// A path or URL to look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// The host name in lower case; empty for a mere path.
    host: String,
    /// The path, without its query.
    path: String,
    /// The path with its query.
    path_and_query: String,
}

/// How well an API matches; more is better. Compares first whether its domain is the host, then the length of its
/// listen path without templates, then whether it is served on every host.
pub type Serves = (bool, usize, bool);

/// Whether a text matches the regular expression of a template.
pub type Fits<'a> = &'a dyn Fn(&str, &str) -> bool;

impl Called {
    /// Parses a path or an HTTP URL; `None` for any other text.
    #[must_use]
    pub fn of(typed: &str) -> Option<Self> {
        let typed = typed.trim();
        if typed.contains(char::is_whitespace) {
            return None;
        }
        let (host, rest) = match typed.split_once("://") {
            Some((scheme, rest))
                if ["http", "https"]
                    .iter()
                    .any(|known| scheme.eq_ignore_ascii_case(known)) =>
            {
                rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()))
            }
            Some(_) => return None,
            None => ("", typed),
        };
        let rest = rest.split('#').next().unwrap_or_default();
        if host.is_empty() && !rest.starts_with('/') {
            return None;
        }
        let path_and_query = match rest.starts_with('/') {
            true => rest.to_owned(),
            false => format!("/{rest}"),
        };
        let name = match host.rsplit_once(':') {
            Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
            _ => host,
        };
        let path = path_and_query.split('?').next().unwrap_or_default();
        Some(Self {
            host: name.to_ascii_lowercase(),
            path: clean(path).into_owned(),
            path_and_query,
        })
    }

    /// Returns the path with its query, unchanged.
    #[must_use]
    pub fn path_and_query(&self) -> &str {
        &self.path_and_query
    }

    /// Returns the texts to search a list for, one after another until a result serves the path: the path itself, then
    /// its prefixes that end with a segment.
    pub fn beginnings(&self) -> impl Iterator<Item = &str> {
        let mut rest = Some(self.path.trim_end_matches('/'));
        std::iter::from_fn(move || {
            let now = rest.filter(|path| !path.is_empty())?;
            rest = now.rsplit_once('/').map(|(before, _)| before);
            Some(now)
        })
    }

    /// Returns how well an API matches; `None` if it doesn't serve the path.
    #[must_use]
    pub fn served_by(&self, entry: &Entry, fits: Fits<'_>) -> Option<Serves> {
        let (domain, listen) = entry.route.as_ref()?;
        let host = pieces(domain).ok()?;
        let on_host = !domain.is_empty() && begins(&host, &self.host, '.', true, fits);
        // A mere path may have been called on any host.
        if !domain.is_empty() && !on_host && !self.host.is_empty() {
            return None;
        }
        let listens = pieces(listen).ok()?;
        let literal = |piece: &Piece<'_>| match piece {
            Piece::Text(text) => text.len(),
            Piece::Template(_) => 0,
        };
        let length: usize = listens.iter().map(literal).sum();
        let everywhere = domain.is_empty();
        if begins(&listens, &self.path, '/', false, fits) {
            return Some((on_host, length, everywhere));
        }
        // An API is also served under its id.
        let below = self.path.strip_prefix('/')?.strip_prefix(&*entry.id)?;
        below
            .starts_with('/')
            .then(|| (on_host, entry.id.len().min(length), everywhere))
    }

    /// Returns the API that serves the path.
    #[must_use]
    pub fn server<'a>(&self, all: &'a [Entry], fits: Fits<'_>) -> Option<&'a Entry> {
        let serving = all
            .iter()
            .filter_map(|entry| Some((self.served_by(entry, fits)?, entry)));
        serving
            .max_by_key(|(serves, _)| *serves)
            .map(|(_, entry)| entry)
    }
}

/// Whether a text starts with the pieces or, with `complete`, matches all of them; a template without an expression
/// ends before `stop`.
fn begins(of: &[Piece<'_>], text: &str, stop: char, complete: bool, fits: Fits<'_>) -> bool {
    let Some((first, rest)) = of.split_first() else {
        return !complete || text.is_empty();
    };
    match first {
        Piece::Text(own) => text
            .strip_prefix(own)
            .is_some_and(|left| begins(rest, left, stop, complete, fits)),
        Piece::Template(template) => {
            // A template with an expression may match beyond a slash.
            let end = match template.pattern {
                Some(_) => text.len(),
                None => text.find(stop).unwrap_or(text.len()),
            };
            let mut ends = text
                .char_indices()
                .map(|(at, letter)| at.saturating_add(letter.len_utf8()));
            ends.any(|at| {
                let Some((own, left)) = text.split_at_checked(at).filter(|_| at <= end) else {
                    return false;
                };
                let fits_own = template
                    .pattern
                    .as_ref()
                    .is_none_or(|pattern| fits(pattern, own));
                fits_own && begins(rest, left, stop, complete, fits)
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Entry, Kind};
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    fn all() -> Vec<Entry> {
        let routes = [
            ("root", "", "/"),
            ("orders", "", "/orders/"),
            ("old-orders", "", "/orders/old/"),
            ("apps", "", "/app"),
            ("shop", "shop.example.com", "/orders/"),
            ("tenants", "{tenant}.example.com", "/t/"),
            ("versions", "", "/v{n:[0-9]+}/items/"),
            ("users", "", "/users/{id}/posts/"),
        ];
        let one = |(id, domain, listen): (&str, &str, &str)| {
            let mut entry = Entry::object(Kind::Api, id, "", String::new());
            entry.route = Some((domain.to_owned(), listen.to_owned()));
            entry
        };
        let mut all = Vec::from(routes.map(one));
        all.push(Entry::object(Kind::Api, "off", "", String::new()));
        all
    }

    /// The only expression in this list matches digits.
    fn digits(_: &str, text: &str) -> bool {
        text.bytes().all(|byte| byte.is_ascii_digit())
    }

    #[test]
    fn longest_listen_path_wins_and_host_precedes_none() {
        for (typed, server) in [
            ("/orders/42", "orders"),
            ("/orders/old/1?x=/a", "old-orders"),
            ("/orders/../orders/old/1", "old-orders"),
            ("/orders", "root"),
            ("/apple", "apps"),
            ("http://shop.example.com/orders/42", "shop"),
            ("HTTPS://SHOP.example.com:8443/orders/42#a", "shop"),
            ("http://localhost:8787/orders/42", "orders"),
            ("http://acme.example.com/t/1", "tenants"),
            ("http://a.b.example.com/t/1", "root"),
            ("/v12/items/1", "versions"),
            ("/vx/items/1", "root"),
            ("/users/7/posts/1", "users"),
            ("/users/7/8/posts/1", "users"),
            ("http://localhost", "root"),
            ("/versions/anything", "versions"),
        ] {
            let called = Called::of(typed).unwrap();
            let all = all();
            let found = called.server(&all, &digits).map(|entry| &*entry.id);
            assert_eq!(found, Some(server), "{typed}");
        }
    }

    #[test]
    fn an_api_is_served_under_its_id_too() {
        let mut all = all();
        all.retain(|entry| entry.id == "shop");
        let of = |typed: &str| {
            Called::of(typed)
                .unwrap()
                .server(&all, &digits)
                .map(|entry| entry.id.clone())
        };
        assert_eq!(of("/shop/x").as_deref(), Some("shop"));
        assert_eq!(of("/shopping/x"), None);
    }

    #[test]
    fn list_is_searched_by_shortening_prefixes() {
        let called = Called::of("http://h/a/b/c/?q=1").unwrap();
        assert_eq!(
            called.beginnings().collect::<Vec<_>>(),
            ["/a/b/c", "/a/b", "/a"]
        );
        assert_eq!(called.path_and_query(), "/a/b/c/?q=1");
        for typed in ["orders", "ftp://host/a", "/a b", "", "mailto:a"] {
            assert_eq!(Called::of(typed), None, "{typed}");
        }
    }
}
