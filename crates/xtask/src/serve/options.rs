//! The options of `serve`, and the host names it then answers to.

use std::path::PathBuf;

use super::example;
use crate::args::{Args, Flag};
use crate::build::Effort;
use crate::fail::{Context, Fail, Result};
use crate::paths;
use crate::ready::{authority, reachable};

/// The flags of `serve`.
pub(crate) const FLAGS: &[Flag] = &[
    Flag {
        name: "--host",
        value: "<address>",
        help: "address to listen on (127.0.0.1)",
    },
    Flag {
        name: "--port",
        value: "<port>",
        help: "port of the gateway (8787)",
    },
    Flag {
        name: "--console-port",
        value: "<port>",
        help: "port of the console (the gateway's plus one)",
    },
    Flag {
        name: "--data-dir",
        value: "<folder>",
        help: "folder for all data (.gatewright)",
    },
    Flag {
        name: "--workers",
        value: "<number>",
        help: "number of serving processes, 1 to 4 (the number of cores)",
    },
    Flag {
        name: "--open",
        value: "",
        help: "open the console in a browser, signed in",
    },
    Flag {
        name: "--example",
        value: "",
        help: "start with a small example, in .gatewright-example",
    },
    Flag {
        name: "--organisation",
        value: "<id>",
        help: "issue a dashboard credential for another organisation",
    },
    Flag {
        name: "--release",
        value: "",
        help: "build as for deployment, which takes longer",
    },
    Flag {
        name: "--no-build",
        value: "",
        help: "start without building anything",
    },
];

const DEFAULT_PORT: u16 = 8787;
const DATA: &str = ".gatewright";
/// The most processes: the one with the objects has to answer all of them.
pub(crate) const MOST_WORKERS: usize = 4;

/// The parsed command line, with defaults.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// The address to listen on.
    pub(crate) host: String,
    /// The port of the gateway's origin.
    pub(crate) port: u16,
    /// The port of the console's origin.
    pub(crate) console_port: u16,
    /// The data folder, absolute.
    pub(crate) data: PathBuf,
    /// How many processes serve. A single one contains everything.
    pub(crate) workers: usize,
    /// Whether to open the console.
    pub(crate) open: bool,
    /// Whether to fill it with the example.
    pub(crate) example: bool,
    /// The organisation to issue a dashboard credential for.
    pub(crate) organisation: Option<String>,
    /// The effort for what isn't built yet.
    pub(crate) effort: Effort,
}

impl Options {
    /// Parses the options.
    ///
    /// # Errors
    /// `Usage` for an extra word, or invalid ports.
    pub(crate) fn read(args: &Args) -> Result<Self> {
        args.no_more()?;
        let port = args.port("--port")?.unwrap_or(DEFAULT_PORT);
        let console_port = match args.port("--console-port")? {
            Some(port) => port,
            None => port.checked_add(1).ok_or_else(|| {
                Fail::Usage(format!(
                    "there is no port after {port}: name one with --console-port"
                ))
            })?,
        };
        if port == console_port {
            return Err(Fail::Usage(
                "gateway and console need different ports".to_owned(),
            ));
        }
        let example = args.is_set("--example");
        let host = args.value("--host").unwrap_or("127.0.0.1");
        let host = host
            .strip_prefix('[')
            .and_then(|host| host.strip_suffix(']'))
            .unwrap_or(host);
        Ok(Self {
            host: host.to_owned(),
            port,
            console_port,
            data: data(args.value("--data-dir"), example)?,
            workers: workers(args.value("--workers"))?,
            open: args.is_set("--open"),
            example,
            organisation: args.value("--organisation").map(str::to_owned),
            effort: if args.is_set("--release") {
                Effort::Deployed
            } else {
                Effort::Quick
            },
        })
    }

    /// Returns what has to be free: host, port and the option that changes it.
    pub(crate) fn listeners(&self) -> [(&str, u16, &'static str); 2] {
        [
            (&self.host, self.port, "--port"),
            (&self.host, self.console_port, "--console-port"),
        ]
    }

    /// Returns the base URLs of gateway and console, without a trailing slash.
    pub(crate) fn urls(&self) -> (String, String) {
        let url = |port| format!("http://{}", authority(reachable(&self.host), port));
        (url(self.port), url(self.console_port))
    }

    /// Returns the `Host` values that an origin answers to: the loopback names, the address that it listens on, and
    /// `more` from the user. The worker distinguishes its two origins by them, so a name that isn't listed never
    /// reaches the console. URLs omit port 80, and so does the list.
    pub(crate) fn hosts(&self, port: u16, more: Option<&str>) -> String {
        let own = ["localhost", "127.0.0.1", "::1", self.host.as_str()].map(|host| {
            let host = authority(host, port);
            host.strip_suffix(":80").map_or(host.clone(), str::to_owned)
        });
        let more = more
            .unwrap_or("")
            .split(',')
            .map(|host| host.trim().to_owned());
        let mut hosts: Vec<String> = Vec::new();
        for host in own.into_iter().chain(more) {
            if !host.is_empty() && !hosts.contains(&host) {
                hosts.push(host);
            }
        }
        hosts.join(",")
    }
}

/// Returns the named folder, relative to where the command was typed; otherwise the repository's own.
fn data(named: Option<&str>, example: bool) -> Result<PathBuf> {
    match named {
        None if example => Ok(paths::at(example::DATA)),
        None => Ok(paths::at(DATA)),
        Some(named) => std::path::absolute(named).context(|| format!("`--data-dir {named}`")),
    }
}

/// Returns the given number; otherwise that of the cores.
fn workers(named: Option<&str>) -> Result<usize> {
    let Some(named) = named else {
        let cores = std::thread::available_parallelism();
        return Ok(cores.map_or(1, |cores| cores.get().min(MOST_WORKERS)));
    };
    let number = named.parse().ok();
    number
        .filter(|number| (1..=MOST_WORKERS).contains(number))
        .ok_or_else(|| {
            Fail::Usage(format!(
                "`--workers {named}`: expected a number from 1 to {MOST_WORKERS}"
            ))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Options> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Options::read(&Args::read(FLAGS, &words)?)
    }

    #[test]
    fn everything_has_a_default() {
        let options = read("").unwrap();
        assert_eq!(
            (options.host.as_str(), options.port, options.console_port),
            ("127.0.0.1", 8787, 8788)
        );
        assert_eq!(options.data, paths::at(".gatewright"));
        assert_eq!(
            options.urls(),
            (
                "http://127.0.0.1:8787".to_owned(),
                "http://127.0.0.1:8788".to_owned()
            )
        );
    }

    #[test]
    fn the_console_follows_the_gateway() {
        assert_eq!(read("--port 9000").unwrap().console_port, 9001);
        assert_eq!(
            read("--port 9000 --console-port 80").unwrap().console_port,
            80
        );
        assert!(matches!(read("--port 65535"), Err(Fail::Usage(_))));
        assert!(matches!(
            read("--port 80 --console-port 80"),
            Err(Fail::Usage(_))
        ));
        assert!(matches!(read("here"), Err(Fail::Usage(_))));
    }

    #[test]
    fn there_are_one_to_four_workers() {
        assert_eq!(read("--workers 3").unwrap().workers, 3);
        assert!((1..=MOST_WORKERS).contains(&read("").unwrap().workers));
        for line in [
            "--workers 0",
            "--workers 5",
            "--workers two",
            "--workers -1",
        ] {
            assert!(matches!(read(line), Err(Fail::Usage(_))), "{line}");
        }
    }

    #[test]
    fn a_data_folder_is_named_from_where_the_command_is_typed() {
        let named = |line: &str| read(line).unwrap().data;
        assert_eq!(named("--data-dir /srv/gate"), PathBuf::from("/srv/gate"));
        let here = std::env::current_dir().unwrap();
        assert_eq!(named("--data-dir gate"), here.join("gate"));
        assert_eq!(named("--data-dir gate --example"), here.join("gate"));
        assert_eq!(named("--example"), paths::at(".gatewright-example"));
    }

    #[test]
    fn hosts_are_listed_once_with_the_users_after_ours() {
        let options = read("").unwrap();
        assert_eq!(
            options.hosts(81, None),
            "localhost:81,127.0.0.1:81,[::1]:81"
        );
        let options = read("--host 192.168.1.5").unwrap();
        assert_eq!(
            options.hosts(81, Some("gate.local:81, localhost:81,")),
            "localhost:81,127.0.0.1:81,[::1]:81,192.168.1.5:81,gate.local:81"
        );
        assert_eq!(
            options.hosts(80, None),
            "localhost,127.0.0.1,[::1],192.168.1.5"
        );
    }

    #[test]
    fn an_ipv6_address_is_bracketed_where_a_port_follows() {
        for line in ["--host ::1", "--host [::1]"] {
            assert_eq!(read(line).unwrap().urls().0, "http://[::1]:8787", "{line}");
        }
    }
}
