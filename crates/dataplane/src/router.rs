//! Which API a request belongs to: domain before none, then the longest listen path.
//!
//! A lookup costs one hash per path segment, so ten thousand APIs are as quick as ten.

use crate::snapshot::Api;
use gatewright_model::definition::route::{ListenPath, Segment};
use std::collections::HashMap;
use std::rc::Rc;

/// The APIs of one snapshot by their routes.
#[derive(Debug, Default)]
pub struct Router {
    /// Listen paths of each plain domain.
    domains: HashMap<String, Paths>,
    /// Domains with `{name}` labels, in the order of their text.
    patterns: Vec<(Vec<Label>, Paths)>,
    /// Listen paths without a domain.
    any: Paths,
    ids: HashMap<String, Rc<Api>>,
}

/// A label of a domain, or a segment of a listen path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Literal(String),
    Any,
}

impl Label {
    fn read(text: &str) -> Self {
        if text.starts_with('{') && text.ends_with('}') {
            Self::Any
        } else {
            Self::Literal(text.to_owned())
        }
    }

    fn of(segment: &Segment) -> Self {
        match segment {
            Segment::Literal(text) => Self::Literal(text.clone()),
            Segment::Template(_) => Self::Any,
        }
    }

    /// Its share in the length of a listen path, with its slash. Variables do not count
    /// (reference 5.2).
    fn weight(&self) -> usize {
        match self {
            Self::Literal(text) => text.len().saturating_add(1),
            Self::Any => 1,
        }
    }

    fn fits(&self, text: &str) -> bool {
        match self {
            Self::Literal(literal) => literal == text,
            Self::Any => !text.is_empty(),
        }
    }
}

#[derive(Debug, Default)]
struct Paths {
    /// By the listen path without a slash at its end.
    literal: HashMap<String, Rc<Api>>,
    /// Listen paths with `{name}` segments, those with the most literal text first.
    templates: Vec<Template>,
    /// Length of the longest literal listen path; longer prefixes need no lookup.
    longest: usize,
}

#[derive(Debug)]
struct Template {
    labels: Vec<Label>,
    /// The sum of its labels' weights.
    weight: usize,
    api: Rc<Api>,
}

/// The API that a request belongs to.
#[derive(Clone, Debug)]
pub struct Match {
    /// The API.
    pub api: Rc<Api>,
    /// How many bytes of the normalised path its listen path took.
    pub taken: usize,
    /// True if the request named the API by its id instead of its listen path.
    pub by_id: bool,
}

impl Router {
    /// Adds an API. The snapshot has seen to it that no two share a route.
    pub fn add(&mut self, api: Rc<Api>) {
        self.ids
            .insert(api.definition.api_id.clone(), Rc::clone(&api));
        if api.definition.internal {
            return;
        }
        let domain = api.definition.domain.to_ascii_lowercase();
        let paths = if domain.is_empty() {
            &mut self.any
        } else if domain.contains('{') {
            let labels: Vec<Label> = domain.split('.').map(Label::read).collect();
            let at = match self
                .patterns
                .binary_search_by(|(other, _)| other.cmp(&labels))
            {
                Ok(at) => at,
                Err(at) => {
                    self.patterns.insert(at, (labels, Paths::default()));
                    at
                }
            };
            match self.patterns.get_mut(at) {
                Some((_, paths)) => paths,
                None => return,
            }
        } else {
            self.domains.entry(domain).or_default()
        };
        paths.add(api);
    }

    /// An API by its id, internal ones included.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&Rc<Api>> {
        self.ids.get(id)
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

    /// Finds the API of a request. `authority` is the URL's `host[:port]` in lower case, `path`
    /// is normalised.
    #[must_use]
    pub fn find(&self, authority: &str, path: &str) -> Option<Match> {
        let host = host(authority);
        if let Some(found) = self.domains.get(host).and_then(|paths| paths.find(path)) {
            return Some(found);
        }
        if !self.patterns.is_empty() {
            let labels: Vec<&str> = host.split('.').collect();
            let fitting = self
                .patterns
                .iter()
                .filter(|(pattern, _)| fits(pattern, &labels));
            if let Some(found) = fitting.filter_map(|(_, paths)| paths.find(path)).next() {
                return Some(found);
            }
        }
        self.any.find(path).or_else(|| self.find_by_id(path))
    }

    /// `/{api_id}/…`, for who does not know the listen path (reference 3.1).
    fn find_by_id(&self, path: &str) -> Option<Match> {
        let id = path.strip_prefix('/')?.split('/').next()?;
        let api = self.get(id).filter(|api| !api.definition.internal)?;
        Some(Match {
            api: Rc::clone(api),
            taken: id.len().saturating_add(1),
            by_id: true,
        })
    }
}

/// An authority without its port.
fn host(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(at) if !authority.ends_with(']') => authority.get(..at).unwrap_or(authority),
        _ => authority,
    }
}

fn fits(pattern: &[Label], labels: &[&str]) -> bool {
    pattern.len() == labels.len()
        && pattern
            .iter()
            .zip(labels)
            .all(|(label, text)| label.fits(text))
}

impl Paths {
    /// An API whose listen path can't be read has no route; a reload skips it before it gets here.
    fn add(&mut self, api: Rc<Api>) {
        let Ok(path) = ListenPath::parse(&api.definition.proxy.listen_path) else {
            return;
        };
        let labels: Vec<Label> = path.segments().iter().map(Label::of).collect();
        if labels.contains(&Label::Any) {
            let weight = labels.iter().map(Label::weight).sum();
            let at = self
                .templates
                .partition_point(|other| other.weight >= weight);
            self.templates.insert(
                at,
                Template {
                    labels,
                    weight,
                    api,
                },
            );
        } else {
            let path = path.canonical();
            let path = path.trim_end_matches('/');
            self.longest = self.longest.max(path.len());
            self.literal.insert(path.to_owned(), api);
        }
    }

    fn find(&self, path: &str) -> Option<Match> {
        let literal = self.find_literal(path);
        let weight = literal.as_ref().map(|found| found.taken);
        let template = self
            .templates
            .iter()
            .take_while(|template| weight.is_none_or(|weight| template.weight > weight))
            .find_map(|template| template.find(path));
        template.or(literal)
    }

    /// The longest listen path that ends where a segment of the path does.
    fn find_literal(&self, path: &str) -> Option<Match> {
        let mut prefix = path.trim_end_matches('/');
        loop {
            if prefix.len() <= self.longest
                && let Some(api) = self.literal.get(prefix)
            {
                return Some(Match {
                    api: Rc::clone(api),
                    taken: prefix.len(),
                    by_id: false,
                });
            }
            prefix = prefix.get(..prefix.rfind('/')?)?;
        }
    }
}

impl Template {
    fn find(&self, path: &str) -> Option<Match> {
        let mut taken: usize = 0;
        let mut segments = path.split('/').skip(1);
        for label in &self.labels {
            let segment = segments.next()?;
            if !label.fits(segment) {
                return None;
            }
            taken = taken.saturating_add(segment.len()).saturating_add(1);
        }
        Some(Match {
            api: Rc::clone(&self.api),
            taken,
            by_id: false,
        })
    }
}
