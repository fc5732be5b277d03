//! The commands, their options and their help.

use crate::args::{Args, Flag};
use crate::fail::{Fail, Result};
use crate::term::{Stream, Style, paint};
use crate::{bench, build, docs, lanes, serve, setup, size};

/// One command.
struct Command {
    name: &'static str,
    /// The synopsis of its arguments, for the help.
    words: &'static str,
    about: &'static str,
    flags: &'static [Flag],
    run: fn(&Args) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "serve",
        words: "[options]",
        about: "run the gateway and the console on this machine",
        flags: serve::FLAGS,
        run: serve::run,
    },
    Command {
        name: "build",
        words: "",
        about: "build the worker and the console for deployment",
        flags: build::FLAGS,
        run: build::run,
    },
    Command {
        name: "test",
        words: "[lane…]",
        about: "run every check and test, or one lane",
        flags: &[],
        run: |args| lanes::run(&args.rest),
    },
    Command {
        name: "lint",
        words: "",
        about: "run the lane `lint`: formatting, clippy, layers",
        flags: &[],
        run: |args| {
            args.no_more()?;
            lanes::run(&["lint".to_owned()])
        },
    },
    Command {
        name: "bench",
        words: "[links|model|dashboard|console] [options]",
        about: "benchmark against bare workers, npm packages or Kinto",
        flags: &[],
        run: |args| bench::run(&args.rest),
    },
    Command {
        name: "size",
        words: "",
        about: "check the sizes of worker and console against their budgets",
        flags: &[],
        run: |args| {
            args.no_more()?;
            size::run()
        },
    },
    Command {
        name: "docs",
        words: "",
        about: "write the support table and the field reference",
        flags: &[],
        run: |args| {
            args.no_more()?;
            docs::run()
        },
    },
    Command {
        name: "setup",
        words: "",
        about: "install what the other commands need (they do it themselves)",
        flags: &[],
        run: |args| {
            args.no_more()?;
            setup::run()
        },
    },
];

/// Runs the command named by the first word; without words lists all commands.
///
/// # Errors
/// Those of the command; `Usage` for an unknown one.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let Some((name, words)) = words.split_first() else {
        list();
        return Ok(());
    };
    if ["help", "--help", "-h"].contains(&name.as_str()) {
        list();
        return Ok(());
    }
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        return Err(Fail::Usage(format!(
            "unknown command `{name}`: `cargo xtask` lists them"
        )));
    };
    let before_dashes = words.iter().take_while(|word| *word != "--");
    if before_dashes
        .into_iter()
        .any(|word| word == "--help" || word == "-h")
    {
        help(command);
        return Ok(());
    }
    // The options of `bench` are the script's own.
    let args = if command.name == "bench" {
        Args::pass_on(words)
    } else {
        Args::read(command.flags, words)?
    };
    (command.run)(&args)
}

fn list() {
    println!("Usage: cargo xtask <command> (`--help` after a command lists its options)\n");
    let rows = COMMANDS
        .iter()
        .map(|command| (called(command), command.about));
    columns(&rows.collect::<Vec<_>>());
}

fn called(command: &Command) -> String {
    format!("{} {}", command.name, command.words)
        .trim_end()
        .to_owned()
}

fn help(command: &Command) {
    println!("cargo xtask {}: {}", called(command), command.about);
    let mut rows: Vec<(String, &str)> = command
        .flags
        .iter()
        .map(|flag| {
            (
                format!("{} {}", flag.name, flag.value)
                    .trim_end()
                    .to_owned(),
                flag.help,
            )
        })
        .collect();
    if command.name == "test" {
        rows.extend(lanes::list().map(|(name, about)| (name.to_owned(), about)));
    }
    if !rows.is_empty() {
        println!();
        columns(&rows);
    }
}

fn columns(rows: &[(String, &str)]) {
    let width = rows
        .iter()
        .map(|(left, _)| left.chars().count())
        .max()
        .unwrap_or(0);
    for (left, right) in rows {
        let left = paint(Stream::Out, Style::Bold, &format!("{left:width$}"));
        println!("  {left}  {right}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<String> {
        line.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn an_unknown_command_is_named() {
        let failure = run(&words("sreve")).unwrap_err();
        assert_eq!(
            failure,
            Fail::Usage("unknown command `sreve`: `cargo xtask` lists them".to_owned())
        );
    }

    #[test]
    fn commands_without_words_refuse_them() {
        for line in ["build now", "lint all", "size small", "setup --all"] {
            assert!(matches!(run(&words(line)), Err(Fail::Usage(_))), "{line}");
        }
    }

    #[test]
    fn the_list_is_short_and_fits_a_terminal() {
        for command in COMMANDS {
            assert!(command.about.len() <= 62, "{}", command.about);
        }
    }
}
