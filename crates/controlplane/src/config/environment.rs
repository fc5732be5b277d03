//! What distinguishes this gateway from others, for people who have several open.

use gatewright_protocol::http::{hosts, serving_host};

/// The colours an environment can have. The console has light and dark shades of each.
const COLORS: [&str; 6] = ["grey", "red", "amber", "green", "blue", "violet"];
/// The longest name in characters: it is shown in the console's frame and in the titles of its pages.
const NAME_MAX: usize = 32;

/// What distinguishes this gateway from others, and where its console is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvironmentConfig {
    /// Its display name, such as `production`; empty if it has none (`ENVIRONMENT_NAME`).
    pub name: String,
    /// Its colour (`ENVIRONMENT_COLOR`).
    pub color: &'static str,
    /// The hosts of its console (`CONSOLE_HOST`).
    pub console_hosts: Vec<String>,
    /// The hosts of its APIs and of the administration API (`GATEWAY_HOST`).
    pub gateway_hosts: Vec<String>,
}

impl EnvironmentConfig {
    /// Reads the worker variables. A longer name is truncated, and an unknown colour becomes grey.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let name = variable("ENVIRONMENT_NAME").unwrap_or_default();
        let visible = name.trim().chars().filter(|c| !c.is_control());
        let color = variable("ENVIRONMENT_COLOR").unwrap_or_default();
        let color = color.trim().to_lowercase();
        let known = COLORS.into_iter().find(|known| *known == color);
        Self {
            name: visible.take(NAME_MAX).collect(),
            color: known.unwrap_or(COLORS[0]),
            console_hosts: hosts(&variable("CONSOLE_HOST").unwrap_or_default()),
            gateway_hosts: hosts(&variable("GATEWAY_HOST").unwrap_or_default()),
        }
    }

    /// Returns the origin at which APIs are served, for a request to `origin`, which may be the console's.
    #[must_use]
    pub fn serving_origin(&self, origin: &str) -> String {
        match origin.split_once("://") {
            Some((scheme, host)) => {
                let host = serving_host(&self.gateway_hosts, &self.console_hosts, host);
                format!("{scheme}://{host}")
            }
            None => origin.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_short_and_a_colour_is_a_known_one() {
        let read = |name: &str, color: &str| {
            let read = EnvironmentConfig::read(|variable| match variable {
                "ENVIRONMENT_NAME" => Some(name.to_owned()),
                _ => Some(color.to_owned()),
            });
            (read.name, read.color)
        };
        assert_eq!(
            read(" Production ", "Red"),
            ("Production".to_owned(), "red")
        );
        assert_eq!(read("a\nb", "#f00"), ("ab".to_owned(), "grey"));
        assert_eq!(read(&"ä".repeat(40), ""), ("ä".repeat(32), "grey"));
    }
}
