//! Texts in a definition that contain variables of the request (reference 3.11).
//!
//! `$gateway_context.<name>` is a value of the request, `$gateway_meta.<name>` a member of the key's `meta_data`;
//! `$tyk_context.` and `$tyk_meta.` are older spellings of the same. A text is parsed once, when a set is loaded; the
//! values filled in are never parsed, so a client can't inject a variable.

use gatewright_model::text::percent::encode_query;
use std::borrow::Cow;

/// The prefixes of context variables.
const CONTEXT: [&str; 2] = ["$gateway_context.", "$tyk_context."];
const META: [&str; 2] = ["$gateway_meta.", "$tyk_meta."];
/// Secrets from stores that don't exist here: they are empty.
const SECRETS: [&str; 2] = ["$secret_env.", "$secret_conf."];
/// The same for stores whose names are paths.
const STORED_SECRETS: [&str; 3] = ["$secret_vault.", "$secret_consul.", "$secret_file."];

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Context(String),
    Meta(String),
}

/// A parsed text of a definition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    parts: Vec<Part>,
}

/// The values of the variables in a text.
pub trait Values {
    /// Returns the value of a context variable; `None` if there is none, which is inserted as an empty text.
    fn context(&self, name: &str) -> Option<String>;
    /// Returns a member of the key's metadata.
    fn meta(&self, name: &str) -> Option<String>;
}

/// The name of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable<'a> {
    /// A value of the request.
    Context(&'a str),
    /// A member of the key's metadata.
    Meta(&'a str),
}

/// How values are escaped when inserted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// Not at all.
    None,
    /// As query values, unless they start with `http://` or `https://`: for addresses.
    Query,
}

impl Template {
    /// Parses a text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            let (before, from) = rest.split_at(at);
            plain.push_str(before);
            let Some((part, behind)) = variable(from) else {
                plain.push('$');
                rest = from.strip_prefix('$').unwrap_or_default();
                continue;
            };
            if !plain.is_empty() {
                parts.push(Part::Text(std::mem::take(&mut plain)));
            }
            parts.extend(part);
            rest = behind;
        }
        plain.push_str(rest);
        if !plain.is_empty() {
            parts.push(Part::Text(plain));
        }
        Self { parts }
    }

    /// Returns the text, if it contains no variable.
    #[must_use]
    pub fn literal(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// Whether it starts with a variable.
    #[must_use]
    pub fn begins_with_variable(&self) -> bool {
        matches!(self.parts.first(), Some(Part::Context(_) | Part::Meta(_)))
    }

    /// Returns the names of the context variables in it.
    pub fn context_names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            Part::Context(name) => Some(name.as_str()),
            _ => None,
        })
    }

    /// Returns the text with the values of its variables inserted.
    #[must_use]
    pub fn fill(&self, values: &dyn Values, escape: Escape) -> String {
        if let Some(text) = self.literal() {
            return text.to_owned();
        }
        self.fill_with(&|filled, text| filled.push_str(text), values, escape)
    }

    /// Does the same with `push`, which appends a literal part to what is filled in so far.
    #[must_use]
    pub fn fill_with(
        &self,
        push: &dyn Fn(&mut String, &str),
        values: &dyn Values,
        escape: Escape,
    ) -> String {
        let mut filled = String::new();
        for part in &self.parts {
            let value = match part {
                Part::Text(text) => {
                    push(&mut filled, text);
                    continue;
                }
                Part::Context(name) => values.context(name),
                Part::Meta(name) => values.meta(name),
            };
            let value = value.unwrap_or_default();
            filled.push_str(&escaped(&value, escape));
        }
        filled
    }

    /// Inserts the values of the variables that `known` returns a value for. These values are not parsed for variables.
    #[must_use]
    pub fn bound(self, known: impl Fn(Variable<'_>) -> Option<String>) -> Self {
        let mut parts: Vec<Part> = Vec::with_capacity(self.parts.len());
        for part in self.parts {
            let value = match &part {
                Part::Text(text) => Some(text.clone()),
                Part::Context(name) => known(Variable::Context(name)),
                Part::Meta(name) => known(Variable::Meta(name)),
            };
            match (value, parts.last_mut()) {
                (Some(value), Some(Part::Text(before))) => before.push_str(&value),
                (Some(value), _) => parts.push(Part::Text(value)),
                (None, _) => parts.push(part),
            }
        }
        Self { parts }
    }

    /// Returns a text that is unique to this template: it contains names in place of values.
    #[must_use]
    pub fn source(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            let (mark, part) = match part {
                Part::Text(part) => ("=", part),
                Part::Context(part) => ("$", part),
                Part::Meta(part) => ("#", part),
            };
            text.push_str(&format!("{mark}{}:{part}", part.len()));
        }
        text
    }
}

fn escaped(value: &str, escape: Escape) -> Cow<'_, str> {
    let is_url = value.starts_with("http://") || value.starts_with("https://");
    if escape == Escape::None || is_url {
        Cow::Borrowed(value)
    } else {
        Cow::Owned(encode_query(value))
    }
}

/// Parses the variable at the start of a text, and returns the rest; a secret has no value.
fn variable(text: &str) -> Option<(Option<Part>, &str)> {
    let named = |prefixes: &[&str]| prefixes.iter().find_map(|prefix| text.strip_prefix(prefix));
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let split = |rest: &'_ str| rest.find(|c| !is_name(c)).unwrap_or(rest.len());
    // A variable must have a name.
    let has_name = |rest: &&str| rest.starts_with(is_name);
    if let Some(rest) = named(&CONTEXT).filter(has_name) {
        let (name, behind) = rest.split_at_checked(split(rest))?;
        return Some((Some(Part::Context(name.to_owned())), behind));
    }
    if let Some(rest) = named(&META).filter(has_name) {
        let (name, behind) = rest.split_at_checked(split(rest))?;
        return Some((Some(Part::Meta(name.to_owned())), behind));
    }
    if let Some(rest) = named(&STORED_SECRETS) {
        let behind = rest.trim_start_matches(|c| is_name(c) || c == '/');
        return Some((None, behind));
    }
    let rest = named(&SECRETS).filter(has_name)?;
    let (_, behind) = rest.split_at_checked(split(rest))?;
    Some((None, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Fixed;

    impl Values for Fixed {
        fn context(&self, name: &str) -> Option<String> {
            (name == "path").then(|| "/a b".to_owned())
        }

        fn meta(&self, name: &str) -> Option<String> {
            match name {
                "again" => Some("$gateway_context.path".to_owned()),
                "host" => Some("http://up:1/x y".to_owned()),
                _ => None,
            }
        }
    }

    #[test]
    fn variables_are_filled_in_once_and_the_rest_stays() {
        for (text, filled) in [
            ("", ""),
            ("plain", "plain"),
            ("<$gateway_context.path>", "</a b>"),
            (
                "$tyk_context.path|$tyk_meta.again",
                "/a b|$gateway_context.path",
            ),
            ("$gateway_context.none!", "!"),
            ("$gateway_context.pathology", ""),
            (
                "$gateway_unknown.x $x ${x} $$",
                "$gateway_unknown.x $x ${x} $$",
            ),
            ("$secret_env.KEY/x", "/x"),
            ("[$secret_vault.a/b_c.d]$secret_consul.x/y", "[]"),
            ("$gateway_context $é", "$gateway_context $é"),
            (
                "$gateway_context. $tyk_meta.",
                "$gateway_context. $tyk_meta.",
            ),
        ] {
            assert_eq!(
                Template::parse(text).fill(&Fixed, Escape::None),
                filled,
                "{text}"
            );
        }
    }

    #[test]
    fn values_in_an_address_are_escaped_unless_they_are_addresses() {
        let fill = |text| Template::parse(text).fill(&Fixed, Escape::Query);
        assert_eq!(fill("/x?p=$gateway_context.path"), "/x?p=%2Fa+b");
        assert_eq!(fill("$gateway_meta.host/y"), "http://up:1/x y/y");
    }
}
