//! What texts of documents compile to (schemas, templates, filters), kept for the next request that needs it.
//!
//! The promise: what is kept is bounded by the texts it was made from, and one text more costs only the oldest.

use std::collections::VecDeque;
use std::rc::Rc;

/// How many bytes of text all that is kept was made from. Compiled, that is a few times as much.
const MAX_BYTES: usize = 512 * 1024;
/// How many texts are kept; looking for one compares the lengths of all.
const MAX_TEXTS: usize = 512;

/// Results of a compiler by their texts.
#[derive(Debug)]
pub struct Compiled<T> {
    kept: VecDeque<(Box<str>, Rc<T>)>,
    bytes: usize,
}

impl<T> Default for Compiled<T> {
    fn default() -> Self {
        Self {
            kept: VecDeque::new(),
            bytes: 0,
        }
    }
}

impl<T> Compiled<T> {
    /// Returns what a text compiles to, from what is kept if possible.
    pub fn get(&mut self, text: &str, compile: impl FnOnce(&str) -> T) -> Rc<T> {
        if let Some((_, known)) = self.kept.iter().find(|(known, _)| **known == *text) {
            return Rc::clone(known);
        }
        let fresh = Rc::new(compile(text));
        self.kept.push_back((text.into(), Rc::clone(&fresh)));
        self.bytes = self.bytes.saturating_add(text.len());
        while self.kept.len() > MAX_TEXTS || (self.bytes > MAX_BYTES && self.kept.len() > 1) {
            let oldest = self.kept.pop_front();
            let freed = oldest.map_or(0, |(text, _)| text.len());
            self.bytes = self.bytes.saturating_sub(freed);
        }
        fresh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gets the texts in order; returns those that had to be compiled.
    fn compiled<'a>(of: &mut Compiled<usize>, texts: &[&'a str]) -> Vec<&'a str> {
        let mut fresh = Vec::new();
        for text in texts {
            let result = of.get(text, |text| {
                fresh.push(*texts.iter().find(|known| **known == text).unwrap());
                text.len()
            });
            assert_eq!(*result, text.len());
        }
        fresh
    }

    #[test]
    fn text_is_compiled_once() {
        let mut known = Compiled::default();
        assert_eq!(compiled(&mut known, &["a", "b", "a", "b"]), ["a", "b"]);
    }

    #[test]
    fn only_the_oldest_make_room() {
        let mut known = Compiled::default();
        let half = "x".repeat(MAX_BYTES / 2);
        let other = "y".repeat(MAX_BYTES / 2);
        assert_eq!(
            compiled(&mut known, &["a", &half, &other, &half, "b", &other]),
            ["a", &half, &other, "b"]
        );
        let texts: Vec<String> = (0..=MAX_TEXTS).map(|at| at.to_string()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(compiled(&mut known, &texts).len(), texts.len());
        assert_eq!(compiled(&mut known, texts.get(1..).unwrap()), [""; 0]);
        assert_eq!(compiled(&mut known, &["0"]), ["0"]);
    }

    #[test]
    fn a_text_beyond_all_bounds_is_kept_alone() {
        let mut known = Compiled::default();
        let large = "x".repeat(MAX_BYTES + 1);
        assert_eq!(
            compiled(&mut known, &["a", &large, &large, "a"]),
            ["a", &large, "a"]
        );
    }
}
