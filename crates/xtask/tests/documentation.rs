//! Checks every link in the project's pages: it has to lead to a file or to a heading in one.

#![allow(clippy::unwrap_used, missing_docs, reason = "a test")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the pages: those at the top, those of `docs/`, and the architecture page.
fn pages() -> Vec<PathBuf> {
    let top = fs::read_dir(root()).unwrap();
    let docs = fs::read_dir(root().join("docs")).unwrap();
    let pages = top.chain(docs).map(|entry| entry.unwrap().path());
    let mut pages: Vec<_> = pages
        .filter(|path| path.extension().is_some_and(|end| end == "md"))
        .collect();
    pages.push(root().join("crates/README.md"));
    pages
}

/// Returns a page without its code blocks, where brackets mean something else.
fn prose(text: &str) -> String {
    let mut is_code = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the anchors of its headings, as GitHub generates them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter_map(|line| {
        let heading = line.trim_start_matches('#');
        (heading.len() < line.len()).then(|| heading.trim().to_lowercase())
    });
    let anchor = |heading: String| {
        let kept = heading
            .chars()
            .filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter })
            .collect()
    };
    headings.map(anchor).collect()
}

/// Returns the targets of its links.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split("](").skip(1);
    parts.filter_map(|part| part.split_once(')').map(|(target, _)| target))
}

#[test]
fn every_link_leads_somewhere() {
    let mut wrong = Vec::new();
    let mut checked = 0_usize;
    for page in pages() {
        let text = prose(&fs::read_to_string(&page).unwrap());
        for link in links(&text).filter(|link| !link.contains("://")) {
            checked += 1;
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match file {
                "" => page.clone(),
                file => page.parent().unwrap().join(file),
            };
            let is_there = match fs::read_to_string(&target) {
                Ok(text) => anchor.is_empty() || anchors(&prose(&text)).contains(anchor),
                Err(_) => target.exists() && anchor.is_empty(),
            };
            if !is_there {
                wrong.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(checked > 50, "{checked} links");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_page_is_one_click_from_the_readme() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let linked: BTreeSet<&str> = links(&readme)
        .map(|link| link.split('#').next().unwrap())
        .collect();
    for page in fs::read_dir(root().join("docs")).unwrap() {
        let name = page.unwrap().file_name().into_string().unwrap();
        assert!(
            linked.contains(format!("docs/{name}").as_str()),
            "docs/{name}"
        );
    }
    let words = prose(&readme).split_whitespace().count();
    assert!(words <= 1200, "{words} words in the README");
}
