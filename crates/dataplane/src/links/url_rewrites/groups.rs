//! What a rule's expression captures from an address.

use crate::exchange::Exchange;
use regex_lite::{Captures, Regex};

/// The groups of a match, encoded for use in an address.
#[derive(Debug)]
pub(super) struct Groups {
    texts: Vec<String>,
}

impl Groups {
    /// Matches an expression against the full address: listen path, path and query; first as sent, then decoded.
    pub(super) fn find(regex: &Regex, exchange: &Exchange) -> Option<Self> {
        let query = exchange.asked_query();
        let sent = joined(exchange.asked_path(false), query);
        if let Some(found) = regex.captures(&sent) {
            return Some(Self::new(&found, |_, text| text.to_owned()));
        }
        let path = exchange.decoded_path();
        let separator = path.len();
        let decoded = joined(path, &crate::path::percent_decode(query));
        let found = regex.captures(&decoded)?;
        Some(Self::new(&found, |start, text| {
            encoded(text, start, separator)
        }))
    }

    fn new(found: &Captures<'_>, shown: impl Fn(usize, &str) -> String) -> Self {
        let texts = found.iter().map(|group| {
            let text = group.map(|group| shown(group.start(), group.as_str()));
            text.unwrap_or_default()
        });
        Self {
            texts: texts.collect(),
        }
    }

    /// Appends a text to `out`, with `$0`, `$1` and so on replaced; missing groups are empty.
    pub(super) fn expand(&self, text: &str, out: &mut String) {
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('$') {
            out.push_str(before);
            let (number, after) = number(behind);
            match number {
                Some(number) => out.push_str(self.group(number)),
                None => out.push('$'),
            }
            rest = after;
        }
        out.push_str(rest);
    }

    /// Whether the groups in a URL's scheme and authority can only be a name or a port: an `@` or a dot there would
    /// send the request to a host of the client's choice.
    pub(super) fn fit_in_host(&self, host: &str) -> bool {
        let mut numbers = host.split('$').skip(1).filter_map(|text| number(text).0);
        numbers.all(|number| {
            let text = self.group(number).split(['/', '?']).next();
            let plain =
                |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
            text.unwrap_or_default().chars().all(plain)
        })
    }

    fn group(&self, number: usize) -> &str {
        self.texts
            .get(number)
            .map(String::as_str)
            .unwrap_or_default()
    }
}

/// Splits a text after the number it starts with.
fn number(text: &str) -> (Option<usize>, &str) {
    let after = text.trim_start_matches(|digit: char| digit.is_ascii_digit());
    let digits = text.strip_suffix(after).unwrap_or_default();
    let number = (!digits.is_empty()).then(|| digits.parse().unwrap_or(usize::MAX));
    (number, after)
}

fn joined(mut path: String, query: &str) -> String {
    if !query.is_empty() {
        path.push('?');
        path.push_str(query);
    }
    path
}

/// Encodes decoded text for use in an address: characters with a special meaning there are escaped again, except for
/// the separator between path and query.
fn encoded(text: &str, start: usize, separator: usize) -> String {
    let mut out = String::with_capacity(text.len());
    for (at, letter) in text.char_indices() {
        match letter {
            '%' => out.push_str("%25"),
            '#' => out.push_str("%23"),
            '?' if start.saturating_add(at) != separator => out.push_str("%3F"),
            letter => out.push(letter),
        }
    }
    out
}
