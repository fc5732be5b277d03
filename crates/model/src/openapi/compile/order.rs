//! The order of rules from a document (reference 5.2): of several paths that match a request, the longer and more
//! literal one comes first.

use super::super::tree::Tree;
use crate::order::order;

/// Sorts the rules of each list by path; those with the same path stay in document order.
pub(super) fn sort(lists: &mut Tree) {
    let Tree::Object(lists) = lists else { return };
    for (_, list) in lists {
        let Tree::Array(rules) = list else { continue };
        let mut taken: Vec<Option<Tree>> = std::mem::take(rules).into_iter().map(Some).collect();
        let paths: Vec<Rank> = taken.iter().map(rank).collect();
        let sorted = order(paths.len(), &mut |a, b| paths.get(a).cmp(&paths.get(b)));
        rules.extend(
            sorted
                .into_iter()
                .filter_map(|at| taken.get_mut(at)?.take()),
        );
    }
}

/// The sort key of a path.
type Rank = (
    std::cmp::Reverse<usize>,
    std::cmp::Reverse<usize>,
    usize,
    String,
);

fn rank(rule: &Option<Tree>) -> Rank {
    let path = rule.as_ref().and_then(|rule| rule.member("path"));
    let path = path.unwrap_or_default();
    let (literal, templates) = parts(path);
    (
        std::cmp::Reverse(path.matches('/').count()),
        std::cmp::Reverse(literal),
        templates,
        path.to_owned(),
    )
}

/// Counts the literal bytes of a path, and its templates.
fn parts(path: &str) -> (usize, usize) {
    let (mut literal, mut templates) = (0_usize, 0_usize);
    let mut is_inside = false;
    for byte in path.bytes() {
        match byte {
            b'{' => {
                is_inside = true;
                templates = templates.saturating_add(1);
            }
            b'}' => is_inside = false,
            _ if !is_inside => literal = literal.saturating_add(1),
            _ => {}
        }
    }
    (literal, templates)
}
