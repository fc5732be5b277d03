//! Which API a request belongs to: APIs with a domain precede those without, then the longest listen path wins
//! (reference 5.2).
//!
//! Listen paths are compared with the decoded path. One without a trailing slash matches everything that starts with it
//! (`/app` matches `/apple`), unless `ENABLE_STRICT_ROUTES` limits it to complete segments. A lookup costs one hash per
//! distinct listen path length, so ten thousand APIs are as fast as ten.
//!
//! An API is also served under `/{api_id}/`, for clients that do not know its listen path. Such a match ranks like the
//! API's listen path, so that a shorter one does not hide it; but a listen path that starts with the id itself takes
//! precedence.

use crate::rules::regex;
use gatewright_model::definition::{Piece, pieces};
use regex_lite::Regex;
use std::collections::HashMap;
use std::rc::Rc;

/// The address an API is served at.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The API's id.
    pub api_id: &'a str,
    /// The host name, in lower case; empty for any host.
    pub domain: &'a str,
    /// The listen path.
    pub listen_path: &'a str,
    /// Whether the API can only be reached from other APIs.
    pub internal: bool,
}

/// The APIs of a set by their routes.
#[derive(Debug)]
pub struct Router<A> {
    /// Listen paths by domain, for domains without templates.
    domains: HashMap<String, Paths<A>>,
    /// Domains with templates, the longest first.
    patterns: Vec<(String, Regex, Paths<A>)>,
    /// Listen paths of APIs without a domain.
    any: Paths<A>,
    /// All APIs by id, with their domains.
    ids: HashMap<String, Known<A>>,
    strict: bool,
}

/// An API, found by its id.
#[derive(Debug)]
struct Known<A> {
    api: Rc<A>,
    host: Host,
    /// The length of its listen path, not counting templates.
    length: usize,
}

/// The host of an API.
#[derive(Debug, PartialEq, Eq)]
enum Host {
    Any,
    Name(String),
    /// A domain with templates, as written.
    Pattern(String),
    /// None: the API can only be reached from other APIs.
    Internal,
}

/// The API that a request belongs to, and how its path named it.
#[derive(Debug)]
pub struct Match<A> {
    /// The API.
    pub api: Rc<A>,
    /// The number of bytes of the decoded path that named the API.
    pub listen: usize,
    /// Whether that was its id instead of its listen path.
    pub by_id: bool,
}

/// A match among the listen paths of a domain.
#[derive(Debug)]
struct Below<A> {
    /// The length of the listen path, not counting templates.
    length: usize,
    found: Match<A>,
}

#[derive(Debug)]
struct Paths<A> {
    literal: HashMap<String, Rc<A>>,
    templates: Vec<Template<A>>,
    /// The distinct lengths of listen paths, longest first, not counting templates.
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
    /// Creates a router without routes.
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

    /// Adds an API. The publisher has ensured that no two share a route.
    pub fn add(&mut self, served: Served<'_>, api: Rc<A>) {
        let domain = served.domain;
        let host = if served.internal {
            Host::Internal
        } else if domain.is_empty() {
            Host::Any
        } else if domain.contains('{') {
            Host::Pattern(domain.to_owned())
        } else {
            Host::Name(domain.to_owned())
        };
        let paths = match &host {
            Host::Internal => None,
            Host::Any => Some(&mut self.any),
            Host::Name(name) => Some(self.domains.entry(name.clone()).or_default()),
            Host::Pattern(domain) => self.pattern(domain),
        };
        if let Some(paths) = paths {
            paths.add(served.listen_path, Rc::clone(&api));
        }
        let length = literal_length(served.listen_path);
        let known = Known { api, host, length };
        self.ids.insert(served.api_id.to_owned(), known);
    }

    /// The listen paths of a domain with templates; `None` if it can't be compiled, which the validator rejects.
    fn pattern(&mut self, domain: &str) -> Option<&mut Paths<A>> {
        let known = self.patterns.iter().position(|(text, ..)| text == domain);
        let at = match known {
            Some(at) => at,
            None => {
                let regex = compile(domain, "[^.]+", "$")?;
                let longer = |(text, ..): &(String, Regex, Paths<A>)| text.len() >= domain.len();
                let at = self.patterns.partition_point(longer);
                let added = (domain.to_owned(), regex, Paths::default());
                self.patterns.insert(at, added);
                at
            }
        };
        self.patterns.get_mut(at).map(|(_, _, paths)| paths)
    }

    /// Returns an API by its id, internal ones included.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rc<A>> {
        self.ids.get(id).map(|known| &known.api)
    }

    /// Finds the API of a request. `authority` is `host[:port]` in lower case, `path` is decoded. If several domains
    /// match the host, the one with the longest listen path wins.
    #[must_use]
    pub fn find(&self, authority: &str, path: &str) -> Option<Match<A>> {
        let host = host(authority);
        let named = self.named(path);
        let below = |paths: &Paths<A>, on: &dyn Fn(&Host) -> bool| {
            let named = named.filter(|known| on(&known.host));
            paths.find(path, named, self.strict)
        };
        let domain = self.domains.get(host);
        let mut longest = domain
            .and_then(|paths| below(paths, &|on| matches!(on, Host::Name(name) if name == host)));
        let of_pattern = self.patterns.iter();
        let of_pattern = of_pattern.filter(|(_, regex, _)| regex.is_match(host));
        for other in of_pattern.filter_map(|(text, _, paths)| {
            below(paths, &|on| matches!(on, Host::Pattern(own) if own == text))
        }) {
            if longest
                .as_ref()
                .is_none_or(|found| found.length < other.length)
            {
                longest = Some(other);
            }
        }
        longest
            .or_else(|| below(&self.any, &|on| *on == Host::Any))
            .map(|below| below.found)
    }

    /// The API of `/{api_id}/…` (reference 3.1 and 5.2).
    fn named(&self, path: &str) -> Option<&Known<A>> {
        let (id, _) = path.strip_prefix('/')?.split_once('/')?;
        self.ids.get(id)
    }
}

impl<A> Paths<A> {
    fn add(&mut self, listen_path: &str, api: Rc<A>) {
        let length = if listen_path.contains('{') {
            // A listen path that can't be compiled is skipped; the validator rejects it.
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

    /// Finds the API of a path; `named` is the API whose id is the path's first segment, if there is one.
    fn find(&self, path: &str, named: Option<&Known<A>>, strict: bool) -> Option<Below<A>> {
        let named = named.and_then(|known| known.below(path));
        for length in &self.lengths {
            if named.as_ref().is_some_and(|named| named.length >= *length) {
                return named;
            }
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
                && may_end(prefix.ends_with('/'), path, *length, strict)
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
                if may_end(template.ends_open, path, end, strict) {
                    return found(&template.api, end);
                }
            }
        }
        named
    }
}

impl<A> Known<A> {
    /// The match by id. It ranks like the listen path, but after listen paths that start with the id.
    fn below(&self, path: &str) -> Option<Below<A>> {
        let (id, _) = path.strip_prefix('/')?.split_once('/')?;
        Some(Below {
            length: self.length.min(id.len()),
            found: Match {
                api: Rc::clone(&self.api),
                listen: id.len().saturating_add(2),
                by_id: true,
            },
        })
    }
}

/// Whether a listen path may end at `end`: with strict routes only at the end of a segment.
fn may_end(ends_open: bool, path: &str, end: usize, strict: bool) -> bool {
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

/// Compiles a text with templates (`{name}`, `{name:regex}`) into an expression anchored at the start. `segment` is the
/// expression of templates without their own.
fn compile(text: &str, segment: &str, end: &str) -> Option<Regex> {
    let mut expression = "^".to_owned();
    for piece in pieces(text).ok()? {
        match piece {
            Piece::Text(text) => expression.push_str(&regex_lite::escape(text)),
            Piece::Template(template) => {
                let own = template.pattern.as_deref();
                expression.push_str(&format!("(?:{})", own.unwrap_or(segment)));
            }
        }
    }
    expression.push_str(end);
    regex(&expression)
}

/// The length of a listen path, not counting templates.
fn literal_length(text: &str) -> usize {
    let literal = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.len(),
        Piece::Template(_) => 0,
    };
    pieces(text).map_or(0, |pieces| pieces.iter().map(literal).sum())
}

#[cfg(test)]
mod tests;
