//! The support table: what this runtime does with every member.

use std::fmt::Write as _;

use super::{MADE, anchor, cell, documents, heading};
use crate::shape::{
    Member, Named, Root, Support, Switch, Type, all_types, is_container, member_paths, types_of,
};

/// Lists what this runtime does with every member of every document: what is enforced, what keeps an API from being
/// served, what can't work here and why, and what is only stored.
#[must_use]
pub fn support_table() -> String {
    let mut text = format!(
        "# What is supported\n\n{MADE}\n\
         - **Enforced**: the gateway acts on the member.\n\
         - **Informative**: the member is stored and returned, and is not meant to affect requests.\n\
         - **Stored**: the member is stored and returned unchanged, but has no effect yet.\n\
         - **Unsupported**: the member is stored and returned, but can never have an effect here.\n\n"
    );
    totals(&mut text);
    list(
        &mut text,
        "Enforced",
        "| Member | What it does |",
        |member| (*member.support == Support::Enforced).then(|| cell(member.doc)),
    );
    unserved(&mut text);
    list(
        &mut text,
        "Keys refused with\n\n\
         A key that has one of these members is stored, but GraphQL APIs refuse it: without the \
         restriction the key could do what it must not.",
        "| Member | What it restricts |",
        |member| member.restricts().map(cell),
    );
    list(
        &mut text,
        "Unsupported",
        "| Member | Why |",
        |member| match *member.support {
            Support::Unsupported(reason) => Some(cell(reason)),
            _ => None,
        },
    );
    by_type(&mut text, "Informative", Support::Informative);
    by_type(&mut text, "Stored", Support::Stored);
    text
}

/// Lists the members that an API isn't served with, by the names that `ALLOW_UNENFORCED` accepts.
fn unserved(text: &mut String) {
    text.push_str(
        "\n## Not served with\n\n\
         An API that uses one of these members is stored, but not served: without the protection it \
         would be open, or its requests would not be what the definition says. To serve such an API \
         anyway, name the members in the variable `ALLOW_UNENFORCED`, separated by commas and spelt \
         as in this table; a name also covers everything below it. Empty lists and what is \
         `disabled` don't count as use.\n\n\
         | Member | What it asks for | Why not |\n|---|---|---|\n",
    );
    // Members inside a list that isn't acted on, or behind a switch, aren't listed separately.
    let mut closed: Vec<String> = Vec::new();
    for named in member_paths(Root::ApiDefinition) {
        let Named {
            path,
            member,
            owner,
        } = &named;
        let inside = |closed: &String| {
            let rest = path.strip_prefix(closed.as_str());
            rest.is_some_and(|rest| rest.starts_with('.'))
        };
        if closed.iter().any(inside) {
            continue;
        }
        let open = is_container(member.kind) || *member.support == Support::Enforced;
        if !open || !is_independent(owner, member) {
            closed.push(path.clone());
        }
        if !is_container(member.kind) && member.is_unservable() && is_independent(owner, member) {
            let why = match *member.support {
                Support::Unsupported(reason) => cell(reason),
                _ => "not done yet".to_owned(),
            };
            let link = format!("[`{path}`](fields.md#{})", anchor(owner.name));
            // Writing to a String cannot fail.
            let _ = writeln!(text, "| {link} | {} | {why} |", cell(member.doc));
        }
    }
}

/// Whether a member has an effect by itself, and not only where another one switches it on.
fn is_independent(owner: &Type, member: &Member) -> bool {
    let switched = matches!(owner.switch, Switch::On(name) if name != member.name);
    member.needs().is_some() || !switched && !member.is_detail()
}

/// Lists the members that are only stored: a definition may have them without effect.
#[must_use]
pub fn stored_members(root: Root) -> Vec<String> {
    let types = types_of(root);
    let name = |of: &Type, member: &Member| format!("{}.{}", of.name, member.name);
    types
        .iter()
        .flat_map(|of| with(of, Support::Stored).map(move |member| name(of, member)))
        .collect()
}

fn with(of: &'static Type, support: Support) -> impl Iterator<Item = &'static Member> {
    let same = move |member: &&Member| *member.support == support;
    of.members.iter().filter(same)
}

/// Counts the members of each document by support.
fn totals(text: &mut String) {
    text.push_str(
        "| Document | Members | Enforced | Informative | Stored | Unsupported |\n\
         |---|--:|--:|--:|--:|--:|\n",
    );
    let documents = documents();
    // Writing to a String cannot fail.
    for (root, types) in documents.iter().filter(|(_, types)| !types.is_empty()) {
        let _ = writeln!(text, "| {} | {} |", heading(*root), counts(types));
    }
    let _ = writeln!(text, "| All | {} |\n", counts(&all_types()));
    text.push_str("A type that several documents share is counted once, with the first of them.\n");
}

fn counts(types: &[&Type]) -> String {
    let members = || types.iter().flat_map(|of| of.members);
    let of = |word: &str| {
        let same = members().filter(|member| member.support.word() == word);
        same.count()
    };
    format!(
        "{} | {} | {} | {} | {}",
        members().count(),
        of("enforced"),
        of("informative"),
        of("stored"),
        of("unsupported")
    )
}

/// Writes a section with a row for every member for which `note` returns a text.
fn list(text: &mut String, title: &str, head: &str, note: fn(&Member) -> Option<String>) {
    let _ = writeln!(text, "\n## {title}\n\n{head}\n|---|---|");
    for of in all_types() {
        for member in of.members {
            if let Some(note) = note(member) {
                let _ = writeln!(text, "| {}`{}` | {note} |", owner(of), member.name);
            }
        }
    }
}

/// Writes one line per type: full tables repeating the same word would hide the others.
fn by_type(text: &mut String, title: &str, support: Support) {
    let _ = writeln!(text, "\n## {title}");
    for (root, types) in documents() {
        let line = |of: &&'static Type| type_line(of, support);
        let lines: Vec<String> = types.iter().filter_map(line).collect();
        if !lines.is_empty() {
            let _ = writeln!(text, "\n### {}\n\n{}", heading(root), lines.join("\n"));
        }
    }
}

fn type_line(of: &'static Type, support: Support) -> Option<String> {
    let names: Vec<String> = with(of, support)
        .map(|member| format!("`{}`", member.name))
        .collect();
    let name = owner(of);
    (!names.is_empty()).then(|| format!("- {}: {}", name.trim_end(), names.join(", ")))
}

/// Returns the name of a type, linked to its members.
fn owner(of: &Type) -> String {
    format!("[{}](fields.md#{}) ", cell(of.name), anchor(of.name))
}
