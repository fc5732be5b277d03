//! What is noted about a kept answer, as a few lines that travel with it. Headers and body stay where they are
//! stored.

/// What is stored under a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An answer.
    Answer(Noted),
    /// Several answers, chosen by these headers of a request, in lower case (`Vary`).
    Varies(Vec<String>),
}

/// What is noted about an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noted {
    /// When it came, Unix milliseconds.
    pub stored_ms: u64,
    /// Until when it is fresh, Unix milliseconds.
    pub until_ms: u64,
    /// Its status.
    pub status: u16,
    /// How old it was when it came, seconds.
    pub age_seconds: u64,
    /// True if it says how long it is fresh, so that whoever gets it has to hear how old it is.
    pub tells_age: bool,
    /// True if it may be used beyond its time at all.
    pub may_be_stale: bool,
    /// For how many seconds beyond its time it may be used while another one is asked for.
    pub while_seconds: u64,
    /// For how many seconds beyond its time it may be used instead of an error.
    pub error_seconds: u64,
    /// Its `Content-Length`; 0 for none.
    pub length: u64,
    /// Its `ETag`; empty for none.
    pub etag: String,
    /// Its `Last-Modified`; empty for none.
    pub modified: String,
}

impl Entry {
    /// Writes it.
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

    /// Reads it; `None` for what another release has written otherwise, which is as if it were not there.
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
                    // A release before this one writes no more than that.
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
    /// How old it is, seconds (RFC 9111 section 4.2.3).
    #[must_use]
    pub const fn age(&self, now_ms: u64) -> u64 {
        let resident = now_ms.saturating_sub(self.stored_ms) / 1000;
        self.age_seconds.saturating_add(resident)
    }

    /// When it was made, as far as it says, Unix milliseconds.
    #[must_use]
    pub const fn made_ms(&self) -> u64 {
        let age_ms = self.age_seconds.saturating_mul(1000);
        self.stored_ms.saturating_sub(age_ms)
    }

    /// Whether an upstream can be asked if it still holds (RFC 9111 section 4.3.1).
    #[must_use]
    pub const fn has_validator(&self) -> bool {
        !self.etag.is_empty() || !self.modified.is_empty()
    }

    /// Whether it may be used so many seconds beyond its time.
    #[must_use]
    pub const fn may_be_used(&self, seconds: u64, now_ms: u64) -> bool {
        self.may_be_stale && now_ms.saturating_sub(self.until_ms) <= seconds.saturating_mul(1000)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
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
