//! Path templates of OpenAPI documents (OpenAPI 3.1 section 4.8.8): the paths that `/pets/{id}` matches, and the values
//! of their parameters.
//!
//! A template matches complete paths, segment by segment, ignoring a trailing slash. Matching takes time linear in the
//! length of the path.

/// A path template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template {
    segments: Vec<Vec<Piece>>,
}

/// A part of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Name(String),
}

/// Splits a path into segments, ignoring a trailing slash.
#[must_use]
pub fn segments(path: &str) -> Vec<&str> {
    let path = path.strip_prefix('/').unwrap_or(path);
    let path = path.strip_suffix('/').unwrap_or(path);
    path.split('/').collect()
}

impl Template {
    /// Parses a template.
    #[must_use]
    pub fn read(path: &str) -> Self {
        Self {
            segments: segments(path).into_iter().map(pieces).collect(),
        }
    }

    /// Whether it has no parameters, and so is the path itself.
    #[must_use]
    pub fn is_static(&self) -> bool {
        let is_name = |piece: &Piece| matches!(piece, Piece::Name(_));
        !self.segments.iter().flatten().any(is_name)
    }

    /// Returns the template with parameter names erased: equal for templates that differ only in those.
    #[must_use]
    pub fn shape(&self) -> String {
        let mut shape = String::new();
        for segment in &self.segments {
            shape.push('/');
            for piece in segment {
                shape.push_str(match piece {
                    Piece::Text(text) => text,
                    Piece::Name(_) => "{}",
                });
            }
        }
        shape
    }

    /// Matches a path and returns its parameters with their names, in order; `None` if it doesn't match.
    #[must_use]
    pub fn parameters<'p>(
        &self,
        path: &[&'p str],
        ignore_case: bool,
    ) -> Option<Vec<(&str, &'p str)>> {
        if path.len() != self.segments.len() {
            return None;
        }
        let mut found = Vec::new();
        for (pieces, segment) in self.segments.iter().zip(path) {
            segment_parameters(pieces, segment, ignore_case, &mut found)?;
        }
        Some(found)
    }
}

fn pieces(segment: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = segment;
    while let Some((before, behind)) = rest.split_once('{') {
        let Some((name, after)) = behind.split_once('}') else {
            break;
        };
        if !before.is_empty() {
            pieces.push(Piece::Text(before.to_owned()));
        }
        pieces.push(Piece::Name(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

/// Matches one segment. A parameter ends at the first occurrence of the text after it, the last one at the end of the
/// segment.
fn segment_parameters<'s, 'p>(
    pieces: &'s [Piece],
    segment: &'p str,
    ignore_case: bool,
    found: &mut Vec<(&'s str, &'p str)>,
) -> Option<()> {
    let mut rest = segment;
    let mut pieces = pieces.iter().peekable();
    while let Some(piece) = pieces.next() {
        match piece {
            Piece::Text(text) => {
                let (start, behind) = rest.split_at_checked(text.len())?;
                if !is_same(start, text, ignore_case) {
                    return None;
                }
                rest = behind;
            }
            Piece::Name(name) => {
                let end = match pieces.peek() {
                    None => rest.len(),
                    Some(Piece::Name(_)) => rest.chars().next()?.len_utf8(),
                    Some(Piece::Text(text)) => {
                        let is_last = pieces.clone().count() == 1;
                        end_before(rest, text, is_last, ignore_case)?
                    }
                };
                let (value, behind) = rest.split_at_checked(end)?;
                if value.is_empty() {
                    return None;
                }
                found.push((name, value));
                rest = behind;
            }
        }
    }
    rest.is_empty().then_some(())
}

/// Finds the text that ends a parameter, which has at least one character.
fn end_before(rest: &str, text: &str, is_last: bool, ignore_case: bool) -> Option<usize> {
    let stands = |at: &usize| {
        let behind = rest.get(*at..).and_then(|behind| behind.get(..text.len()));
        *at > 0 && behind.is_some_and(|part| is_same(part, text, ignore_case))
    };
    match is_last {
        true => rest.len().checked_sub(text.len()).filter(stands),
        false => (1..rest.len()).find(stands),
    }
}

fn is_same(part: &str, text: &str, ignore_case: bool) -> bool {
    match ignore_case {
        true => part.eq_ignore_ascii_case(text),
        false => part == text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(template: &str, path: &str) -> Option<String> {
        let template = Template::read(template);
        let parameters = template.parameters(&segments(path), false)?;
        let texts: Vec<String> = parameters
            .into_iter()
            .map(|(name, value)| format!("{name}={value}"))
            .collect();
        Some(texts.join("&"))
    }

    #[test]
    fn whole_paths_fit_segment_by_segment() {
        for (template, path, expected) in [
            ("/", "/", Some("")),
            ("/a", "/a", Some("")),
            ("/a", "/a/", Some("")),
            ("/a/", "/a", Some("")),
            ("/a", "/a/b", None),
            ("/a", "/ab", None),
            ("/a", "/A", None),
            ("/a/{id}", "/a/7", Some("id=7")),
            ("/a/{id}", "/a/", None),
            ("/a/{id}", "/a/7/8", None),
            ("/a/{id}/b/{x}", "/a/7/b/8", Some("id=7&x=8")),
            ("/f/{name}.json", "/f/a.b.json", Some("name=a.b")),
            ("/f/{name}.json", "/f/.json", None),
            ("/f/{a}-{b}", "/f/x-y-z", Some("a=x&b=y-z")),
            ("/f/{a}..{b}.c", "/f/é..ü.c", Some("a=é&b=ü")),
            ("/f/{a}{b}", "/f/éx", Some("a=é&b=x")),
            ("/f/{a", "/f/{a", Some("")),
        ] {
            assert_eq!(
                found(template, path).as_deref(),
                expected,
                "{template} {path}"
            );
        }
        let template = Template::read("/Ab/{x}C");
        assert!(template.parameters(&["aB", "1c"], true).is_some());
    }

    #[test]
    fn templates_that_differ_in_names_only_have_one_shape() {
        let shape = |path: &str| Template::read(path).shape();
        assert_eq!(shape("/a/{id}/x{y}"), shape("/a/{num}/x{z}/"));
        assert_ne!(shape("/a/{id}"), shape("/b/{id}"));
        assert!(Template::read("/a/b").is_static());
        assert!(!Template::read("/a/{b}").is_static());
    }
}
