//! The lifetime of a console sign-in.

use super::number;

/// The lifetime of a console sign-in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignInConfig {
    /// Seconds without a request after which a sign-in ends (`CONSOLE_SESSION_IDLE_MINUTES`).
    pub idle_seconds: u64,
    /// Seconds after which a sign-in ends even if it is in use (`CONSOLE_SESSION_HOURS`).
    pub most_seconds: u64,
}

impl Default for SignInConfig {
    fn default() -> Self {
        Self::read(|_| None)
    }
}

impl SignInConfig {
    /// Reads the worker variables; a value that is not a number in range keeps its default: 8 hours without a request,
    /// and one day in total.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            idle_seconds: number(&variable, "CONSOLE_SESSION_IDLE_MINUTES", 43_200_u64, 480)
                .saturating_mul(60),
            most_seconds: number(&variable, "CONSOLE_SESSION_HOURS", 720_u64, 24)
                .saturating_mul(3600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_numbers_keep_their_default() {
        for (text, idle_seconds, most_seconds) in [
            ("", 28_800, 86_400),
            ("0", 28_800, 86_400),
            ("-1", 28_800, 86_400),
            ("1000000", 28_800, 86_400),
            (" 5 ", 300, 18_000),
        ] {
            let read = SignInConfig::read(|_| Some(text.to_owned()));
            let expected = SignInConfig {
                idle_seconds,
                most_seconds,
            };
            assert_eq!(read, expected, "{text}");
        }
    }
}
