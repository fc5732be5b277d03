//! What an isolate remembers between requests: bounded, and what is used stays.

use std::collections::HashMap;
use std::rc::Rc;

/// How many values are remembered, and how many bytes of them: an isolate has 128 MB, and a token may have 32 kB.
const MAX: usize = 4096;
const MAX_BYTES: usize = 16 * 1024 * 1024;

/// What takes memory.
pub(crate) trait Size {
    /// Roughly how many bytes it takes.
    fn bytes(&self) -> usize;
}

/// Values by name, in two generations: when the newer one is full, the older one is dropped.
#[derive(Debug)]
pub(crate) struct Recent<V> {
    newer: HashMap<String, Rc<V>>,
    older: HashMap<String, Rc<V>>,
    /// The bytes of the newer ones.
    bytes: usize,
}

impl<V> Default for Recent<V> {
    fn default() -> Self {
        Self {
            newer: HashMap::new(),
            older: HashMap::new(),
            bytes: 0,
        }
    }
}

impl<V: Size> Recent<V> {
    /// Returns the value with this name, if it still holds.
    pub(crate) fn get(&mut self, name: &str, holds: impl Fn(&V) -> bool) -> Option<Rc<V>> {
        if let Some(value) = self.newer.get(name).filter(|value| holds(value)) {
            return Some(Rc::clone(value));
        }
        let value = self.older.remove(name).filter(|value| holds(value))?;
        self.put(name.to_owned(), Rc::clone(&value));
        Some(value)
    }

    /// Remembers a value.
    pub(crate) fn put(&mut self, name: String, value: Rc<V>) {
        if self.newer.len() >= MAX / 2 || self.bytes >= MAX_BYTES / 2 {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes = self.bytes.saturating_add(value.bytes());
        self.newer.insert(name, value);
    }

    /// Forgets a value.
    pub(crate) fn remove(&mut self, name: &str) {
        self.newer.remove(name);
        self.older.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Size for usize {
        fn bytes(&self) -> usize {
            *self
        }
    }

    #[test]
    fn used_values_stay_and_the_number_is_bounded() {
        let mut recent = Recent::default();
        recent.put("used".to_owned(), Rc::new(1));
        for number in 0..MAX * 3 {
            recent.put(number.to_string(), Rc::new(1));
            assert!(recent.get("used", |_| true).is_some());
            assert!(recent.newer.len() + recent.older.len() <= MAX + 1);
        }
        assert!(recent.get("0", |_| true).is_none());
        assert!(recent.get("used", |value| *value == 2).is_none());
    }

    #[test]
    fn large_values_take_the_place_of_many() {
        let mut recent = Recent::default();
        for number in 0..MAX {
            recent.put(number.to_string(), Rc::new(MAX_BYTES / 64));
            assert!(recent.newer.len() + recent.older.len() <= 64);
        }
        assert!(recent.get(&(MAX - 1).to_string(), |_| true).is_some());
    }
}
