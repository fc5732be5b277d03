//! Reference documentation generated from the table of types: Markdown, one sentence per cell. `cargo xtask docs`
//! writes it into `docs/` and the README; `tests/docs.rs` compares the files with the table.

mod capabilities;
mod fields;
mod support;

pub use capabilities::capability_table;
pub use fields::field_reference;
pub use support::{stored_members, support_table};

use crate::shape::{Root, Type, types_of};

/// The first line of both files.
const MADE: &str = "Made from the table of types by `cargo xtask docs`; don't edit.\n";

/// Returns every document with the types that no earlier document has.
fn documents() -> Vec<(Root, Vec<&'static Type>)> {
    let mut seen: Vec<&str> = Vec::new();
    let mut own = |root| {
        let mut types = types_of(root);
        types.retain(|of| !seen.contains(&of.name));
        seen.extend(types.iter().map(|of| of.name));
        (root, types)
    };
    Root::ALL.into_iter().map(&mut own).collect()
}

/// Returns the title of a document as a heading: "An API definition".
fn heading(root: Root) -> String {
    let title = root.title();
    let first = title.chars().next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(title.chars().skip(1)).collect()
}

/// Escapes a text for a table cell.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace("{{", "&#123;&#123;")
}

/// Returns the anchor that Markdown renderers generate for a heading.
fn anchor(name: &str) -> String {
    let kept = name.chars().filter(|character| {
        character.is_ascii_alphanumeric() || matches!(character, ' ' | '-' | '_')
    });
    kept.collect::<String>()
        .replace(' ', "-")
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests;
