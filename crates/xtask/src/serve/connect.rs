//! The link that opens the console connected: it holds once and for a minute, and nobody but this machine can use it.
//! The worker has the code from its environment (`worker/src/connect.js`), the console from the fragment of the address
//! (`web/boot/connect.js`), which no browser sends.

use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::options::Options;
use crate::fail::Result;
use crate::{process, programs, secrets, term};

/// How long the link holds, from the start on.
const HOLDS: Duration = Duration::from_secs(60);

/// The code of one start.
pub(super) struct Code {
    code: String,
    until: u128,
}

impl Code {
    /// A new one; none where others than this machine reach the console.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn new(options: &Options) -> Result<Option<Self>> {
        if !is_loopback(&options.host) {
            return Ok(None);
        }
        let end = SystemTime::now().checked_add(HOLDS);
        let until = end.and_then(|end| end.duration_since(UNIX_EPOCH).ok());
        Ok(Some(Self {
            code: secrets::random()?,
            until: until.unwrap_or_default().as_millis(),
        }))
    }

    /// The value of `CONNECT_CODE`.
    pub(super) fn variable(&self) -> String {
        format!("{} {}", self.code, self.until)
    }

    /// The link below the address of the console.
    pub(super) fn link(&self, console: &str) -> String {
        format!("{console}/console/#connect={}", self.code)
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost"
        || host
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Opens an address in the browser of whoever types. Where there is none, the printed address is left.
pub(super) fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let opened = programs::find(&[opener])
        .is_some_and(|program| process::pass(process::command(program).arg(address)) == Ok(true));
    if !opened {
        term::note("no browser could be opened: open the address behind `connect` yourself");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_console_of_this_machine_has_a_link() {
        assert!(is_loopback("127.0.0.1") && is_loopback("::1") && is_loopback("localhost"));
        assert!(
            !is_loopback("0.0.0.0") && !is_loopback("192.168.1.5") && !is_loopback("gate.local")
        );
    }

    #[test]
    fn the_code_is_in_the_fragment_alone() {
        let code = Code {
            code: "abc".to_owned(),
            until: 7,
        };
        assert_eq!(code.variable(), "abc 7");
        assert_eq!(
            code.link("http://127.0.0.1:8788"),
            "http://127.0.0.1:8788/console/#connect=abc"
        );
    }
}
