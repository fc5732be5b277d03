//! Checks that what is shipped may be shipped: `docs/licences.md` lists the licences of every package whose code is in
//! the worker or in the console, and `docs/licences.txt` has their texts, which most of them require to be passed on.
//! `UPDATE_EXPECT=1` writes both (`cargo xtask docs`).

#![allow(
    clippy::indexing_slicing,
    clippy::unwrap_used,
    missing_docs,
    reason = "a test"
)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Licences under which code may be part of an Apache-2.0 work that is shipped in compiled form.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The folder of the scripts that the console bundles: the npm packages they import are shipped, with their
/// dependencies. The rest of `package.json` is for building and testing.
const SCRIPTS: &str = "web/editor";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Whether one of the alternatives of a licence expression (SPDX) is allowed, with all of its parts.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace(['(', ')'], "").replace('/', " OR ");
    let is_known = |part: &str| {
        let licence = part.split(" WITH ").next().unwrap_or_default();
        ALLOWED.contains(&licence.trim())
    };
    expression
        .split(" OR ")
        .any(|alternative| alternative.split(" AND ").all(is_known))
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Package {
    name: String,
    version: String,
    licence: String,
    /// The folder of its files.
    folder: PathBuf,
}

/// Returns each crate that is compiled into a module.
fn crates() -> BTreeSet<Package> {
    let output = Command::new(env!("CARGO"))
        .current_dir(root())
        .args(["metadata", "--format-version", "1", "--locked"])
        .args(["--filter-platform", "wasm32-unknown-unknown"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let list = |value: &Value| value.as_array().unwrap().clone();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .map(|package| (text(&package["id"]), package))
        .collect();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .map(|node| (text(&node["id"]), node))
        .collect();
    let is_shipped = |name: &str| {
        name == "gatewright-web"
            || ["gatewright-worker-", "gatewright-extra-"]
                .iter()
                .any(|start| name.starts_with(start))
    };
    // Code that runs in the compiler is not in its output.
    let is_macro = |package: &Value| {
        list(&package["targets"])
            .iter()
            .any(|target| list(&target["kind"]).contains(&"proc-macro".into()))
    };
    let mut open: Vec<String> = packages
        .iter()
        .filter(|(_, package)| is_shipped(&text(&package["name"])))
        .map(|(id, _)| id.clone())
        .collect();
    let (mut seen, mut found) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = open.pop() {
        let package = &packages[&id];
        if is_macro(package) || !seen.insert(id.clone()) {
            continue;
        }
        if !package["source"].is_null() {
            let part = |name| text(&package[name]);
            let manifest = PathBuf::from(part("manifest_path"));
            found.insert(Package {
                name: part("name"),
                version: part("version"),
                licence: part("license"),
                folder: manifest.parent().unwrap().to_owned(),
            });
        }
        for dependency in list(&nodes[&id]["deps"]) {
            let kinds = list(&dependency["dep_kinds"]);
            if kinds.iter().any(|kind| kind["kind"].is_null()) {
                open.push(text(&dependency["pkg"]));
            }
        }
    }
    assert!(found.len() > 20, "the graph was read wrongly: {found:?}");
    found
}

/// Returns the packages that the console's scripts import.
fn imported() -> Vec<String> {
    let scripts = fs::read_dir(root().join(SCRIPTS)).unwrap();
    let mut found = Vec::new();
    for script in scripts {
        let text = fs::read_to_string(script.unwrap().path()).unwrap();
        let names = text
            .split(" from \"")
            .skip(1)
            .filter_map(|rest| rest.split('"').next());
        found.extend(names.map(str::to_owned));
    }
    found
}

/// Returns the npm packages that are bundled.
fn npm() -> BTreeSet<Package> {
    let lock = fs::read_to_string(root().join("package-lock.json")).unwrap();
    let lock: Value = serde_json::from_str(&lock).unwrap();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let (mut open, mut found) = (imported(), BTreeSet::new());
    while let Some(name) = open.pop() {
        // Anything that is not a package is a module of our own.
        let Some(package) = lock["packages"].get(format!("node_modules/{name}")) else {
            continue;
        };
        let folder = root().join("node_modules").join(&name);
        let part = |name| text(&package[name]);
        if found.insert(Package {
            name,
            version: part("version"),
            licence: part("license"),
            folder,
        }) {
            let needed = package["dependencies"].as_object();
            open.extend(needed.into_iter().flat_map(|needed| needed.keys().cloned()));
        }
    }
    assert!(found.len() > 9, "the imports were read wrongly: {found:?}");
    found
}

fn rows(packages: &BTreeSet<Package>) -> String {
    let row = |package: &Package| {
        let Package {
            name,
            version,
            licence,
            ..
        } = package;
        format!("| {name} | {version} | {licence} |\n")
    };
    packages.iter().map(row).collect()
}

/// Returns the licence files of a package.
fn texts(package: &Package) -> Vec<String> {
    let is_text = |name: &str| {
        let name = name.to_ascii_uppercase();
        ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"]
            .iter()
            .any(|start| name.starts_with(start))
    };
    let mut files: Vec<_> = fs::read_dir(&package.folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_file() && is_text(&path.file_name().unwrap().to_string_lossy()))
        .collect();
    files.sort();
    files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .map(|text| text.replace("\r\n", "\n").trim_end().to_owned())
        .collect()
}

/// Returns the heading above the texts of a package.
fn heading(package: &Package) -> String {
    let Package {
        name,
        version,
        licence,
        ..
    } = package;
    format!("{name} {version} ({licence})")
}

/// Returns every text once, below the packages that have it.
fn all_texts<'p>(packages: impl Iterator<Item = &'p Package>) -> String {
    let mut owners: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in packages {
        let mut texts = texts(package);
        if texts.is_empty() {
            texts.push("This package has no file with the text of its licence.".to_owned());
        }
        for text in texts {
            owners.entry(text).or_default().push(heading(package));
        }
    }
    let mut parts: Vec<_> = owners
        .into_iter()
        .map(|(text, owners)| (owners, text))
        .collect();
    parts.sort();
    let line = "=".repeat(80);
    let parts = parts
        .iter()
        .map(|(owners, text)| format!("{line}\n{}\n{line}\n\n{text}\n\n", owners.join("\n")));
    format!(
        "Parts of these packages are in Gatewright as it is built.\n\n{}",
        parts.collect::<String>()
    )
}

#[test]
fn everything_that_is_shipped_may_be() {
    let (crates, npm) = (crates(), npm());
    let wrong: Vec<_> = crates
        .iter()
        .chain(&npm)
        .filter(|package| !is_allowed(&package.licence))
        .collect();
    assert!(wrong.is_empty(), "not allowed, see ALLOWED: {wrong:?}");
    let page = format!(
        "# Licences\n\n\
         Gatewright is under [Apache-2.0](../LICENSE).\n\
         The worker and the console contain code of these packages. `cargo xtask docs` writes this page, and a test fails \
         if a licence is not compatible.\n\
         Their texts are in [licences.txt](licences.txt), which the console serves as `/console/licences.txt`.\n\n\
         ## Crates\n\n| Package | Version | Licence |\n|---|---|---|\n{}\n\
         ## From npm\n\n| Package | Version | Licence |\n|---|---|---|\n{}",
        rows(&crates),
        rows(&npm)
    );
    let path = root().join("docs/licences.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &page).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(written, page, "run `cargo xtask docs`");

    let path = root().join("docs/licences.txt");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, all_texts(crates.iter().chain(&npm))).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    let headings: BTreeSet<_> = written.lines().collect();
    for package in crates.iter().chain(&npm) {
        let heading = heading(package);
        assert!(
            headings.contains(heading.as_str()),
            "{heading}: run `cargo xtask docs`"
        );
    }
}

#[test]
fn alternatives_and_parts_of_an_expression_are_distinguished() {
    assert!(is_allowed("MIT OR GPL-3.0-only") && is_allowed("GPL-2.0/MIT"));
    assert!(is_allowed("(MIT OR Apache-2.0) AND Unicode-3.0"));
    assert!(is_allowed("Apache-2.0 WITH LLVM-exception"));
    assert!(!is_allowed("MPL-2.0") && !is_allowed("MIT AND GPL-3.0-only") && !is_allowed(""));
}
