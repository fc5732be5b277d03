//! How far the path of a rule reaches: an expression without anchors is looked for anywhere in the path
//! of a request (reference section 5.2), so that `/orders` means `/internal/orders` too.

/// Where in the path of a request an expression can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// At its beginning only, or everything is meant.
    Bound,
    /// Anywhere, unless the gateway binds what begins with `/` (`ENABLE_PATH_PREFIX_MATCHING`).
    Slash,
    /// Anywhere, however the gateway is set up.
    Anywhere,
}

impl Reach {
    /// Of an expression. One that can't be read is ignored here: the validator names it.
    pub(crate) fn of(text: &str) -> Self {
        if is_everything(text) || is_anchored(text) {
            Self::Bound
        } else if text.starts_with('/') {
            Self::Slash
        } else {
            Self::Anywhere
        }
    }

    /// What to say about a rule that opens something; nothing about one that is bound.
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

/// Whether it means every path, as `/`, `.*` and `^/.*$` do.
fn is_everything(text: &str) -> bool {
    text.chars()
        .all(|character| "/.*+?()^$".contains(character))
}

/// Whether every alternative can only be found at the beginning.
fn is_anchored(text: &str) -> bool {
    alternatives(text).all(|alternative| {
        let alternative = without_flags(alternative);
        if let Some((inside, behind)) = leading_group(alternative) {
            return !may_be_absent(behind) && is_anchored(inside);
        }
        alternative.starts_with('^') || alternative.starts_with("\\A")
    })
}

/// The alternatives of an expression, those inside groups left together.
fn alternatives(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = end_at_top(text, b'|');
        rest = end.and_then(|end| text.get(end.saturating_add(1)..));
        Some(end.and_then(|end| text.get(..end)).unwrap_or(text))
    })
}

/// The first `wanted` that stands in no group and no class, and behind no backslash.
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

/// Without `(?i)` and its like in front.
fn without_flags(text: &str) -> &str {
    let flags = text
        .strip_prefix("(?")
        .and_then(|rest| rest.split_once(')'));
    match flags {
        Some((flags, rest)) if flags.bytes().all(|byte| byte.is_ascii_alphabetic()) => rest,
        _ => text,
    }
}

/// What stands in the group that an alternative begins with, and what stands behind it.
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

/// Whether what stands before may be absent.
fn may_be_absent(behind: &str) -> bool {
    ["?", "*", "{0"].iter().any(|none| behind.starts_with(none))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_bound_to_the_beginning_says_so_in_every_alternative() {
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
