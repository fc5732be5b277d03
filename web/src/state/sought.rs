//! What somebody types to find something in a list that is on the page.

/// A typed text, without the spaces around it. Upper and lower case are the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sought(String);

impl Sought {
    /// Reads it as typed.
    #[must_use]
    pub fn of(typed: &str) -> Self {
        Self(lowered(typed.trim()))
    }

    /// Whether one of these texts contains it.
    #[must_use]
    pub fn is_in<'a>(&self, texts: impl IntoIterator<Item = &'a String>) -> bool {
        let mut texts = texts.into_iter();
        texts.any(|text| lowered(text).contains(&self.0))
    }
}

/// Returns a text in lower case. The browser knows the letters of all languages; Rust would bring tables of them into
/// every module that searches.
#[cfg(target_arch = "wasm32")]
#[must_use]
pub fn lowered(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    js_sys::JsString::from(text).to_lower_case().into()
}

/// Returns a text in lower case.
#[cfg(not(target_arch = "wasm32"))]
#[must_use]
pub fn lowered(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_text_is_found_in_either_case_and_without_the_spaces_around_it() {
        let texts = ["Orders".to_owned(), "ÄPFEL Straße ΟΔΟΣ".to_owned()];
        for (typed, found) in [
            ("", true),
            (" ORD ", true),
            ("äpfel", true),
            ("STRAße", true),
            ("οδος", true),
            ("pears", false),
        ] {
            assert_eq!(Sought::of(typed).is_in(&texts), found, "{typed}");
        }
        assert!(!Sought::of("").is_in(&[]));
    }
}
