//! What a request says.

use gatewright_model::json::{Kind, Value};

/// What a request says.
#[derive(Debug)]
pub struct Facts<'a> {
    /// Unix seconds.
    pub now: i64,
    /// The organisation of the API.
    pub org: String,
    /// The credential as it was sent; `None` for none.
    pub credential: Option<String>,
    /// The session of the key that was asked for: `None` if none was, `Some(None)` if there is none.
    pub session: Option<Option<Value<'a>>>,
    /// All of them.
    pub all: Value<'a>,
}

impl<'a> Facts<'a> {
    /// Reads them.
    #[must_use]
    pub fn read(value: Value<'a>) -> Option<Self> {
        let session = value
            .member("session")
            .map(|member| match &member.value.kind {
                Kind::Null => None,
                _ => Some(member.value.clone()),
            });
        Some(Self {
            now: value.int("now")?.checked_div(1000)?,
            org: value.str("org")?.to_owned(),
            credential: value.str("credential").map(str::to_owned),
            session,
            all: value,
        })
    }

    /// The credential without the word `Bearer` and one blank before it; of several the first (reference 3.7).
    #[must_use]
    pub fn bearer(&self) -> Option<&str> {
        let sent = self.credential.as_deref()?;
        let first = sent.split(',').next().unwrap_or_default();
        Some(match first.split_at_checked(7) {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer ") => token,
            _ => first,
        })
    }
}
