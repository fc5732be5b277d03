//! Light, dark, or the system's theme. `web/boot/early.js` applies the stored choice before the first paint.

use leptos::prelude::*;

use super::storage;

const KEY: &str = "gatewright.theme";

/// A choice of theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// Follows the system.
    #[default]
    System,
    /// Always light.
    Light,
    /// Always dark.
    Dark,
}

impl Theme {
    /// All choices, in the order in which they are offered.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// Returns the stored choice.
    #[must_use]
    pub fn stored() -> Self {
        match storage::browser_get(KEY).as_deref() {
            Some("light") => Self::Light,
            Some("dark") => Self::Dark,
            _ => Self::System,
        }
    }

    /// Returns the word for it in the markup and in the storage.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            Self::Light => Some("light"),
            Self::Dark => Some("dark"),
        }
    }

    /// Returns its label.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }
}

/// Applies and stores a choice.
pub fn choose(signal: RwSignal<Theme>, theme: Theme) {
    signal.set(theme);
    storage::browser_set(KEY, theme.word());
    if let Some(root) = document().document_element() {
        // Fails only for an invalid attribute name.
        let _ = match theme.word() {
            Some(word) => root.set_attribute("data-theme", word),
            None => root.remove_attribute("data-theme"),
        };
    }
}
