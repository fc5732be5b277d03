//! What a key's access rights say about a path: whether it may be called, and at what rate.
//!
//! Expressions are compiled once, when a session is loaded, and match in time linear in the path. One that can't be
//! compiled matches nothing: a wrong expression can cost a key access but never grant it. Whoever stores a key calls
//! [`unusable`] and warns.
//!
//! Both are written like path rules; `allowed_urls` are searched for in the whole path (reference section 2.2). Where
//! expressions are anchored at the start of the path, one that starts with `/` would never match behind a listen path:
//! there `allowed_urls` are also compared with the path without the listen path.

use gatewright_model::session::{AllowedUrl, Endpoint, Rate};
use gatewright_model::text::path_rule;
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};

/// The size limit of a compiled expression, in bytes. One that matches an address with a UUID takes three thousand.
const MAX_COMPILED: usize = 32 * 1024;

/// The most expressions for one API; paths without special characters don't count. Together they can take only a
/// fraction of an isolate's 128 MB (<https://developers.cloudflare.com/workers/platform/limits/>).
const MAX_EXPRESSIONS: usize = 500;

/// Characters that make a path a regular expression.
pub const SPECIAL: [char; 14] = [
    '\\', '.', '+', '*', '?', '(', ')', '|', '[', ']', '{', '}', '^', '$',
];

/// Where in a path an expression without anchors of its own may match: anywhere by default (reference section 5.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchors {
    /// `ENABLE_PATH_PREFIX_MATCHING`: an expression that starts with `/` must match at the start.
    pub prefix: bool,
    /// `ENABLE_PATH_SUFFIX_MATCHING`: an expression must match at the end.
    pub suffix: bool,
}

/// `allowed_urls` of one API, compiled.
#[derive(Clone, Debug, Default)]
pub struct Urls {
    rules: Vec<(Matcher, Vec<String>)>,
    /// Whether one of them has a semicolon, so that it means parameters in a path as they are.
    pub has_parameters: bool,
}

impl Urls {
    /// Compiles the rules.
    #[must_use]
    pub fn new(urls: &[AllowedUrl], anchors: Anchors) -> Self {
        let mut compiler = Compiler::new(anchors);
        let rule = |url: &AllowedUrl| {
            let expression = path_rule::expression(&url.url);
            (compiler.compile(&expression), url.methods.clone())
        };
        Self {
            rules: urls.iter().map(rule).collect(),
            has_parameters: urls.iter().any(|url| url.url.contains(';')),
        }
    }

    /// Whether there are no rules, so that every method and path is allowed.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Returns the index of the first rule that allows a method, compared case-sensitively (reference 2.2), on a path.
    /// `paths` are the forms of that path.
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
    /// The name of its counter: the method in upper case, `:`, and the path as written in the rule.
    pub name: String,
    /// The rate, which replaces the API's or the key's; -1 means unlimited.
    pub rate: Rate,
}

impl Endpoints {
    /// Compiles the rules.
    #[must_use]
    pub fn new(endpoints: &[Endpoint], anchors: Anchors) -> Self {
        let mut compiler = Compiler::new(anchors);
        let rule = |endpoint: &Endpoint| {
            let expression = path_rule::expression(&endpoint.path);
            (compiler.compile(&expression), endpoint.clone())
        };
        Self {
            rules: endpoints.iter().map(rule).collect(),
        }
    }

    /// Returns the rate of the first endpoint that matches the path and has the method. `paths` are the forms of the
    /// path.
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

/// Returns the indices of an API's expressions that can't be used here and so match nothing. The model's validator
/// reports invalid expressions; these also include the ones that are too large or use unsupported features, such as
/// Unicode character classes.
#[must_use]
pub fn unusable(urls: &[AllowedUrl]) -> Vec<usize> {
    let urls = Urls::new(urls, Anchors::default());
    indices_of_never(urls.rules.iter().map(|(matcher, _)| matcher))
}

/// Like [`unusable`], for the paths of endpoints.
#[must_use]
pub fn unusable_endpoints(endpoints: &[Endpoint]) -> Vec<usize> {
    let endpoints = Endpoints::new(endpoints, Anchors::default());
    indices_of_never(endpoints.rules.iter().map(|(matcher, _)| matcher))
}

fn indices_of_never<'a>(matchers: impl Iterator<Item = &'a Matcher>) -> Vec<usize> {
    let never = matchers
        .enumerate()
        .filter(|(_, matcher)| matches!(matcher, Matcher::Never));
    never.map(|(index, _)| index).collect()
}

/// How a path is matched.
#[derive(Clone, Debug)]
enum Matcher {
    /// A text without special characters, at the start, at the end or anywhere.
    Plain {
        text: String,
        start: bool,
        end: bool,
    },
    /// A regular expression.
    Expression(Regex),
    /// An expression that could not be compiled.
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

/// Compiles the expressions of one API within the limits.
struct Compiler {
    anchors: Anchors,
    left: usize,
}

impl Compiler {
    const fn new(anchors: Anchors) -> Self {
        Self {
            anchors,
            left: MAX_EXPRESSIONS,
        }
    }

    fn compile(&mut self, expression: &str) -> Matcher {
        let start = self.anchors.prefix && expression.starts_with('/');
        if !expression.contains(SPECIAL) {
            return Matcher::Plain {
                text: expression.to_owned(),
                start,
                end: self.anchors.suffix,
            };
        }
        let Some(left) = self.left.checked_sub(1) else {
            return Matcher::Never;
        };
        self.left = left;
        // In a group, so that the anchors apply to every alternative.
        let text = match (start, self.anchors.suffix) {
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
