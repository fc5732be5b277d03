//! How what was served is reported.

/// What is reported about the requests that were served.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HealthConfig {
    /// Whether `GET /gateway/health` answers (`ENABLE_HEALTH_CHECKS`, only `false` counts). What is
    /// counted for the console is counted in any case.
    pub enabled: bool,
    /// The seconds that it looks back over (`HEALTH_CHECK_VALUE_TIMEOUTS`), an hour at most.
    pub seconds: u64,
}

impl HealthConfig {
    /// Reads the worker variables; what is no number of the right size keeps its default.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let number = |name: &str, most: u32, default: u32| {
            let number = variable(name).and_then(|text| text.trim().parse().ok());
            number
                .filter(|number| (1..=most).contains(number))
                .unwrap_or(default)
        };
        Self {
            enabled: variable("ENABLE_HEALTH_CHECKS").as_deref().map(str::trim) != Some("false"),
            seconds: number("HEALTH_CHECK_VALUE_TIMEOUTS", 3600, 60).into(),
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
