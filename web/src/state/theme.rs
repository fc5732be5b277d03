//! Light, dark, or as the system says. `web/boot/theme.js` applies the stored choice before the first paint.

use leptos::prelude::*;

use super::storage;

const KEY: &str = "gatewright.theme";

/// A choice of theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says, and with it when it changes.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// All choices in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The stored choice.
    #[must_use]
    pub fn stored() -> Self {
        match storage::browser_get(KEY).as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// The word for it in the markup and in the storage.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// What it is called.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }
}

/// Applies a choice and keeps it.
pub fn choose(signal: RwSignal<Theme>, theme: Theme) {
    signal.set(theme);
    storage::browser_set(KEY, theme.word());
    if let Some(root) = document().document_element() {
        // Only a name with odd characters could fail.
        let _ = match theme.word() {
            Some(word) => root.set_attribute("data-theme", word),
            None => root.remove_attribute("data-theme"),
        };
    }
}
