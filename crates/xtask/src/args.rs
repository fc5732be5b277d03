//! Parses a command line: `--name value`, `--name=value`, `--switch`, and the remaining words.

use crate::fail::{Fail, Result};

/// An option that a command takes.
pub(crate) struct Flag {
    /// The name, with its two dashes.
    pub(crate) name: &'static str,
    /// The placeholder of the value in the help, `""` for a switch.
    pub(crate) value: &'static str,
    /// One line of help.
    pub(crate) help: &'static str,
}

/// The parsed command line, checked against the flags of the command.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Args {
    flags: Vec<(&'static str, String)>,
    /// The words that are not flags or their values, in order.
    pub(crate) rest: Vec<String>,
}

impl Args {
    /// Parses `words`; everything after `--` is left in `rest`.
    ///
    /// # Errors
    /// `Usage` for an unknown flag, a missing value, a value for a switch, a flag given twice.
    pub(crate) fn read(flags: &'static [Flag], words: &[String]) -> Result<Self> {
        let mut args = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            if word == "--" {
                args.rest.extend(words.cloned());
                break;
            }
            if !word.starts_with('-') {
                args.rest.push(word.clone());
                continue;
            }
            let (name, inline) = match word.split_once('=') {
                Some((name, value)) => (name, Some(value.to_owned())),
                None => (word.as_str(), None),
            };
            let Some(flag) = flags.iter().find(|flag| flag.name == name) else {
                return Err(Fail::Usage(format!("unknown option `{name}`")));
            };
            if args.is_set(flag.name) {
                return Err(Fail::Usage(format!("`{name}` is given twice")));
            }
            let value = match (flag.value.is_empty(), inline) {
                (true, None) => String::new(),
                (true, Some(_)) => return Err(Fail::Usage(format!("`{name}` takes no value"))),
                (false, Some(value)) => value,
                (false, None) => match words.next() {
                    Some(value) if !value.starts_with("--") => value.clone(),
                    _ => return Err(Fail::Usage(format!("`{name}` needs a value"))),
                },
            };
            args.flags.push((flag.name, value));
        }
        Ok(args)
    }

    /// Keeps words for another program: none of them is one of our flags, and a leading `--` is only a separator.
    pub(crate) fn pass_on(words: &[String]) -> Self {
        let rest = words
            .strip_prefix(&["--".to_owned()])
            .unwrap_or(words)
            .to_vec();
        Self {
            flags: Vec::new(),
            rest,
        }
    }

    /// Whether the flag was given.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.value(name).is_some()
    }

    /// Returns the flag's value as typed.
    pub(crate) fn value(&self, name: &str) -> Option<&str> {
        self.flags
            .iter()
            .find(|(flag, _)| *flag == name)
            .map(|(_, value)| value.as_str())
    }

    /// Returns the flag's value as a TCP port.
    ///
    /// # Errors
    /// `Usage` if it isn't a number from 1 to 65535.
    pub(crate) fn port(&self, name: &str) -> Result<Option<u16>> {
        match self.value(name) {
            None => Ok(None),
            Some(text) => match text.parse::<u16>() {
                Ok(port) if port != 0 => Ok(Some(port)),
                _ => Err(Fail::Usage(format!(
                    "`{name} {text}`: a port is a number from 1 to 65535"
                ))),
            },
        }
    }

    /// Refuses remaining words, for a command that takes none.
    ///
    /// # Errors
    /// `Usage` naming the first such word.
    pub(crate) fn no_more(&self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some(word) => Err(Fail::Usage(format!("unexpected word `{word}`"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: &[Flag] = &[
        Flag {
            name: "--port",
            value: "<port>",
            help: "",
        },
        Flag {
            name: "--no-build",
            value: "",
            help: "",
        },
    ];

    fn read(line: &str) -> Result<Args> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Args::read(FLAGS, &words)
    }

    fn refused(line: &str) -> String {
        match read(line) {
            Err(Fail::Usage(message)) => message,
            other => panic!("{line}: {other:?}"),
        }
    }

    #[test]
    fn values_come_after_a_space_or_an_equals_sign() {
        for line in ["--port 80 --no-build", "--no-build --port=80"] {
            let args = read(line).unwrap();
            assert_eq!(args.port("--port").unwrap(), Some(80), "{line}");
            assert!(args.is_set("--no-build"), "{line}");
        }
    }

    #[test]
    fn what_is_not_given_is_absent() {
        let args = read("").unwrap();
        assert_eq!(args.port("--port").unwrap(), None);
        assert!(!args.is_set("--no-build"));
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(refused("--prot 80"), "unknown option `--prot`");
        assert_eq!(refused("-p 80"), "unknown option `-p`");
        assert_eq!(refused("--port"), "`--port` needs a value");
        assert_eq!(refused("--port --no-build"), "`--port` needs a value");
        assert_eq!(refused("--no-build=yes"), "`--no-build` takes no value");
        assert_eq!(refused("--port 1 --port 2"), "`--port` is given twice");
    }

    #[test]
    fn a_port_is_a_number_in_range() {
        for text in ["0", "65536", "http", "-1", "80a"] {
            assert!(
                read(&format!("--port={text}"))
                    .unwrap()
                    .port("--port")
                    .is_err(),
                "{text}"
            );
        }
    }

    #[test]
    fn words_for_another_program_are_not_read() {
        for line in ["--", "--help -n 5", "-- --help"] {
            let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
            let expected: Vec<_> = words.iter().filter(|word| *word != "--").cloned().collect();
            assert_eq!(Args::pass_on(&words).rest, expected, "{line}");
        }
    }

    #[test]
    fn words_after_two_dashes_are_left_alone() {
        let args = read("lane -- --port").unwrap();
        assert_eq!(args.rest, ["lane", "--port"]);
        assert_eq!(
            args.no_more(),
            Err(Fail::Usage("unexpected word `lane`".to_owned()))
        );
    }
}
