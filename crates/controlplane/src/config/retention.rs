//! How long historical data is retained.

/// The largest accepted number of days.
const DAYS_MAX: u32 = 36_500;
/// The largest accepted count.
const NUMBER_MAX: u32 = 1_000_000;

/// The number of days something is retained; `None` for ever.
pub type Days = Option<u32>;

/// How much historical data is retained. Nothing that is in use is ever removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// How many of the newest revisions are retained of each document that is not deleted (`REVISIONS_KEPT`).
    pub revisions: u32,
    /// How long every revision is retained after it was superseded, regardless of that number (`REVISIONS_KEPT_DAYS`).
    pub revision_days: Days,
    /// How long entries of the audit trail are retained (`AUDIT_KEPT_DAYS`).
    pub audit_days: Days,
    /// How long notifications, with their finished deliveries, are retained (`NOTIFICATIONS_KEPT_DAYS`).
    pub notification_days: Days,
    /// How many finished deliveries are retained for each webhook (`DELIVERIES_KEPT`).
    pub deliveries: u32,
    /// How long dashboard credentials are retained after they end (`CREDENTIALS_KEPT_DAYS`).
    pub credential_days: Days,
}

impl Default for Retention {
    fn default() -> Self {
        Self {
            revisions: 100,
            revision_days: Some(365),
            audit_days: Some(730),
            notification_days: Some(90),
            deliveries: 500,
            credential_days: Some(365),
        }
    }
}

impl Retention {
    /// Reads the worker variables.
    ///
    /// # Errors
    /// One line for each invalid variable. Nothing may be removed in that case, as the intended values are unknown.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, Vec<String>> {
        let mut wrong = Vec::new();
        let mut number = |name: &str, default: u32| {
            let Some(text) = variable(name) else {
                return default;
            };
            let number = text.trim().parse().ok();
            number
                .filter(|number| (1..=NUMBER_MAX).contains(number))
                .unwrap_or_else(|| {
                    wrong.push(format!(
                        "{name} is \"{text}\": write a whole number from 1 to {NUMBER_MAX}"
                    ));
                    default
                })
        };
        let default = Self::default();
        let revisions = number("REVISIONS_KEPT", default.revisions);
        let deliveries = number("DELIVERIES_KEPT", default.deliveries);
        let mut days = |name: &str, default: Days| {
            let Some(text) = variable(name) else {
                return default;
            };
            if text.trim() == "forever" {
                return None;
            }
            let days = text.trim().parse().ok();
            let days = days.filter(|days| *days <= DAYS_MAX);
            if days.is_none() {
                wrong.push(format!(
                    "{name} is \"{text}\": write a whole number of days up to {DAYS_MAX}, or forever"
                ));
            }
            days
        };
        let read = Self {
            revisions,
            revision_days: days("REVISIONS_KEPT_DAYS", default.revision_days),
            audit_days: days("AUDIT_KEPT_DAYS", default.audit_days),
            notification_days: days("NOTIFICATIONS_KEPT_DAYS", default.notification_days),
            deliveries,
            credential_days: days("CREDENTIALS_KEPT_DAYS", default.credential_days),
        };
        match wrong.is_empty() {
            true => Ok(read),
            false => Err(wrong),
        }
    }

    /// Returns a fingerprint that differs for different settings.
    #[must_use]
    pub fn mark(&self) -> String {
        let days = |days: Days| days.map_or_else(|| "-".to_owned(), |days| days.to_string());
        [
            self.revisions.to_string(),
            days(self.revision_days),
            days(self.audit_days),
            days(self.notification_days),
            self.deliveries.to_string(),
            days(self.credential_days),
        ]
        .join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(set: &[(&str, &str)]) -> Result<Retention, Vec<String>> {
        Retention::read(|name| {
            let found = set.iter().find(|(key, _)| *key == name);
            found.map(|(_, text)| (*text).to_owned())
        })
    }

    #[test]
    fn unset_values_keep_their_default() {
        assert_eq!(read(&[]), Ok(Retention::default()));
        let set = [("REVISIONS_KEPT", " 3 "), ("AUDIT_KEPT_DAYS", "forever")];
        let expected = Retention {
            revisions: 3,
            audit_days: None,
            ..Retention::default()
        };
        assert_eq!(read(&set), Ok(expected));
        assert_ne!(expected.mark(), Retention::default().mark());
        let none = read(&[("NOTIFICATIONS_KEPT_DAYS", "0")]).unwrap();
        assert_eq!(none.notification_days, Some(0));
    }

    #[test]
    fn every_invalid_setting_is_reported() {
        let set = [
            ("REVISIONS_KEPT", "0"),
            ("DELIVERIES_KEPT", "many"),
            ("AUDIT_KEPT_DAYS", "-1"),
            ("CREDENTIALS_KEPT_DAYS", "36501"),
            ("REVISIONS_KEPT_DAYS", ""),
        ];
        let wrong = read(&set).unwrap_err();
        assert_eq!(wrong.len(), 5);
        assert_eq!(
            wrong[0],
            "REVISIONS_KEPT is \"0\": write a whole number from 1 to 1000000"
        );
        let days =
            "AUDIT_KEPT_DAYS is \"-1\": write a whole number of days up to 36500, or forever";
        assert!(wrong.iter().any(|line| line == days), "{wrong:?}");
    }
}
