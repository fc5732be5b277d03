//! How an upstream that parses paths more leniently than the gateway may read them.
//!
//! Some decode a path twice, treat `\` as `/`, or drop parameters (`..;x`) before they resolve dots (CVE-2025-32431,
//! CVE-2026-40912). They get the path as it was sent, so one that leaves its API in any of these readings must not be
//! sent.

use super::{clean, percent_decode};
use std::borrow::Cow;

/// What a trace says about a path that [`climbs`].
pub const CLIMBS: &str = "an upstream could resolve dots in it, and read another path";

/// How many nested levels of escapes are decoded.
const LAYERS: usize = 4;

/// The other readings of a decoded path, with dots resolved; empty if every reader agrees.
#[must_use]
pub fn readings(decoded: &str) -> Vec<String> {
    let resolved = layers(decoded).filter_map(|bare| match clean(&bare) {
        Cow::Owned(reading) => Some(reading),
        Cow::Borrowed(_) => None,
    });
    resolved.collect()
}

/// Whether a lenient reader would resolve dots in a decoded path where the gateway sees none, so that protective rules
/// were matched against a different path than the upstream's.
#[must_use]
pub fn climbs(decoded: &str) -> bool {
    layers(decoded).any(|bare| bare.split('/').any(|segment| segment == ".."))
}

/// The paths that lenient readers may take a decoded path for; empty if every reader agrees.
#[must_use]
pub fn alternatives(decoded: &str) -> Vec<String> {
    let read = layers(decoded).map(|bare| clean(&bare).into_owned());
    read.filter(|reading| reading != decoded).collect()
}

/// Whether a lenient reader would resolve dots in an encoded path so that it leaves the target it is joined to. Empty
/// segments don't count, because some readers merge slashes.
#[must_use]
pub fn leaves(sent: &str) -> bool {
    let is_plain = |byte| !matches!(byte, b'%' | b';');
    if sent.bytes().all(is_plain) {
        return false;
    }
    layers(&percent_decode(sent)).any(|bare| {
        let mut depth: usize = 0;
        bare.split('/').any(|segment| {
            let deeper = match segment {
                "" | "." => Some(depth),
                ".." => depth.checked_sub(1),
                _ => depth.checked_add(1),
            };
            depth = deeper.unwrap_or_default();
            deeper.is_none()
        })
    })
}

/// Whether a decoded path starts with a dot segment, for any reader, once its first `listen` bytes are stripped: a
/// listen path without a trailing slash can end inside a segment, and `/api../x` is a name until `/api` is stripped.
#[must_use]
pub fn splits_dots(decoded: &str, listen: usize) -> bool {
    let (before, rest) = decoded.split_at_checked(listen).unwrap_or_default();
    if before.ends_with('/') || rest.is_empty() || rest.starts_with('/') {
        return false;
    }
    let first = rest.split('/').next().unwrap_or_default();
    let first = format!("/{first}");
    matches!(clean(&first), Cow::Owned(_)) || climbs(&first)
}

/// A decoded path as lenient readers split it into segments, once per level of decoding; empty if all agree.
fn layers(decoded: &str) -> impl Iterator<Item = String> {
    let ambiguous = |byte| matches!(byte, b'%' | b';' | b'\\' | b'?' | b'#') || byte < b' ';
    let is_ambiguous = decoded.bytes().any(ambiguous);
    let first = is_ambiguous.then(|| decoded.to_owned());
    let texts = std::iter::successors(first, |text| {
        let next = percent_decode(text);
        (next != *text).then_some(next)
    });
    texts.take(LAYERS).map(|text| bare(&text))
}

/// A path as the most lenient reader splits it into segments.
fn bare(text: &str) -> String {
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let segment = |segment: &str| {
        let name = segment.split(';').next().unwrap_or_default();
        name.chars().filter(|c| !c.is_control()).collect::<String>()
    };
    let segments: Vec<String> = path.split(['/', '\\']).map(segment).collect();
    segments.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_seen_by_lenient_parsers_are_resolved() {
        for (decoded, expected) in [
            ("/a/..\\b", vec!["/b"]),
            ("/a/..;v=1/b", vec!["/b"]),
            ("/a/%2e%2e/b", vec!["/b"]),
            ("/a/%252e%252e%252fb", vec!["/b"]),
            ("/a/..?/b", vec!["/"]),
            ("/a/.\t./b", vec!["/b"]),
        ] {
            assert_eq!(readings(decoded), expected, "{decoded}");
            assert!(climbs(decoded), "{decoded}");
        }
    }

    #[test]
    fn a_name_can_become_dots() {
        for path in [
            "/api..",
            "/api../x",
            "/api./x",
            "/api..;/x",
            "/api..\\x",
            "/api%2e%2e/x",
        ] {
            assert!(splits_dots(path, "/api".len()), "{path}");
        }
        for path in [
            "/api",
            "/api/",
            "/api/x",
            "/apix",
            "/api...",
            "/api..x/y",
            "/api.x",
        ] {
            assert!(!splits_dots(path, "/api".len()), "{path}");
        }
        assert!(!splits_dots("/api/..x", "/api/".len()));
        assert!(!splits_dots("/../x", 0));
    }

    #[test]
    fn unambiguous_path_has_no_second_reading() {
        for decoded in [
            "/a/b",
            "/a;v=1/b",
            "/a/...",
            "/a/%2Fb%20",
            "/a\\b",
            "/100%/x",
        ] {
            assert_eq!(
                readings(decoded).len(),
                usize::from(decoded.contains("%2F")),
                "{decoded}"
            );
            assert!(!climbs(decoded), "{decoded}");
        }
    }
}
