//! Reference documentation, made from the table of types: Markdown, one sentence per cell.

use std::fmt::Write as _;

use crate::assist::describe;
use crate::shape::{Member, Presence, Root, Support, Switch, all_types, types_of};

/// What this runtime does with every member of every document: one table per type, and a summary.
#[must_use]
pub fn support_table() -> String {
    let mut text = String::from(
        "# What is supported\n\n\
         Made from the table of types; don't edit.\n\n\
         - **enforced**: the member is acted on.\n\
         - **stored**: it is kept and given back as it was sent, but has no effect yet.\n\
         - **unsupported**: it is kept and given back, and can never have an effect here.\n\n",
    );
    let types = all_types();
    let members = || types.iter().flat_map(|of| of.members);
    let count = |word: &str| {
        members()
            .filter(|member| member.support.word() == word)
            .count()
    };
    let all = members().count();
    // Writing to a String cannot fail.
    let _ = writeln!(
        text,
        "{all} members of {} types: {} enforced, {} stored, {} unsupported.\n",
        types.len(),
        count("enforced"),
        count("stored"),
        count("unsupported")
    );
    for of in types {
        let _ = writeln!(
            text,
            "## {}\n\n| Member | Support | Note |\n|---|---|---|",
            cell(of.name)
        );
        for member in of.members {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} |",
                member.name,
                member.support.word(),
                cell(&note(member))
            );
        }
        text.push('\n');
    }
    text
}

/// The members that are kept only: what a definition may say without effect.
#[must_use]
pub fn stored_members(root: Root) -> Vec<String> {
    let mut names = Vec::new();
    for of in types_of(root) {
        for member in of
            .members
            .iter()
            .filter(|member| *member.support == Support::Stored)
        {
            names.push(format!("{}.{}", of.name, member.name));
        }
    }
    names
}

fn note(member: &Member) -> String {
    let mut notes = Vec::new();
    if let Support::Unsupported(reason) = *member.support {
        notes.push(reason.to_owned());
    }
    if let Some(what) = member
        .protects()
        .filter(|_| *member.support != Support::Enforced)
    {
        notes.push(format!(
            "{what}: an API that asks for it is kept, but not served"
        ));
    }
    notes.join("; ")
}

/// Every document, type and member: what its value has to be, its default, what it does.
#[must_use]
pub fn field_reference() -> String {
    let mut text =
        String::from("# Field reference\n\nMade from the table of types; don't edit.\n\n");
    for root in Root::ALL {
        let _ = writeln!(
            text,
            "- {}: [{}](#{})",
            root.title(),
            cell(root.shape().name),
            anchor(root.shape().name)
        );
    }
    for of in all_types() {
        let _ = writeln!(text, "\n## {}\n\n{}.\n", cell(of.name), of.doc);
        match of.switch {
            Switch::On(name) => {
                let _ = writeln!(text, "Means nothing unless `{name}` is true.\n");
            }
            Switch::Off(name) => {
                let _ = writeln!(text, "Means nothing when `{name}` is true.\n");
            }
            Switch::None => {}
        }
        text.push_str(
            "| Member | Value | Default | What it does | Support |\n|---|---|---|---|---|\n",
        );
        for member in of.members {
            text.push_str(&row(member));
        }
    }
    text
}

fn row(member: &Member) -> String {
    let presence = match member.presence() {
        Presence::Required => " (required)",
        Presence::Expected => " (expected)",
        Presence::Optional => "",
    };
    let value = cell(&describe(member.kind));
    let value = match member.kind.object() {
        Some(of) => format!("{value} [↓](#{})", anchor(of.name)),
        None => value,
    };
    let default = member
        .default()
        .map(|json| format!("`{json}`"))
        .unwrap_or_default();
    let mut doc = cell(member.doc);
    if let Some(other) = member.unless() {
        let _ = write!(doc, "; off while `{other}` is true");
    }
    format!(
        "| `{}`{presence} | {value} | {default} | {doc} | {} |\n",
        member.name,
        member.support.word()
    )
}

/// A text inside a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
        .replace('<', "&lt;")
        .replace("{{", "&#123;&#123;")
}

/// The anchor that Markdown renderers make of a heading.
fn anchor(name: &str) -> String {
    let kept = name.chars().filter(|character| {
        character.is_ascii_alphanumeric() || matches!(character, ' ' | '-' | '_')
    });
    kept.collect::<String>()
        .replace(' ', "-")
        .to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_member_has_a_row_in_both() {
        let (support, fields) = (support_table(), field_reference());
        for of in all_types() {
            assert!(support.contains(&format!("## {}\n", cell(of.name))));
            for member in of.members {
                let row = format!("| `{}`", member.name);
                assert!(support.contains(&row) && fields.contains(&row), "{row}");
            }
        }
        assert!(!fields.contains("\n\n\n"));
    }

    #[test]
    fn tables_have_as_many_cells_as_their_head() {
        for text in [support_table(), field_reference()] {
            let mut cells = 0;
            for line in text.lines() {
                let bars = line.replace("\\|", "").matches('|').count();
                if !line.starts_with('|') {
                    cells = 0;
                } else if cells == 0 {
                    cells = bars;
                } else {
                    assert_eq!(bars, cells, "{line}");
                }
            }
        }
    }

    #[test]
    fn links_lead_to_headings() {
        let text = field_reference();
        let headings: BTreeSet<String> = text
            .lines()
            .filter_map(|line| line.strip_prefix("## "))
            .map(anchor)
            .collect();
        for link in text.split("](#").skip(1) {
            let target = link.split(')').next().unwrap();
            assert!(headings.contains(target), "{target}");
        }
    }

    #[test]
    fn what_is_only_stored_is_listed() {
        let stored = stored_members(Root::ApiDefinition);
        assert!(stored.contains(&"CacheOptions.enable_cache".to_owned()));
        assert!(!stored.iter().any(|name| name == "ProxyConfig.listen_path"));
    }
}
