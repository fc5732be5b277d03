//! The notes on a cached answer: a few lines that are stored with it. Headers and body are not copied here.

/// What is stored under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An answer.
    Answer(Noted),
    /// The key covers several answers, selected by these request headers, in lower case (`Vary`).
    Varies(Vec<String>),
}

/// The notes on an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// When it was received, in Unix milliseconds.
    pub stored_ms: u64,
    /// Until when it is fresh, in Unix milliseconds.
    pub until_ms: u64,
    /// The HTTP status.
    pub status: u16,
    /// Its age when it was received, in seconds.
    pub age_seconds: u64,
    /// Whether it states its freshness, so that recipients must be given its age.
    pub tells_age: bool,
    /// Whether it may be used when stale at all.
    pub may_be_stale: bool,
    /// How long it may be used when stale while a new one is fetched, in seconds.
    pub while_seconds: u64,
    /// How long it may be used when stale instead of an error, in seconds.
    pub error_seconds: u64,
    /// Its `Content-Length`; 0 if there is none.
    pub length: u64,
    /// Its `ETag`; empty if there is none.
    pub etag: String,
    /// Its `Last-Modified`; empty if there is none.
    pub modified: String,
}

impl Entry {
    /// Serialises the entry.
    #[must_use]
    pub fn write(&self) -> String {
        match self {
            Self::Varies(names) => format!("v {}", names.join(" ")),
            Self::Answer(noted) => format!(
                "a {} {} {} {} {} {} {} {} {}\n{}\n{}",
                noted.stored_ms,
                noted.until_ms,
                noted.status,
                noted.age_seconds,
                u8::from(noted.tells_age),
                u8::from(noted.may_be_stale),
                noted.while_seconds,
                noted.error_seconds,
                noted.length,
                noted.etag,
                noted.modified
            ),
        }
    }

    /// Parses an entry; `None` if another release has written it in a different format, which counts as absent.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut lines = text.split('\n');
        let mut words = lines.next()?.split(' ');
        match words.next()? {
            "v" => Some(Self::Varies(words.map(str::to_owned).collect())),
            "a" => {
                let mut number = || words.next()?.parse::<u64>().ok();
                Some(Self::Answer(Noted {
                    stored_ms: number()?,
                    until_ms: number()?,
                    status: u16::try_from(number()?).ok()?,
                    age_seconds: number()?,
                    tells_age: number()? == 1,
                    // Older releases write no further fields.
                    may_be_stale: number() == Some(1),
                    while_seconds: number().unwrap_or_default(),
                    error_seconds: number().unwrap_or_default(),
                    length: number().unwrap_or_default(),
                    etag: lines.next()?.to_owned(),
                    modified: lines.next()?.to_owned(),
                }))
            }
            _ => None,
        }
    }
}

impl Noted {
    /// The answer's age in seconds (RFC 9111 section 4.2.3).
    #[must_use]
    pub const fn age(&self, now_ms: u64) -> u64 {
        let resident = now_ms.saturating_sub(self.stored_ms) / 1000;
        self.age_seconds.saturating_add(resident)
    }

    /// When the answer was created, as far as it says, in Unix milliseconds.
    #[must_use]
    pub const fn made_ms(&self) -> u64 {
        let age_ms = self.age_seconds.saturating_mul(1000);
        self.stored_ms.saturating_sub(age_ms)
    }

    /// Whether the upstream can be asked to validate it (RFC 9111 section 4.3.1).
    #[must_use]
    pub const fn has_validator(&self) -> bool {
        !self.etag.is_empty() || !self.modified.is_empty()
    }

    /// Whether it may be used when stale for this many seconds.
    #[must_use]
    pub const fn may_be_used(&self, seconds: u64, now_ms: u64) -> bool {
        self.may_be_stale && now_ms.saturating_sub(self.until_ms) <= seconds.saturating_mul(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_round_trips() {
        let noted = Noted {
            stored_ms: 1,
            until_ms: 2,
            status: 404,
            age_seconds: 3,
            tells_age: true,
            may_be_stale: true,
            while_seconds: 4,
            error_seconds: 5,
            length: 6,
            etag: "W/\"a b\"".to_owned(),
            modified: String::new(),
        };
        for entry in [
            Entry::Answer(noted),
            Entry::Varies(vec!["accept".to_owned(), "origin".to_owned()]),
        ] {
            assert_eq!(Entry::read(&entry.write()), Some(entry));
        }
        let before = Entry::read("a 1 2 200 3 1\n\"e\"\n");
        assert!(
            matches!(before, Some(Entry::Answer(noted)) if !noted.may_be_stale && noted.etag == "\"e\"")
        );
        for other in ["", "a", "a 1 2 3", "b 1", "a 1 2 99999 0 0\n\n"] {
            assert_eq!(Entry::read(other), None, "{other}");
        }
    }
}
