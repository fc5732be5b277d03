//! Requests that move to another API, or back to the head of their own (`gateway://`, reference 3.12).
//!
//! The promise: the definition alone determines where a request loops to, with which method and how often. Captured
//! text names an API or a method only where the definition inserts it; a client's query is never parsed as part of the
//! address.

use crate::chain::Loop;
use crate::failure::{Failure, Reply};
use crate::path::{PathError, RequestPath, encode_unsafe};

/// The schemes of loop addresses; the second is the older spelling.
const SCHEMES: [&str; 2] = ["gateway://", "tyk://"];

/// How often a request may loop if no rule sets a limit.
const DEFAULT_LIMIT: u32 = 5;

/// The part of a loop address after the scheme: API, path and query. `None` for other addresses.
#[must_use]
pub fn behind_scheme(address: &str) -> Option<&str> {
    SCHEMES.iter().find_map(|scheme| {
        let (begin, rest) = address.split_at_checked(scheme.len())?;
        begin.eq_ignore_ascii_case(scheme).then_some(rest)
    })
}

/// Normalises an API's name for comparison: without category suffixes (`#tag`), in lower case, every run of characters
/// other than letters and digits replaced by a hyphen.
#[must_use]
pub fn name_key(name: &str) -> String {
    let mut key = String::with_capacity(name.len());
    for letter in without_categories(name).chars() {
        if letter.is_ascii_alphanumeric() {
            key.push(letter.to_ascii_lowercase());
        } else if !key.ends_with('-') {
            key.push('-');
        }
    }
    key
}

/// The name up to its first word that starts with `#`.
fn without_categories(name: &str) -> &str {
    let mut before = ' ';
    let tag = name.char_indices().find(|(_, letter)| {
        let begins = *letter == '#' && before.is_whitespace();
        before = *letter;
        begins
    });
    let kept = tag.and_then(|(at, _)| name.get(..at));
    kept.unwrap_or(name).trim_end()
}

/// How often a request has looped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Depth {
    loops: u32,
    limit: Option<u32>,
}

impl Depth {
    /// Enters a loop. The first limit named by a loop applies to the whole request, and one loop more than the limit is
    /// allowed, as in the reference.
    ///
    /// # Errors
    /// The answer if the request has looped too often.
    pub fn enter(&mut self, to: &Loop) -> Result<(), Reply> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if self.loops > limit {
            return Err(too_deep(limit));
        }
        self.loops = self.loops.saturating_add(1);
        self.limit = self.limit.or(to.limit);
        Ok(())
    }
}

/// The answer to a request that has looped too often (reference 3.2).
fn too_deep(limit: u32) -> Reply {
    let message = format!("Loop level too deep. Found more than {limit} loops in single request");
    Reply::saying(Failure::LoopTooDeep, message)
}

/// Parses `loop_limit`; `None` unless it is a number above 0.
#[must_use]
pub fn limit(text: &str) -> Option<u32> {
    text.parse().ok().filter(|limit| *limit > 0)
}

/// Normalises a loop's path: removes empty and dot segments. An address without a path has an empty one.
///
/// # Errors
/// If it has a broken escape.
pub fn path(raw: &str) -> Result<String, Failure> {
    if raw.is_empty() {
        return Ok(String::new());
    }
    let slash = if raw.starts_with('/') { "" } else { "/" };
    match RequestPath::parse(&encode_unsafe(&format!("{slash}{raw}"))) {
        Ok(path) => Ok(path.sent().to_owned()),
        Err(PathError::Unclean(clean)) => Ok(clean),
        Err(PathError::BrokenEscape) => Err(Failure::BrokenPath),
    }
}

/// The request path in the loop's chain.
///
/// # Errors
/// If the loop's path can't be parsed, which never happens for those made by [`path`].
pub fn request_path(to: &Loop) -> Result<RequestPath, Failure> {
    if to.path.is_empty() {
        return Ok(RequestPath::default());
    }
    RequestPath::parse(&to.path).map_err(|_| Failure::BrokenPath)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(limit: Option<u32>) -> Loop {
        Loop {
            limit,
            ..Loop::default()
        }
    }

    #[test]
    fn one_loop_beyond_the_limit_passes() {
        for (limit, passed, number) in [
            (None, 6, 5),
            (Some(1), 2, 1),
            (Some(2), 3, 2),
            (Some(9), 10, 9),
        ] {
            let mut depth = Depth::default();
            for _ in 0..passed {
                assert_eq!(depth.enter(&to(limit)), Ok(()), "{limit:?}");
            }
            let message =
                format!("Loop level too deep. Found more than {number} loops in single request");
            let refused = Reply::saying(Failure::LoopTooDeep, message);
            assert_eq!(depth.enter(&to(limit)), Err(refused), "{limit:?}");
        }
    }

    #[test]
    fn the_first_limit_holds() {
        let mut depth = Depth::default();
        for limit in [None, Some(2), Some(100)] {
            assert_eq!(depth.enter(&to(limit)), Ok(()));
        }
        assert!(depth.enter(&to(Some(100))).is_err());
        for text in ["", "0", "-1", "many"] {
            assert_eq!(limit(text), None, "{text}");
        }
        assert_eq!(limit("7"), Some(7));
    }

    #[test]
    fn names_are_compared_without_case_punctuation_and_categories() {
        let key = name_key("tf Loop: Orders Service #billing #x");
        for (wanted, meant) in [
            ("TF loop Orders service", true),
            ("tf-loop-orders-service", true),
            ("tf Loop: Orders Service #other", true),
            ("tf loop orders", false),
            ("", false),
            ("#billing", false),
        ] {
            assert_eq!(name_key(wanted) == key, meant, "{wanted}");
        }
        assert_eq!(name_key(" #x"), "");
    }

    #[test]
    fn addresses_of_loops_have_their_scheme() {
        assert_eq!(behind_scheme("gateway://self/x"), Some("self/x"));
        assert_eq!(behind_scheme("tyk://self"), Some("self"));
        assert_eq!(behind_scheme("http://gateway://x"), None);
        assert_eq!(behind_scheme("gateway:/x"), None);
    }

    #[test]
    fn the_path_of_a_loop_is_clean() {
        for (raw, clean) in [
            ("", ""),
            ("/", "/"),
            ("x", "/x"),
            ("/a b/%2e%2e/c", "/c"),
            ("/a//b", "/a/b"),
            ("/a%2Fb", "/a%2Fb"),
        ] {
            assert_eq!(path(raw), Ok(clean.to_owned()), "{raw}");
            let inner = request_path(&Loop {
                path: clean.to_owned(),
                ..Loop::default()
            });
            assert_eq!(inner.unwrap().sent(), clean);
        }
        assert_eq!(path("/a%zz"), Err(Failure::BrokenPath));
    }
}
