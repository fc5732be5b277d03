//! How the figures about served requests are reported.

use super::{is, number};

/// What is reported about served requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthConfig {
    /// Whether `GET /gateway/health` responds (`ENABLE_HEALTH_CHECKS`, only `false` counts). The console's figures are
    /// counted in any case.
    pub enabled: bool,
    /// The period it covers, in seconds (`HEALTH_CHECK_VALUE_TIMEOUTS`), at most an hour.
    pub seconds: u64,
}

impl HealthConfig {
    /// Reads the worker variables; a value that is not a number in range keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        Self {
            enabled: !is(&variable, "ENABLE_HEALTH_CHECKS", "false"),
            seconds: number(&variable, "HEALTH_CHECK_VALUE_TIMEOUTS", 3600, 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn health_is_reported_unless_it_is_switched_off() {
        let health = HealthConfig::read(|_| None);
        assert_eq!((health.enabled, health.seconds), (true, 60));
        for (text, enabled, number) in [
            ("false", false, 60),
            ("0", true, 60),
            ("4000", true, 60),
            ("20", true, 20),
        ] {
            let read = HealthConfig::read(|_| Some(text.to_owned()));
            assert_eq!((read.enabled, read.seconds), (enabled, number), "{text}");
        }
    }
}
