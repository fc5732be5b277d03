//! How far the path of a rule reaches: an expression without anchors is searched for anywhere in the path of a request
//! (reference section 5.2), so `/orders` matches `/internal/orders` too.

/// Where in the path of a request an expression can match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only at the start, or it matches everything anyway.
    Bound,
    /// Anywhere, unless the gateway anchors paths that start with `/` (`ENABLE_PATH_PREFIX_MATCHING`).
    Slash,
    /// Anywhere, regardless of the gateway's configuration.
    Anywhere,
}

impl Reach {
    /// Determines the reach of an expression. Invalid ones are ignored here: the validator reports them.
    pub(crate) fn of(text: &str) -> Self {
        if is_everything(text) || is_anchored(text) {
            Self::Bound
        } else if text.starts_with('/') {
            Self::Slash
        } else {
            Self::Anywhere
        }
    }

    /// Returns the warning for a rule that grants access; `None` if it is anchored.
    pub(crate) const fn message(self) -> Option<&'static str> {
        match self {
            Self::Bound => None,
            Self::Slash => Some(
                "this is found anywhere in a path, so other paths fit too; write ^/…$, or switch \
                 ENABLE_PATH_PREFIX_MATCHING and ENABLE_PATH_SUFFIX_MATCHING on",
            ),
            Self::Anywhere => Some(
                "this is found anywhere in a path, so other paths fit too; write ^/…$, and \
                 ^/(…|…)$ for alternatives",
            ),
        }
    }
}

/// Whether it matches every path, as `/`, `.*` and `^/.*$` do.
fn is_everything(text: &str) -> bool {
    text.chars()
        .all(|character| "/.*+?()^$".contains(character))
}

/// Whether every alternative can match only at the start.
fn is_anchored(text: &str) -> bool {
    alternatives(text).all(|alternative| {
        let alternative = without_flags(alternative);
        if let Some((inside, behind)) = leading_group(alternative) {
            return !may_be_absent(behind) && is_anchored(inside);
        }
        alternative.starts_with('^') || alternative.starts_with("\\A")
    })
}

/// Splits an expression into its top-level alternatives.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = end_at_top(text, b'|');
        rest = end.and_then(|end| text.get(end.saturating_add(1)..));
        Some(end.and_then(|end| text.get(..end)).unwrap_or(text))
    })
}

/// Finds the first `wanted` that is outside of groups and classes and not escaped.
fn end_at_top(text: &str, wanted: u8) -> Option<usize> {
    let (mut depth, mut class, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b']' => class = false,
            _ if class => {}
            _ if byte == wanted && depth == 0 => return Some(at),
            b'[' => class = true,
            b'(' => depth = depth.saturating_add(1),
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Strips leading flags such as `(?i)`.
fn without_flags(text: &str) -> &str {
    let flags = text
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'));
    match flags {
        Some((flags, rest)) if flags.bytes().all(|byte| byte.is_ascii_alphabetic()) => rest,
        _ => text,
    }
}

/// Splits off the group at the start of an alternative: its content, and what follows it.
fn leading_group(text: &str) -> Option<(&str, &str)> {
    let inside = text.strip_prefix('(')?;
    let end = end_at_top(inside, b')')?;
    let (inside, behind) = (inside.get(..end)?, inside.get(end.saturating_add(1)..)?);
    let inside = match inside.strip_prefix('?') {
        // The flags or the name of the group.
        Some(named) => named.split_once([':', '>'])?.1,
        None => inside,
    };
    Some((inside, behind))
}

/// Whether the preceding item is optional, by the repetition that `behind` starts with.
fn may_be_absent(behind: &str) -> bool {
    ["?", "*", "{0"].iter().any(|none| behind.starts_with(none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchored_pattern_is_anchored_in_every_alternative() {
        for (text, reach) in [
            ("^/orders", Reach::Bound),
            ("^/orders$", Reach::Bound),
            ("\\A/orders", Reach::Bound),
            ("(?i)^/orders", Reach::Bound),
            ("(^/a|^/b)$", Reach::Bound),
            ("^/a$|^/b$", Reach::Bound),
            ("(?:^/a|(?P<x>^/b))", Reach::Bound),
            ("^/[(|]a", Reach::Bound),
            ("", Reach::Bound),
            ("/", Reach::Bound),
            (".*", Reach::Bound),
            ("/*", Reach::Bound),
            ("(/.*)", Reach::Bound),
            ("/orders", Reach::Slash),
            ("/orders$", Reach::Slash),
            ("/orders/{id}", Reach::Slash),
            ("/a|^/b", Reach::Slash),
            ("orders", Reach::Anywhere),
            (".*/orders", Reach::Anywhere),
            ("^/a|/b", Reach::Anywhere),
            ("(^/a|/b)", Reach::Anywhere),
            ("(^/a)?/b", Reach::Anywhere),
            ("(/a|/b)", Reach::Anywhere),
            ("\\^/a", Reach::Anywhere),
            ("(^/a", Reach::Anywhere),
            ("|^/a", Reach::Anywhere),
        ] {
            assert_eq!(Reach::of(text), reach, "{text}");
        }
    }
}
