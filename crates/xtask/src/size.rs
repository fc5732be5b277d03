//! `size`: the gzipped size of the worker's modules and of the console's first load, against their budgets.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::fail::{Context, Fail, Result, error};
use crate::term::{Stream, Style, paint};
use crate::{build, npm, paths, process};

/// The limits, in bytes after gzip. The edge cold-starts workers in many locations, and every byte of the console's
/// first load delays its first paint.
const MODULES: [(&str, &str, u64); 9] = [
    ("dataplane", "dataplane_bg.wasm", 400_000),
    ("controlplane", "controlplane_bg.wasm", 550_000),
    ("registry", "registry_bg.wasm", 550_000),
    ("extra: auth", "auth_bg.wasm", 450_000),
    ("extra: jq", "jq_bg.wasm", 450_000),
    ("extra: mcp", "mcp_bg.wasm", 450_000),
    ("extra: openapi", "openapi_bg.wasm", 450_000),
    ("extra: schema", "schema_bg.wasm", 450_000),
    ("extra: transform", "transform_bg.wasm", 450_000),
];
/// The total upload of the worker, with each module within its own budget. The platform's smallest limit is 3 MB
/// (<https://developers.cloudflare.com/workers/platform/limits/#worker-size>); the rest is in reserve.
const UPLOAD_BUDGET: u64 = 2_900_000;
const CONSOLE_BUDGET: u64 = 350_000;

/// What marks the names of the console's files that are only loaded when an editor, a form, the import, the palette or
/// the playground is opened, or something is selected in a list.
const LAZY: [&str; 8] = [
    "bulk-",
    "-editor-",
    "-form-",
    "openapi-",
    "-palette-",
    "-playground-",
    "extra-",
    "extras-",
];

/// The label of each area's first load, and what marks the names of its files: a visit that starts in one area doesn't
/// load the files of the others.
const AREAS: [(&str, &[&str]); 10] = [
    (
        "console, first load",
        &["start-gateway-", "gatewright-web-", "gateway-styles-"],
    ),
    ("dashboard, first load", &["-dashboard-", DASHBOARD_STYLES]),
    ("documents, first load", &["-documents-", DASHBOARD_STYLES]),
    (
        "described, first load",
        &["-described-", "described-styles-"],
    ),
    ("offered, first load", &["-offered-", "offered-styles-"]),
    ("access, first load", &["-access-", DASHBOARD_STYLES]),
    ("overview, first load", &["-overview-", "overview-styles-"]),
    ("traffic, first load", &["-traffic-", "traffic-styles-"]),
    ("trust, first load", &["-trust-", "trust-styles-"]),
    (
        "reference, first load",
        &["-reference-", "reference-styles-"],
    ),
];
const DASHBOARD_STYLES: &str = "dashboard-styles-";

/// Returns what marks the files of the other areas.
fn others(own: &[&str]) -> Vec<&'static str> {
    let all = AREAS.iter().flat_map(|(_, names)| names.iter().copied());
    all.filter(|name| !own.contains(name)).collect()
}

/// Prints the raw and compressed size of every file named on the command line. Node brings zlib.
const GZIP: &str = "
const { readFileSync } = require('node:fs');
const { gzipSync } = require('node:zlib');
for (const file of process.argv.slice(1)) {
  const bytes = readFileSync(file);
  console.log(bytes.length, gzipSync(bytes, { level: 9 }).length);
}";

/// Sizes in bytes, raw and after gzip.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    raw: u64,
    gzip: u64,
}

/// `cargo xtask size`: builds, measures, prints a table.
///
/// # Errors
/// If something can't be built or measured, or is above its budget.
pub(crate) fn run() -> Result<()> {
    build::all(build::Effort::Deployed)?;
    let output = paths::at(build::WORKER.output);
    let (areas, later) = console(&paths::at(build::CONSOLE.output))?;
    let mut rows = Vec::new();
    for (name, file, budget) in MODULES {
        rows.push((name, measure(&[output.join(file)])?, Some(budget)));
    }
    let uploaded = measure(&paths::files(&output, &[]))?;
    rows.push(("total upload", uploaded, Some(UPLOAD_BUDGET)));
    for ((name, _), files) in AREAS.iter().zip(&areas) {
        rows.push((name, measure(files)?, Some(CONSOLE_BUDGET)));
    }
    rows.push(("console, later", measure(&later)?, None));
    println!("{:22} {:>9} {:>9} {:>9}", "kB", "raw", "gzip", "budget");
    for &(name, size, budget) in &rows {
        let gzip = format!("{:>9}", kilobytes(size.gzip));
        let gzip = match budget {
            Some(budget) if size.gzip > budget => paint(Stream::Out, Style::Red, &gzip),
            Some(_) => paint(Stream::Out, Style::Green, &gzip),
            None => gzip,
        };
        let budget = budget.map_or_else(|| "-".to_owned(), kilobytes);
        println!("{name:22} {:>9} {gzip} {budget:>9}", kilobytes(size.raw));
    }
    let over_budget: Vec<_> = rows
        .iter()
        .filter(|(_, size, budget)| budget.is_some_and(|most| size.gzip > most))
        .collect();
    for (name, _, _) in &over_budget {
        crate::term::error(&format!("{name} exceeds its budget"));
    }
    if over_budget.is_empty() {
        Ok(())
    } else {
        Err(Fail::Reported)
    }
}

/// Formats bytes in units of 1000, with one decimal.
fn kilobytes(bytes: u64) -> String {
    let tenths = bytes.saturating_add(50).checked_div(100).unwrap_or(0);
    let (whole, tenth) = (
        tenths.checked_div(10).unwrap_or(0),
        tenths.checked_rem(10).unwrap_or(0),
    );
    format!("{whole}.{tenth}")
}

fn measure(files: &[PathBuf]) -> Result<Size> {
    if files.is_empty() {
        return Ok(Size::default());
    }
    let mut node = process::command(npm::node());
    let answer = process::run("measure", node.args(["-e", GZIP, "--"]).args(files))?;
    let mut total = Size::default();
    for line in answer.lines() {
        let (raw, gzip) = line
            .split_once(' ')
            .ok_or_else(|| error("node did not report the sizes"))?;
        let number = |text: &str| {
            text.parse::<u64>()
                .context(|| "node did not report the sizes".to_owned())
        };
        total.raw = total.raw.saturating_add(number(raw)?);
        total.gzip = total.gzip.saturating_add(number(gzip)?);
    }
    Ok(total)
}

/// Returns the console's files: those for the first page load of each area, and the rest.
fn console(folder: &Path) -> Result<(Vec<Vec<PathBuf>>, Vec<PathBuf>)> {
    let files = paths::files(folder, &[]);
    let texts: Vec<(String, String)> = files
        .iter()
        .filter_map(|file| {
            file.file_name()?
                .to_str()
                .map(|name| (name.to_owned(), file))
        })
        .map(|(name, file)| {
            let text = if may_name_others(&name) {
                std::fs::read(file).unwrap_or_default()
            } else {
                Vec::new()
            };
            (name, String::from_utf8_lossy(&text).into_owned())
        })
        .collect();
    let areas = AREAS.map(|(_, own)| first_load(&texts, &others(own)));
    if areas.iter().any(BTreeSet::is_empty) {
        return Err(error(format!("{} has no index.html", paths::shown(folder))));
    }
    let named = |file: &Path, names: &BTreeSet<&str>| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| names.contains(name))
    };
    let of = |names: &BTreeSet<&str>| {
        let of_area = files.iter().filter(|file| named(file, names));
        of_area.cloned().collect()
    };
    let first: Vec<Vec<PathBuf>> = areas.iter().map(of).collect();
    let later = |file: &PathBuf| !areas.iter().any(|names| named(file, names));
    Ok((
        first,
        files.iter().filter(|file| later(file)).cloned().collect(),
    ))
}

fn may_name_others(name: &str) -> bool {
    [".html", ".js", ".css"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Returns the names of `index.html` and of everything it references, directly or not (a script its module, a style
/// sheet its font), except for files whose names contain one of the words `without`. File names contain hashes, so a
/// name inside a text is a reference to that file.
fn first_load<'a>(texts: &'a [(String, String)], without: &[&str]) -> BTreeSet<&'a str> {
    let skipped = |name: &str| LAZY.iter().chain(without).any(|part| name.contains(part));
    let mut found = BTreeSet::new();
    let mut open: Vec<&(String, String)> = texts
        .iter()
        .filter(|(name, _)| name == "index.html")
        .collect();
    while let Some((name, text)) = open.pop() {
        if found.insert(name.as_str()) {
            open.extend(
                texts
                    .iter()
                    .filter(|(other, _)| !skipped(other) && text.contains(other.as_str())),
            );
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kilobytes_are_rounded_to_one_digit() {
        assert_eq!(kilobytes(0), "0.0");
        assert_eq!(kilobytes(349_960), "350.0");
        assert_eq!(kilobytes(1_234), "1.2");
    }

    #[test]
    fn the_first_load_is_what_the_page_names_without_the_editor_and_the_other_area() {
        let texts = [
            (
                "index.html",
                "<script src=/console/boot-1.js></script><link href=\"/console/app-2.css\">",
            ),
            (
                "boot-1.js",
                "import('./app-3.js'); fetch('app-4_bg.wasm'); import('./json-editor-5.js'); 'start-dashboard-8.js'",
            ),
            ("start-dashboard-8.js", "font-6.woff2"),
            ("app-2.css", "src: url(font-6.woff2)"),
            ("app-3.js", ""),
            ("app-4_bg.wasm", ""),
            ("json-editor-5.js", ""),
            ("font-6.woff2", ""),
            ("manual-7.html", "index.html"),
        ]
        .map(|(name, text)| (name.to_owned(), text.to_owned()));
        let names: Vec<&str> = first_load(&texts, &["-dashboard-"]).into_iter().collect();
        assert_eq!(
            names,
            [
                "app-2.css",
                "app-3.js",
                "app-4_bg.wasm",
                "boot-1.js",
                "font-6.woff2",
                "index.html"
            ]
        );
    }
}
