//! How uptime tests are run.

use super::{is, number};

/// How uptime tests are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UptimeConfig {
    /// Whether any are run (`UPTIME_TESTS_DISABLE`, only the text `true` disables them).
    pub enabled: bool,
    /// Milliseconds between two tests of a host (`UPTIME_TESTS_TIME_WAIT`, in seconds).
    pub every_ms: u64,
    /// The number of consecutive failures after which a host is down, and of consecutive successes after which it is up
    /// again (`UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE`).
    pub limit: u32,
}

impl UptimeConfig {
    /// Reads the worker variables; a value that is not a number in range keeps its default: 10 seconds, and 3.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            enabled: !is(&variable, "UPTIME_TESTS_DISABLE", "true"),
            every_ms: number(&variable, "UPTIME_TESTS_TIME_WAIT", 86_400_u64, 10)
                .saturating_mul(1000),
            limit: number(
                &variable,
                "UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE",
                100,
                3,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn non_numbers_keep_their_default() {
        for (text, enabled, every_ms, limit) in [
            ("", true, 10_000, 3),
            ("0", true, 10_000, 3),
            ("90000", true, 10_000, 3),
            ("true", false, 10_000, 3),
            (" 7 ", true, 7000, 7),
        ] {
            let read = UptimeConfig::read(|_| Some(text.to_owned()));
            let expected = UptimeConfig {
                enabled,
                every_ms,
                limit,
            };
            assert_eq!(read, expected, "{text}");
        }
    }
}
