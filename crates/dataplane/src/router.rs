//! Which API a request belongs to: domain before none, then the longest listen path (reference 5.2).
//!
//! Listen paths are compared with the decoded path. One without a slash at its end takes whatever begins
//! with it (`/app` takes `/apple`), unless `ENABLE_STRICT_ROUTES` binds it to whole segments. A lookup
//! costs one hash for each different length of listen paths, so ten thousand APIs are as quick as ten.
//!
//! An API is served under `/{api_id}/` too, for who does not know its listen path. That is tried where its
//! listen path stands in the order, so that a shorter one does not hide it; but one that begins with the id
//! itself is tried first.

use gatewright_model::definition::{Piece, pieces};
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
    /// Its host name, in lower case; empty for every host.
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
    ids: HashMap<String, Known<A>>,
    strict: bool,
}

/// An API by its id.
#[derive(Debug)]
struct Known<A> {
    api: Rc<A>,
    host: Host,
    /// How long its listen path is without templates.
    length: usize,
}

/// The host of an API.
#[derive(Debug, PartialEq, Eq)]
enum Host {
    Any,
    Name(String),
    /// The text of a domain with templates.
    Pattern(String),
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

    /// The listen paths of a domain with templates; none if it can't be compiled, which the validator has
    /// refused.
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

    /// An API by its id, internal ones included.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rc<A>> {
        self.ids.get(id).map(|known| &known.api)
    }

    /// Every API.
    pub fn apis(&self) -> impl Iterator<Item = &Rc<A>> {
        self.ids.values().map(|known| &known.api)
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

    /// Finds the API of a path; `named` is the one of its first segment, if that is an id.
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
        named
    }
}

impl<A> Known<A> {
    /// The API under its id in a path. It stands where its listen path does, but behind listen paths that
    /// begin with the id.
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
    RegexBuilder::new(&portable(&expression))
        .size_limit(MAX_COMPILED)
        .build()
        .ok()
}

/// How long a listen path is without its templates.
fn literal_length(text: &str) -> usize {
    let literal = |piece: &Piece<'_>| match piece {
        Piece::Text(text) => text.len(),
        Piece::Template(_) => 0,
    };
    pieces(text).map_or(0, |pieces| pieces.iter().map(literal).sum())
}

#[cfg(test)]
mod tests;
