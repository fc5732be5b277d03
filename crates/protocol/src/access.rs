//! What the rights of a key say about a path: whether it may be called, and which rate it has.
//!
//! Expressions are compiled once, when a session is loaded, and take time linear in the path. What isn't
//! compiled matches nothing: a key can lose access by a wrong expression, and never gain it. Whoever
//! stores a key asks [`unusable`] and warns.
//!
//! `allowed_urls` are looked for in the whole path, `endpoints` as path rules are (reference section 2.2).
//! Where expressions begin with the path, nothing that begins with `/` would be found behind a listen path:
//! there `allowed_urls` are read as path rules too, and compared with the path without it as well.

use gatewright_model::session::{AllowedUrl, Endpoint, Rate};
use gatewright_model::text::path_rule;
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};

/// The largest compiled expression, in bytes. One for an address with a UUID in it takes three thousand.
const MAX_COMPILED: usize = 32 * 1024;

/// How many expressions there may be for one API; paths without anything special don't count. Together
/// they can take no more than a part of an isolate's 128 MB
/// (<https://developers.cloudflare.com/workers/platform/limits/>).
const MAX_EXPRESSIONS: usize = 500;

/// Characters that make a path an expression.
const SPECIAL: [char; 14] = [
    '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$',
];

/// Where in a path an expression is looked for. By default anywhere (reference section 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Matching {
    /// `enable_path_prefix_matching`: one that begins with `/` is looked for at the beginning.
    pub prefix: bool,
    /// `enable_path_suffix_matching`: the path ends with it.
    pub suffix: bool,
}

/// `allowed_urls` of one API, compiled.
#[derive(Clone, Debug, Default)]
pub struct Urls {
    rules: Vec<(Matcher, Vec<String>)>,
}

impl Urls {
    /// Compiles them.
    #[must_use]
    pub fn new(urls: &[AllowedUrl], matching: Matching) -> Self {
        let mut compiler = Compiler::new(matching);
        let rule = |url: &AllowedUrl| {
            let expression = if matching.prefix {
                path_rule::expression(&url.url)
            } else {
                path_rule::without_templates(&url.url)
            };
            (compiler.compile(&expression), url.methods.clone())
        };
        Self {
            rules: urls.iter().map(rule).collect(),
        }
    }

    /// True if there are no rules: then every method and path may be used.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Whether a method, whose letter case counts (reference 2.2), may be used on a path: without rules
    /// every one may. `paths` are the forms of that path.
    #[must_use]
    pub fn allow(&self, method: &str, paths: &[&str]) -> bool {
        self.rules.is_empty() || self.rule(method, paths).is_some()
    }

    /// The first rule that allows it, by its index.
    #[must_use]
    pub fn rule(&self, method: &str, paths: &[&str]) -> Option<usize> {
        let allows = |(matcher, methods): &(Matcher, Vec<String>)| {
            methods.iter().any(|allowed| allowed == method) && matcher.finds(paths)
        };
        self.rules.iter().position(allows)
    }
}

/// `endpoints` of one API, compiled.
#[derive(Clone, Debug, Default)]
pub struct Endpoints {
    rules: Vec<(Matcher, Endpoint)>,
}

/// The rate of an endpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointRate {
    /// What its counter is called: the method in upper case, `:`, and the path as the rule has it.
    pub name: String,
    /// The rate, instead of the API's or the key's; not limited if it is -1.
    pub rate: Rate,
}

impl Endpoints {
    /// Compiles them.
    #[must_use]
    pub fn new(endpoints: &[Endpoint], matching: Matching) -> Self {
        let mut compiler = Compiler::new(matching);
        let rule = |endpoint: &Endpoint| {
            let expression = path_rule::expression(&endpoint.path);
            (compiler.compile(&expression), endpoint.clone())
        };
        Self {
            rules: endpoints.iter().map(rule).collect(),
        }
    }

    /// The rate of the first endpoint whose path is found and that has the method. `paths` are the
    /// forms of the path.
    #[must_use]
    pub fn rate(&self, method: &str, paths: &[&str]) -> Option<EndpointRate> {
        self.rules.iter().find_map(|(matcher, endpoint)| {
            let rate = endpoint.rate(method)?;
            matcher.finds(paths).then(|| EndpointRate {
                name: format!("{}:{}", method.to_ascii_uppercase(), endpoint.path),
                rate,
            })
        })
    }
}

/// Which of the expressions for one API can't be used here, by index; they match nothing. The model's
/// validator names those that are no expressions at all; beyond them these are too large, or use what
/// isn't offered here, such as classes of Unicode characters.
#[must_use]
pub fn unusable(urls: &[AllowedUrl]) -> Vec<usize> {
    let urls = Urls::new(urls, Matching::default());
    indices_of_never(urls.rules.iter().map(|(matcher, _)| matcher))
}

/// The same for paths of endpoints.
#[must_use]
pub fn unusable_endpoints(endpoints: &[Endpoint]) -> Vec<usize> {
    let endpoints = Endpoints::new(endpoints, Matching::default());
    indices_of_never(endpoints.rules.iter().map(|(matcher, _)| matcher))
}

fn indices_of_never<'a>(matchers: impl Iterator<Item = &'a Matcher>) -> Vec<usize> {
    let never = matchers
        .enumerate()
        .filter(|(_, matcher)| matches!(matcher, Matcher::Never));
    never.map(|(index, _)| index).collect()
}

/// How a path is looked at.
#[derive(Clone, Debug)]
enum Matcher {
    /// A text without anything special, at the beginning, at the end or anywhere.
    Plain {
        text: String,
        start: bool,
        end: bool,
    },
    /// An expression.
    Expression(Regex),
    /// One that could not be compiled.
    Never,
}

impl Matcher {
    fn finds(&self, paths: &[&str]) -> bool {
        let finds = |path: &&str| match self {
            Self::Plain { text, start, end } => match (start, end) {
                (true, true) => *path == text,
                (true, false) => path.starts_with(text),
                (false, true) => path.ends_with(text),
                (false, false) => path.contains(text),
            },
            Self::Expression(expression) => expression.is_match(path),
            Self::Never => false,
        };
        paths.iter().any(finds)
    }
}

/// Compiles the expressions for one API within their bounds.
struct Compiler {
    matching: Matching,
    left: usize,
}

impl Compiler {
    const fn new(matching: Matching) -> Self {
        Self {
            matching,
            left: MAX_EXPRESSIONS,
        }
    }

    fn compile(&mut self, expression: &str) -> Matcher {
        let start = self.matching.prefix && expression.starts_with('/');
        if !expression.contains(SPECIAL) {
            return Matcher::Plain {
                text: expression.to_owned(),
                start,
                end: self.matching.suffix,
            };
        }
        let Some(left) = self.left.checked_sub(1) else {
            return Matcher::Never;
        };
        self.left = left;
        // In a group, so that the ends belong to every alternative.
        let text = match (start, self.matching.suffix) {
            (false, false) => expression.to_owned(),
            (start, end) => {
                let (start, end) = (if start { "^" } else { "" }, if end { "$" } else { "" });
                format!("{start}(?:{expression}){end}")
            }
        };
        let text = portable(&text);
        let compiled = RegexBuilder::new(&text).size_limit(MAX_COMPILED).build();
        compiled.map_or(Matcher::Never, Matcher::Expression)
    }
}

#[cfg(test)]
mod tests;
