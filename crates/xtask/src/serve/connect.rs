//! The link that opens the console signed in: it is valid once and for a minute, and only on this machine. The worker
//! gets its code from the environment (`worker/src/connect.js`), the console from the URL's fragment
//! (`web/boot/connect.js`), which browsers never send.

use std::net::IpAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::options::Options;
use crate::fail::Result;
use crate::{process, programs, secrets, term};

/// How long the link is valid, from the start on.
const VALID_FOR: Duration = Duration::from_secs(60);

/// The code of one start.
pub(super) struct Code {
    code: String,
    until: u128,
}

impl Code {
    /// Creates a code; `None` if machines other than this one can reach the console.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub(super) fn new(options: &Options) -> Result<Option<Self>> {
        if !is_loopback(&options.host) {
            return Ok(None);
        }
        let end = SystemTime::now().checked_add(VALID_FOR);
        let until = end.and_then(|end| end.duration_since(UNIX_EPOCH).ok());
        Ok(Some(Self {
            code: secrets::random()?,
            until: until.unwrap_or_default().as_millis(),
        }))
    }

    /// Returns the value of `CONNECT_CODE`.
    pub(super) fn variable(&self) -> String {
        format!("{} {}", self.code, self.until)
    }

    /// Returns the link, given the console's base URL.
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

/// Opens a URL in the user's browser. If there is none, the printed URL remains.
pub(super) fn open(address: &str) {
    let opener = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let opened = programs::find(&[opener]).is_some_and(|program| {
        process::run_inherited(process::command(program).arg(address)) == Ok(true)
    });
    if !opened {
        term::note("could not open a browser: open the `connect` link yourself");
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
