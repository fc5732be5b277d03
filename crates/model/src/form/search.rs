//! The search for fields.

use super::rank;
use crate::order::order;
use crate::shape::{Kind, Member, Root, Type};

/// A field anywhere below a type, found by a search.
#[derive(Clone, Debug)]
pub struct Hit {
    /// The path to it: member names, with `*` for an array element or a map entry.
    pub path: Vec<&'static str>,
    /// The member in the table of types.
    pub member: &'static Member,
}

/// The maximum number of hits a search returns.
const MOST: usize = 200;

/// Finds the fields whose path or sentence contains every word of a query, ignoring case. Fields whose name, or a word
/// of it, starts with the query come first, then enforced ones, then those that disable nothing, then shorter paths.
#[must_use]
pub fn search(root: Root, query: &str) -> Vec<Hit> {
    search_of(root.shape(), query)
}

/// Like [`search`], below a type.
#[must_use]
pub fn search_of(of: &'static Type, query: &str) -> Vec<Hit> {
    let query = query.trim().to_ascii_lowercase();
    let words: Vec<&str> = query.split_whitespace().collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut hits = Vec::new();
    find(of, &words, &mut Vec::new(), &mut Vec::new(), &mut hits);
    let key = |at: usize| {
        let hit: Option<&Hit> = hits.get(at);
        let name = |hit: &Hit| hit.member.name.to_ascii_lowercase();
        let first = |hit: &Hit| {
            name(hit).split('_').any(|word| word.starts_with(&query))
                || name(hit).starts_with(&query)
        };
        let disables = |hit: &Hit| hit.member.name.starts_with("disable");
        hit.map(|hit| (!first(hit), rank(hit.member), disables(hit), hit.path.len()))
    };
    let order = order(hits.len(), &mut |a, b| key(a).cmp(&key(b)));
    let best = order.into_iter().take(MOST);
    best.filter_map(|at| hits.get(at).cloned()).collect()
}

fn find(
    of: &'static Type,
    words: &[&str],
    path: &mut Vec<&'static str>,
    inside: &mut Vec<&'static str>,
    hits: &mut Vec<Hit>,
) {
    // A recursive type would never end.
    if inside.contains(&of.name) {
        return;
    }
    inside.push(of.name);
    for member in of.members {
        path.push(member.name);
        let text = format!("{} {}", path.join("."), member.doc).to_ascii_lowercase();
        if words.iter().all(|word| text.contains(word)) {
            hits.push(Hit {
                path: path.clone(),
                member,
            });
        }
        let before = path.len();
        let mut kind = member.kind;
        while let Kind::Array(inner) | Kind::Map(_, inner) = kind {
            path.push("*");
            kind = inner;
        }
        if let Kind::Object(of) = kind {
            find(of, words, path, inside, hits);
        }
        path.truncate(before);
        path.pop();
    }
    inside.pop();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn enforced_members_rank_first() {
        let hits = search(Root::ApiDefinition, "auth");
        let begin = hits
            .iter()
            .filter(|hit| hit.member.name.starts_with("auth"));
        let ranks: Vec<u8> = begin.map(|hit| rank(hit.member)).collect();
        assert!(ranks.len() > 2 && ranks.is_sorted(), "{ranks:?}");
        let place = |name| hits.iter().position(|hit| hit.path == [name]);
        assert!(place("use_standard_auth").unwrap() < 30);
    }

    #[test]
    fn a_switch_that_disables_something_is_not_the_first_hit_for_it() {
        let hits = search(Root::ApiDefinition, "rate");
        assert_eq!(hits[0].path, ["global_rate_limit"]);
        let hits = search(Root::ApiDefinition, "disable_rate");
        assert_eq!(hits[0].path, ["disable_rate_limit"]);
    }

    #[test]
    fn fields_are_found_by_keywords() {
        let paths = |query| -> Vec<String> {
            search(Root::ApiDefinition, query)
                .into_iter()
                .map(|hit| hit.path.join("."))
                .collect()
        };
        assert_eq!(paths("listen_pa")[0], "proxy.listen_path");
        assert!(paths("Circuit").contains(
            &"version_data.versions.*.extended_paths.circuit_breakers.*.samples".to_owned()
        ));
        assert!(paths("trailing slash").contains(&"proxy.disable_strip_slash".to_owned()));
        assert!(paths("").is_empty() && paths("xyzzy").is_empty());
    }
}
