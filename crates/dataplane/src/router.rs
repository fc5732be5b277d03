//! Which API a request belongs to: domain before none, then the longest listen path (reference 5.2).
//!
//! Listen paths are compared with the decoded path. One without a slash at its end takes whatever begins
//! with it (`/app` takes `/apple`), unless `ENABLE_STRICT_ROUTES` binds it to whole segments. A lookup
//! costs one hash for each different length of listen paths, so ten thousand APIs are as quick as ten.

use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};
use std::collections::HashMap;
use std::rc::Rc;

/// The largest compiled listen path or domain, in bytes.
const MAX_COMPILED: usize = 64 * 1024;

/// Where an API is served.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// Its id.
    pub api_id: &'a str,
    /// Its host name; empty for every host.
    pub domain: &'a str,
    /// Its listen path.
    pub listen_path: &'a str,
    /// True if it is reached from other APIs only.
    pub internal: bool,
}

/// The APIs of a set by their routes.
#[derive(Debug)]
pub struct Router<A> {
    /// Listen paths of each plain domain.
    domains: HashMap<String, Paths<A>>,
    /// Domains with templates, the one with the longest text first.
    patterns: Vec<(String, Regex, Paths<A>)>,
    /// Listen paths without a domain.
    any: Paths<A>,
    /// Every API, and its domain.
    ids: HashMap<String, (Rc<A>, Host)>,
    strict: bool,
}

/// The host of an API.
#[derive(Debug)]
enum Host {
    Any,
    Name(String),
    Pattern(Regex),
    /// It is reached from other APIs only.
    Internal,
}

/// The API that a request belongs to.
#[derive(Debug)]
pub struct Match<A> {
    /// The API.
    pub api: Rc<A>,
    /// How many bytes of the decoded path named it.
    pub listen: usize,
    /// True if that was its id in the place of its listen path.
    pub by_id: bool,
}

/// An API that was found below a domain.
#[derive(Debug)]
struct Below<A> {
    /// How long its listen path is without templates.
    length: usize,
    found: Match<A>,
}

#[derive(Debug)]
struct Paths<A> {
    literal: HashMap<String, Rc<A>>,
    templates: Vec<Template<A>>,
    /// The different lengths of listen paths, longest first; templates do not count in them.
    lengths: Vec<usize>,
}

#[derive(Debug)]
struct Template<A> {
    length: usize,
    regex: Regex,
    ends_open: bool,
    api: Rc<A>,
}

impl<A> Default for Paths<A> {
    fn default() -> Self {
        Self {
            literal: HashMap::new(),
            templates: Vec::new(),
            lengths: Vec::new(),
        }
    }
}

impl<A> Router<A> {
    /// A router without routes.
    #[must_use]
    pub fn new(strict: bool) -> Self {
        Self {
            domains: HashMap::new(),
            patterns: Vec::new(),
            any: Paths::default(),
            ids: HashMap::new(),
            strict,
        }
    }

    /// Adds an API. Whoever publishes a set has seen to it that no two share a route.
    pub fn add(&mut self, served: Served<'_>, api: Rc<A>) {
        let domain = served.domain.to_ascii_lowercase();
        let host = if served.internal {
            Host::Internal
        } else if domain.is_empty() {
            Host::Any
        } else if domain.contains('{') {
            match compile(&domain, "[^.]+", "$") {
                Some(regex) => Host::Pattern(regex),
                None => return,
            }
        } else {
            Host::Name(domain.clone())
        };
        let paths = match &host {
            Host::Internal => None,
            Host::Any => Some(&mut self.any),
            Host::Name(name) => Some(self.domains.entry(name.clone()).or_default()),
            Host::Pattern(regex) => self.pattern(&domain, regex),
        };
        if let Some(paths) = paths {
            paths.add(served.listen_path, Rc::clone(&api));
        }
        self.ids.insert(served.api_id.to_owned(), (api, host));
    }

    fn pattern(&mut self, domain: &str, regex: &Regex) -> Option<&mut Paths<A>> {
        let known = self.patterns.iter().position(|(text, ..)| text == domain);
        let at = known.unwrap_or_else(|| {
            let longer = |(text, ..): &(String, Regex, Paths<A>)| text.len() >= domain.len();
            let at = self.patterns.partition_point(longer);
            let added = (domain.to_owned(), regex.clone(), Paths::default());
            self.patterns.insert(at, added);
            at
        });
        self.patterns.get_mut(at).map(|(_, _, paths)| paths)
    }

    /// An API by its id, internal ones included.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rc<A>> {
        self.ids.get(id).map(|(api, _)| api)
    }

    /// Every API.
    pub fn apis(&self) -> impl Iterator<Item = &Rc<A>> {
        self.ids.values().map(|(api, _)| api)
    }

    /// How many APIs there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// True if there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Finds the API of a request. `authority` is `host[:port]` in lower case, `path` decoded. Of several
    /// domains that the host fits, the one with the longest listen path has the request.
    #[must_use]
    pub fn find(&self, authority: &str, path: &str) -> Option<Match<A>> {
        let host = host(authority);
        let below = |paths: &Paths<A>| paths.find(path, self.strict);
        let mut longest = self.domains.get(host).and_then(below);
        let of_pattern = self.patterns.iter();
        let of_pattern = of_pattern.filter(|(_, regex, _)| regex.is_match(host));
        for other in of_pattern.filter_map(|(_, _, paths)| below(paths)) {
            if longest
                .as_ref()
                .is_none_or(|found| found.length < other.length)
            {
                longest = Some(other);
            }
        }
        longest
            .or_else(|| below(&self.any))
            .map(|below| below.found)
            .or_else(|| self.find_by_id(host, path))
    }

    /// `/{api_id}/…`, for who does not know the listen path (reference 5.2).
    fn find_by_id(&self, host: &str, path: &str) -> Option<Match<A>> {
        let (id, _) = path.strip_prefix('/')?.split_once('/')?;
        let (api, own) = self.ids.get(id)?;
        let fits = match own {
            Host::Any => true,
            Host::Name(name) => name == host,
            Host::Pattern(regex) => regex.is_match(host),
            Host::Internal => false,
        };
        fits.then(|| Match {
            api: Rc::clone(api),
            listen: id.len().saturating_add(2),
            by_id: true,
        })
    }
}

impl<A> Paths<A> {
    fn add(&mut self, listen_path: &str, api: Rc<A>) {
        let length = if listen_path.contains('{') {
            // Such a listen path is skipped when it can't be compiled: the validator has refused it.
            let Some(regex) = compile(listen_path, "[^/]+", "") else {
                return;
            };
            let length = literal_length(listen_path);
            let ends_open = listen_path.ends_with('/');
            let template = Template {
                length,
                regex,
                ends_open,
                api,
            };
            let longer = |other: &Template<A>| other.length >= length;
            let at = self.templates.partition_point(longer);
            self.templates.insert(at, template);
            length
        } else {
            self.literal.insert(listen_path.to_owned(), api);
            listen_path.len()
        };
        if let Err(at) = self.lengths.binary_search_by(|known| length.cmp(known)) {
            self.lengths.insert(at, length);
        }
    }

    fn find(&self, path: &str, strict: bool) -> Option<Below<A>> {
        for length in &self.lengths {
            let found = |api: &Rc<A>, listen| {
                let api = Rc::clone(api);
                let by_id = false;
                let found = Match { api, listen, by_id };
                let length = *length;
                Some(Below { length, found })
            };
            let literal = path
                .get(..*length)
                .and_then(|prefix| self.literal.get(prefix).zip(Some(prefix)));
            if let Some((api, prefix)) = literal
                && ends_well(prefix.ends_with('/'), path, *length, strict)
            {
                return found(api, *length);
            }
            let templates = self
                .templates
                .iter()
                .filter(|template| template.length == *length);
            for template in templates {
                let Some(end) = template.regex.find(path).map(|found| found.end()) else {
                    continue;
                };
                if ends_well(template.ends_open, path, end, strict) {
                    return found(&template.api, end);
                }
            }
        }
        None
    }
}

/// Whether a listen path may end there: with strict routes only at the end of a segment.
fn ends_well(ends_open: bool, path: &str, end: usize, strict: bool) -> bool {
    let rest = path.get(end..).unwrap_or_default();
    !strict || ends_open || rest.is_empty() || rest.starts_with('/')
}

/// The host name of an authority; an IPv6 address keeps its brackets.
fn host(authority: &str) -> &str {
    match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    }
}

/// A text with templates (`{name}`, `{name:regex}`) as an expression that begins where the text does.
/// `segment` is what a template without an expression of its own stands for.
fn compile(text: &str, segment: &str, end: &str) -> Option<Regex> {
    let mut expression = "^".to_owned();
    for part in parts(text) {
        match part {
            Part::Text(text) => expression.push_str(&regex_lite::escape(text)),
            Part::Template(None) => expression.push_str(segment),
            Part::Template(Some(own)) => {
                expression.push_str("(?:");
                expression.push_str(own);
                expression.push(')');
            }
        }
    }
    expression.push_str(end);
    RegexBuilder::new(&portable(&expression))
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
}

/// How long a listen path is without its templates.
fn literal_length(text: &str) -> usize {
    let literal = |part: Part<'_>| match part {
        Part::Text(text) => text.len(),
        Part::Template(_) => 0,
    };
    parts(text).into_iter().map(literal).sum()
}

enum Part<'t> {
    Text(&'t str),
    Template(Option<&'t str>),
}

/// The literal texts and templates of a text; braces inside of a template's expression belong to it.
fn parts(text: &str) -> Vec<Part<'_>> {
    let mut parts = Vec::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some(end) = closing(behind) else { break };
        if !before.is_empty() {
            parts.push(Part::Text(before));
        }
        let inside = behind.get(..end).unwrap_or_default();
        parts.push(Part::Template(inside.split_once(':').map(|(_, own)| own)));
        rest = behind.get(end.saturating_add(1)..).unwrap_or_default();
    }
    if !rest.is_empty() {
        parts.push(Part::Text(rest));
    }
    parts
}

/// Where the brace closes that a text stands behind.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1_u32;
    text.bytes().position(|byte| {
        match byte {
            b'{' => open = open.saturating_add(1),
            b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open == 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn router(strict: bool, apis: &[(&str, &str, &str)]) -> Router<String> {
        let mut router = Router::new(strict);
        for (id, domain, listen_path) in apis {
            let (internal, listen_path) = match listen_path.strip_prefix('!') {
                Some(path) => (true, path),
                None => (false, *listen_path),
            };
            let served = Served {
                api_id: id,
                domain,
                listen_path,
                internal,
            };
            router.add(served, Rc::new((*id).to_owned()));
        }
        router
    }

    fn found(router: &Router<String>, host: &str, path: &str) -> Option<(String, usize)> {
        let found = router.find(host, path)?;
        Some((found.api.to_string(), found.listen))
    }

    #[test]
    fn the_longest_listen_path_wins() {
        let apis = [
            ("root", "", "/"),
            ("app", "", "/app"),
            ("inner", "", "/app/inner/"),
            ("user", "", "/users/{id}/"),
            ("number", "", "/users/{id:[0-9]{2}}/x/"),
            ("café", "", "/café/"),
        ];
        let router = router(false, &apis);
        for (path, api, listen) in [
            ("/", "root", 1),
            ("/x", "root", 1),
            ("/app", "app", 4),
            ("/apple", "app", 4),
            ("/app/inner", "app", 4),
            ("/app/inner/x", "inner", 11),
            ("/users/7/x/y", "user", 9),
            ("/users/77/x/y", "number", 12),
            ("/users/", "root", 1),
            ("/caf\u{e9}/p", "café", 7),
        ] {
            assert_eq!(
                found(&router, "h", path),
                Some((api.to_owned(), listen)),
                "{path}"
            );
        }
    }

    #[test]
    fn strict_routes_end_at_a_segment() {
        let router = router(true, &[("a", "", "/a"), ("t", "", "/t/{x}")]);
        assert!(found(&router, "h", "/a/x").is_some());
        assert!(found(&router, "h", "/a").is_some());
        assert_eq!(found(&router, "h", "/ab"), None);
        assert_eq!(
            found(&router, "h", "/t/1/y").map(|(_, listen)| listen),
            Some(4)
        );
    }

    #[test]
    fn an_api_with_a_domain_is_served_there_only() {
        let apis = [
            ("any", "", "/x/"),
            ("shop", "shop.example", "/x/"),
            ("sub", "{sub}.shop.example", "/x/"),
            ("letters", "{sub:[a-c]+}.example", "/x/"),
        ];
        let router = router(false, &apis);
        for (host, api) in [
            ("other.example", "any"),
            ("shop.example:8787", "shop"),
            ("eu.shop.example", "sub"),
            ("a.b.shop.example", "any"),
            ("abc.example", "letters"),
        ] {
            assert_eq!(
                found(&router, host, "/x/1").map(|(api, _)| api).as_deref(),
                Some(api),
                "{host}"
            );
        }
        // By its id too.
        assert!(found(&router, "shop.example", "/shop/1").is_some());
        assert_eq!(found(&router, "h", "/shop/1"), None);
        assert!(found(&router, "eu.shop.example", "/sub/1").is_some());
    }

    #[test]
    fn of_the_domains_of_a_host_the_longest_listen_path_wins() {
        let apis = [
            ("any", "", "/x/y/z/"),
            ("one", "one.example", "/x/"),
            ("short", "{sub}.example", "/x/y/"),
            ("deep", "{sub:o.*}.example", "/x/y/{id}/w/"),
        ];
        let router = router(false, &apis);
        for (path, api) in [
            ("/x/1", "one"),
            ("/x/y/1", "short"),
            ("/x/y/z/1", "short"),
            ("/x/y/z/w/1", "deep"),
        ] {
            let found = found(&router, "one.example", path);
            assert_eq!(found.map(|(api, _)| api).as_deref(), Some(api), "{path}");
        }
    }

    #[test]
    fn an_id_stands_for_the_listen_path_of_an_api_that_has_clients() {
        let router = router(false, &[("one", "", "/a/"), ("two", "", "!/b/")]);
        assert_eq!(found(&router, "h", "/one/x"), Some(("one".to_owned(), 5)));
        for path in ["/one", "/two/x", "/b/x"] {
            assert_eq!(found(&router, "h", path), None, "{path}");
        }
        assert!(router.get("two").is_some());
    }
}
