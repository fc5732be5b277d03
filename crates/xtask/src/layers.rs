//! Checks the layers that `crates/README.md` describes against what Cargo links and against the source of the crates.
//! Arrows point inward: dataplane → ledger → protocol → model, controlplane → protocol → model; neither plane depends
//! on the other, nor do the modules of the worker on each other. Every crate may depend on the wire contract, `api`,
//! which depends on the model only.

use std::path::Path;

use crate::fail::{Result, error};
use crate::{paths, process, setup};

/// JavaScript and browser bindings: only under `worker/` and `web/`.
const JAVASCRIPT: &[&str] = &[
    "gloo*",
    "js-sys",
    "leptos*",
    "serde-wasm-bindgen",
    "wasm-bindgen*",
    "web-sys",
    "worker",
    "worker-*",
];

/// The same without `wasm-bindgen`, which an extra module uses.
const PLATFORM: &[&str] = &[
    "gloo*",
    "js-sys",
    "leptos*",
    "serde-wasm-bindgen",
    "wasm-bindgen-futures",
    "web-sys",
    "worker",
    "worker-*",
];

/// Every workspace crate but `model`.
const ALL_BUT_MODEL: &[&str] = &[
    "gatewright-api",
    "gatewright-c*",
    "gatewright-d*",
    "gatewright-e*",
    "gatewright-l*",
    "gatewright-p*",
    "gatewright-t*",
    "gatewright-w*",
];

/// What an extra module is never linked with: it gets everything it knows as arguments.
const NOT_IN_EXTRAS: &[&[&str]] = &[ALL_BUT_MODEL, PLATFORM, IMPURE];

/// Runtimes, I/O, clocks, randomness.
const IMPURE: &[&str] = &[
    "async-*",
    "chrono",
    "fastrand",
    "futures*",
    "getrandom",
    "hyper*",
    "mio",
    "rand*",
    "reqwest",
    "socket2",
    "time",
    "tokio*",
    "uuid",
];

/// What a package must never be linked with (normal dependencies, direct or transitive).
struct Rule {
    package: &'static str,
    /// Package names; a trailing `*` matches anything.
    forbidden: &'static [&'static [&'static str]],
}

/// Storage decisions must stay out of the request path.
const CONTROL_PLANE: &[&str] = &["gatewright-controlplane"];

const RULES: &[Rule] = &[
    Rule {
        package: "gatewright-model",
        forbidden: &[&["gatewright-*"], JAVASCRIPT, IMPURE],
    },
    Rule {
        package: "gatewright-api",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-dataplane", "gatewright-ledger"],
            &["gatewright-protocol", "gatewright-testkit", "gatewright-w*"],
            JAVASCRIPT,
        ],
    },
    Rule {
        package: "gatewright-protocol",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-dataplane", "gatewright-ledger"],
            &["gatewright-testkit", "gatewright-w*"],
            JAVASCRIPT,
            IMPURE,
        ],
    },
    Rule {
        package: "gatewright-ledger",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-dataplane"],
            &["gatewright-testkit", "gatewright-w*"],
            JAVASCRIPT,
            IMPURE,
        ],
    },
    Rule {
        package: "gatewright-dataplane",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-testkit", "gatewright-w*"],
            JAVASCRIPT,
        ],
    },
    Rule {
        package: "gatewright-controlplane",
        forbidden: &[
            &["gatewright-dataplane", "gatewright-ledger"],
            &["gatewright-testkit", "gatewright-w*"],
            JAVASCRIPT,
        ],
    },
    Rule {
        package: "gatewright-testkit",
        forbidden: &[&["gatewright-w*"], JAVASCRIPT],
    },
    Rule {
        package: "gatewright-extra-auth",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-extra-jq",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-extra-mcp",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-extra-openapi",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-extra-schema",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-extra-transform",
        forbidden: NOT_IN_EXTRAS,
    },
    Rule {
        package: "gatewright-worker-platform",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-dataplane", "gatewright-ledger"],
            &["gatewright-testkit", "gatewright-web"],
        ],
    },
    Rule {
        package: "gatewright-worker-dataplane",
        forbidden: &[
            CONTROL_PLANE,
            &[
                "gatewright-testkit",
                "gatewright-web",
                "gatewright-worker-c*",
                "gatewright-worker-r*",
            ],
        ],
    },
    Rule {
        package: "gatewright-worker-egress",
        forbidden: &[
            &["gatewright-dataplane", "gatewright-ledger"],
            &["gatewright-testkit", "gatewright-web"],
        ],
    },
    Rule {
        package: "gatewright-worker-registry",
        forbidden: &[
            &["gatewright-dataplane", "gatewright-ledger"],
            &[
                "gatewright-testkit",
                "gatewright-web",
                "gatewright-worker-c*",
                "gatewright-worker-d*",
            ],
        ],
    },
    Rule {
        package: "gatewright-worker-controlplane",
        forbidden: &[
            &["gatewright-dataplane", "gatewright-ledger"],
            &[
                "gatewright-testkit",
                "gatewright-web",
                "gatewright-worker-d*",
                "gatewright-worker-r*",
            ],
        ],
    },
    Rule {
        package: "gatewright-web",
        forbidden: &[
            CONTROL_PLANE,
            &["gatewright-dataplane", "gatewright-ledger"],
            &[
                "gatewright-protocol",
                "gatewright-testkit",
                "gatewright-worker*",
            ],
        ],
    },
];

/// What the model's own code must not use: its result depends on its input alone. (Addresses and durations are values;
/// sockets and clocks aren't.)
const NOT_IN_MODEL: &[&str] = &[
    "async fn",
    "async move",
    ".await",
    "std::env",
    "std::fs",
    "std::io",
    "std::process",
    "std::thread",
    "Instant",
    "RandomState",
    "SystemTime",
    "TcpListener",
    "TcpStream",
    "ToSocketAddrs",
    "UdpSocket",
];

/// What modules inside a crate must not mention: a path, and the words forbidden below it. The chain runs alike for
/// single requests, items of a batch and debugged requests, so it must not know any of them.
const INSIDE: &[(&str, &[&str])] = &[
    (
        "crates/dataplane/src/chain",
        &["crate::batch", "crate::debug"],
    ),
    (
        "crates/dataplane/src/links",
        &["crate::batch", "crate::debug"],
    ),
    (
        "crates/dataplane/src/gate",
        &["crate::batch", "crate::debug"],
    ),
];

/// Checks all rules.
///
/// # Errors
/// One message with every violation.
pub(crate) fn check() -> Result<()> {
    let mut violations = Vec::new();
    for rule in RULES {
        let tree = process::run("read the dependencies", &mut tree(rule.package))?;
        violations.extend(rule.violations(&tree));
    }
    for file in paths::files(&paths::at("crates/model/src"), &["tests", "tests.rs"]) {
        let text = std::fs::read_to_string(&file).unwrap_or_default();
        violations.extend(reaches_outside(&file, &text));
    }
    for (folder, words) in INSIDE {
        for file in paths::files(&paths::at(folder), &["tests", "tests.rs"]) {
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            violations.extend(names(&file, &text, words));
        }
    }
    if violations.is_empty() {
        Ok(())
    } else {
        Err(error(violations.join("\n       ")))
    }
}

fn tree(package: &str) -> std::process::Command {
    let mut cargo = process::cargo();
    cargo.args([
        "tree",
        "--package",
        package,
        "--edges",
        "normal",
        "--prefix",
        "none",
    ]);
    cargo.args(["--format", "{p}", "--target", setup::WASM_TARGET]);
    cargo
}

impl Rule {
    /// Returns the violations in `tree`, which has one package per line, its name first.
    fn violations(&self, tree: &str) -> Vec<String> {
        let mut names: Vec<&str> = tree
            .lines()
            .filter_map(|line| line.split(' ').next())
            .collect();
        names.sort_unstable();
        names.dedup();
        names.retain(|name| *name != self.package && self.forbids(name));
        let package = self.package;
        names
            .into_iter()
            .map(|name| format!("{package} depends on {name} (cargo tree -p {package} -i {name})"))
            .collect()
    }

    fn forbids(&self, name: &str) -> bool {
        self.forbidden
            .iter()
            .copied()
            .flatten()
            .any(|pattern| match pattern.strip_suffix('*') {
                Some(start) => name.starts_with(start),
                None => name == *pattern,
            })
    }
}

fn reaches_outside(file: &Path, text: &str) -> Vec<String> {
    names(file, text, NOT_IN_MODEL)
}

/// Returns the lines of a file's code, without comments and tests, that contain one of the words.
fn names(file: &Path, text: &str, words: &[&str]) -> Vec<String> {
    let code = text.split("#[cfg(test)]").next().unwrap_or(text);
    let lines = code
        .lines()
        .zip(1_u32..)
        .filter(|(line, _)| !line.trim_start().starts_with("//"));
    lines
        .flat_map(|(line, number)| {
            let found = words.iter().filter(move |word| line.contains(**word));
            found.map(move |word| {
                let file = paths::shown(file);
                format!("{file}:{number}: `{word}` is not allowed here")
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(package: &str) -> &'static Rule {
        RULES.iter().find(|rule| rule.package == package).unwrap()
    }

    #[test]
    fn a_clean_tree_has_no_violation() {
        let tree = "gatewright-model v0.1.0 (/x)\nserde v1.0.229\nserde_json v1.0.154 (*)\n";
        assert!(rule("gatewright-model").violations(tree).is_empty());
    }

    #[test]
    fn an_extra_knows_the_model_and_nothing_else_of_the_workspace() {
        for extra in crate::build::EXTRAS {
            let package = format!("gatewright-extra-{extra}");
            let tree =
                format!("{package} v0.1.0\ngatewright-model v0.1.0\nwasm-bindgen v0.2.130\n");
            assert!(rule(&package).violations(&tree).is_empty(), "{package}");
            for wrong in [
                "gatewright-protocol",
                "gatewright-extra-x",
                "js-sys",
                "tokio",
            ] {
                let tree = format!("{tree}{wrong} v1.0.0\n");
                assert_eq!(
                    rule(&package).violations(&tree).len(),
                    1,
                    "{package} {wrong}"
                );
            }
        }
    }

    #[test]
    fn every_forbidden_package_is_named_once() {
        let tree = "gatewright-dataplane v0.1.0\nworker v0.8.7\nworker-sys v0.8.7\nworker v0.8.7 (*)\nworkspace v1.0.0\n";
        assert_eq!(
            rule("gatewright-dataplane").violations(tree),
            [
                "gatewright-dataplane depends on worker (cargo tree -p gatewright-dataplane -i worker)",
                "gatewright-dataplane depends on worker-sys (cargo tree -p gatewright-dataplane -i worker-sys)",
            ]
        );
    }

    #[test]
    fn arrows_point_inward() {
        assert!(rule("gatewright-web").forbids("gatewright-controlplane"));
        assert!(rule("gatewright-api").forbids("gatewright-worker-platform"));
        assert!(rule("gatewright-model").forbids("gatewright-api"));
        assert!(rule("gatewright-protocol").forbids("gatewright-ledger"));
        assert!(!rule("gatewright-dataplane").forbids("gatewright-ledger"));
        assert!(!rule("gatewright-worker-dataplane").forbids("gatewright-dataplane"));
        assert!(!rule("gatewright-web").forbids("gatewright-api"));
    }

    #[test]
    fn neither_plane_knows_the_other() {
        assert!(rule("gatewright-dataplane").forbids("gatewright-controlplane"));
        assert!(rule("gatewright-ledger").forbids("gatewright-controlplane"));
        assert!(rule("gatewright-controlplane").forbids("gatewright-dataplane"));
        assert!(rule("gatewright-controlplane").forbids("gatewright-ledger"));
        assert!(rule("gatewright-worker-dataplane").forbids("gatewright-controlplane"));
        assert!(rule("gatewright-worker-controlplane").forbids("gatewright-dataplane"));
        assert!(rule("gatewright-worker-registry").forbids("gatewright-dataplane"));
    }

    #[test]
    fn the_model_is_read_without_its_comments_and_tests() {
        let text = "// std::fs is not used\nuse std::time::SystemTime;\n#[cfg(test)]\nmod tests { use std::fs; }\n";
        assert_eq!(
            reaches_outside(Path::new("a.rs"), text),
            ["a.rs:2: `SystemTime` is not allowed here"]
        );
    }
}
