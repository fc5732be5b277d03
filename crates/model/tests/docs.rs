//! The files under `docs/` match the table of types. `UPDATE_EXPECT=1`, which `cargo xtask docs` sets, writes them.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::panic, clippy::unwrap_used, missing_docs, reason = "a test")]

use std::path::Path;
use std::{env, fs};

use gatewright_model::docs::{capability_table, field_reference, support_table};

#[test]
fn committed_files_match_the_table() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    for (name, text) in [
        ("fields.md", field_reference()),
        ("support.md", support_table()),
    ] {
        let file = folder.join(name);
        if env::var_os("UPDATE_EXPECT").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(file, text).unwrap();
            continue;
        }
        let committed = fs::read_to_string(file).unwrap_or_default();
        assert!(
            committed == text,
            "docs/{name} is not what the table of types says: run `cargo xtask docs`"
        );
    }
}

/// The README has the table of capabilities between these.
const BEGIN: &str = "<!-- capabilities: written by `cargo xtask docs` -->\n";
const END: &str = "<!-- /capabilities -->";

#[test]
fn readme_lists_what_works() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(&file).unwrap();
    let (before, rest) = readme.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let table = capability_table();
    let text = format!("{before}{BEGIN}\n{table}\n{END}{after}");
    if env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(file, text).unwrap();
    } else {
        assert!(
            readme == text,
            "the README's table is not what the table of types says: run `cargo xtask docs`"
        );
    }
}
