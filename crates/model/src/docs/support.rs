//! The support table: what this runtime does with every member.

use std::fmt::Write as _;

use super::{MADE, anchor, cell, documents, heading};
use crate::shape::{Member, Root, Support, Type, all_types, types_of};

/// What this runtime does with every member of every document: what is enforced, what an API that
/// asks for it is not served for, what can't work here and why, and what is only kept.
#[must_use]
pub fn support_table() -> String {
    let mut text = format!(
        "# What is supported\n\n{MADE}\n\
         - **Enforced**: the member is acted on.\n\
         - **Stored**: it is kept and given back as it was sent, but has no effect yet.\n\
         - **Unsupported**: it is kept and given back, and can never have an effect here.\n\n"
    );
    totals(&mut text);
    list(
        &mut text,
        "Enforced",
        "| Member | What it does |",
        |member| (*member.support == Support::Enforced).then(|| cell(member.doc)),
    );
    list(
        &mut text,
        "Not served without\n\n\
         An API that asks for one of these is kept, but not served: without the protection it would \
         stand open.",
        "| Member | What it asks for |",
        |member| {
            member
                .protects()
                .filter(|_| *member.support != Support::Enforced)
                .map(cell)
        },
    );
    list(
        &mut text,
        "Keys refused with\n\n\
         A key that has one of these is kept, but refused by the APIs that this is about, those of \
         GraphQL or MCP: it could do what it must not.",
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
    stored(&mut text);
    text
}

/// The members that are kept only: what a definition may say without effect.
#[must_use]
pub fn stored_members(root: Root) -> Vec<String> {
    let types = types_of(root);
    let name = |of: &Type, member: &Member| format!("{}.{}", of.name, member.name);
    types
        .iter()
        .flat_map(|of| stored_of(of).map(move |member| name(of, member)))
        .collect()
}

fn stored_of(of: &'static Type) -> impl Iterator<Item = &'static Member> {
    let stored = |member: &&Member| *member.support == Support::Stored;
    of.members.iter().filter(stored)
}

/// How many members of each document are what.
fn totals(text: &mut String) {
    text.push_str(
        "| Document | Members | Enforced | Stored | Unsupported |\n|---|--:|--:|--:|--:|\n",
    );
    let documents = documents();
    // Writing to a String cannot fail.
    for (root, types) in documents.iter().filter(|(_, types)| !types.is_empty()) {
        let _ = writeln!(text, "| {} | {} |", heading(*root), counts(types));
    }
    let _ = writeln!(text, "| All | {} |\n", counts(&all_types()));
    text.push_str("A type that several documents share is counted with the first of them.\n");
}

fn counts(types: &[&Type]) -> String {
    let members = || types.iter().flat_map(|of| of.members);
    let of = |word: &str| {
        let same = members().filter(|member| member.support.word() == word);
        same.count()
    };
    format!(
        "{} | {} | {} | {}",
        members().count(),
        of("enforced"),
        of("stored"),
        of("unsupported")
    )
}

/// A section with a row for every member that `note` has something to say about.
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

/// One line per type: whole tables of the same word would hide the others.
fn stored(text: &mut String) {
    text.push_str("\n## Stored\n");
    for (root, types) in documents() {
        let lines: Vec<String> = types.iter().filter_map(|of| stored_line(of)).collect();
        if !lines.is_empty() {
            let _ = writeln!(text, "\n### {}\n\n{}", heading(root), lines.join("\n"));
        }
    }
}

fn stored_line(of: &'static Type) -> Option<String> {
    let names: Vec<String> = stored_of(of)
        .map(|member| format!("`{}`", member.name))
        .collect();
    let name = owner(of);
    (!names.is_empty()).then(|| format!("- {}: {}", name.trim_end(), names.join(", ")))
}

/// The type, with a link to its members.
fn owner(of: &Type) -> String {
    format!("[{}](fields.md#{}) ", cell(of.name), anchor(of.name))
}
