//! The outcome of checking a credential.

use gatewright_model::json::quote;

/// The longest time a proof is remembered, in milliseconds: its key may be removed from its set.
const REMEMBERED_MS: i64 = 60_000;

/// A valid credential.
#[derive(Debug)]
pub enum Report {
    /// The session is that of the key that was asked for.
    Stored(Good),
    /// The session is derived from the credential.
    Derived {
        /// The token under whose hash it is counted.
        token: String,
        /// The session, a JSON object that isn't empty.
        session: String,
        /// The policies to apply to it.
        policies: Vec<String>,
        /// The one of them that must exist.
        base: Option<String>,
        /// The message if none of them exists; empty for that about a named policy.
        no_policy_message: &'static str,
        /// How long it is valid, and its variables.
        good: Good,
    },
}

/// Details of a valid credential.
#[derive(Debug, Default)]
pub struct Good {
    /// When it expires, in Unix seconds; `None` if only the limit on remembering applies.
    pub until: Option<i64>,
    /// The current time in Unix seconds, if the proof may be remembered from now on.
    pub remembered: Option<i64>,
    /// Variables with their values as JSON.
    pub claims: Vec<(String, String)>,
}

impl Good {
    fn text(&self) -> String {
        let mut text = String::new();
        if let Some(now) = self.remembered {
            let most = now.saturating_mul(1000).saturating_add(REMEMBERED_MS);
            let until = self.until.map_or(most, |until| until.saturating_mul(1000));
            text.push_str(&format!(",\"until\":{}", until.min(most)));
        }
        if !self.claims.is_empty() {
            let claims = self.claims.iter();
            let claims = claims.map(|(name, json)| format!("{}:{json}", quote(name)));
            text.push_str(&format!(
                ",\"claims\":{{{}}}",
                claims.collect::<Vec<_>>().join(",")
            ));
        }
        text
    }
}

impl Report {
    /// Serialises the report as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Stored(good) => format!("{{\"stored\":true{}}}", good.text()),
            Self::Derived {
                token,
                session,
                policies,
                base,
                no_policy_message,
                good,
            } => {
                let no_policy_message = match *no_policy_message {
                    "" => String::new(),
                    text => format!(",\"refused\":{{\"message\":{}}}", quote(text)),
                };
                let policies: Vec<String> = policies.iter().map(|id| quote(id)).collect();
                let base = base
                    .as_ref()
                    .map_or_else(String::new, |base| format!(",\"base\":{}", quote(base)));
                format!(
                    "{{\"token\":{},\"session\":{session},\"policies\":[{}]{base}{no_policy_message}{}}}",
                    quote(token),
                    policies.join(","),
                    good.text()
                )
            }
        }
    }
}

/// Why a decision stops early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The platform has to do something first: the wish, as JSON.
    Wish(String),
    /// The session of this key is needed first.
    Key(String),
    /// The credential is refused.
    Refused {
        /// The status of the response.
        status: u16,
        /// Its message.
        message: String,
        /// What kind of refusal it is: nothing was sent, it is malformed, no certificate was presented, it is unknown,
        /// or it can't be judged.
        kind: &'static str,
        /// The reason, for the trace: it contains no secret part of the credential.
        note: String,
        /// The challenge in the response (`WWW-Authenticate`); empty for none.
        challenge: String,
        /// The flag for `error_overrides`, if it doesn't follow from the kind.
        flag: &'static str,
    },
}

impl Stop {
    /// Refuses a credential as unknown.
    pub(crate) fn refused(
        status: u16,
        message: impl Into<String>,
        note: impl Into<String>,
    ) -> Self {
        Self::Refused {
            status,
            message: message.into(),
            kind: "unknown",
            note: note.into(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// Adds a challenge, if the credential may be sent again (status 401).
    pub(crate) fn challenged(mut self, text: &str) -> Self {
        if let Self::Refused {
            status: 401,
            challenge,
            ..
        } = &mut self
        {
            text.clone_into(challenge);
        }
        self
    }

    /// Sets a flag of its own.
    pub(crate) fn flagged(mut self, own: &'static str) -> Self {
        if let Self::Refused { flag, .. } = &mut self {
            *flag = own;
        }
        self
    }

    /// Refuses a credential that can't be judged.
    pub(crate) fn unavailable(note: &str) -> Self {
        Self::Refused {
            status: 503,
            message: "The credential can't be checked, so nothing was let through".to_owned(),
            kind: "unavailable",
            note: note.to_owned(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// Refuses a request because no certificate was presented.
    pub(crate) fn no_certificate(status: u16, message: &str, note: &str) -> Self {
        Self::Refused {
            status,
            message: message.to_owned(),
            kind: "certificate",
            note: note.to_owned(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// Refuses a malformed credential.
    pub(crate) fn malformed(message: String) -> Self {
        Self::Refused {
            status: 400,
            message,
            kind: "malformed",
            note: String::new(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// Refuses a request without a credential.
    pub(crate) fn missing(status: u16, message: &str) -> Self {
        Self::Refused {
            status,
            message: message.to_owned(),
            kind: "missing",
            note: String::new(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// Serialises it as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Wish(text) => text.clone(),
            Self::Key(key) => format!("{{\"key\":{}}}", quote(key)),
            Self::Refused {
                status,
                message,
                kind,
                note,
                challenge,
                flag,
            } => {
                let note = match note.as_str() {
                    "" => String::new(),
                    note => format!(",\"note\":{}", quote(note)),
                };
                let message = quote(message);
                let headers = match challenge.as_str() {
                    "" => String::new(),
                    text => format!(",\"headers\":{{\"www-authenticate\":{}}}", quote(text)),
                };
                let flag = match *flag {
                    "" => String::new(),
                    flag => format!(",\"flag\":\"{flag}\""),
                };
                format!(
                    "{{\"refused\":{{\"status\":{status},\"message\":{message}{flag}{headers}}},\"is\":\"{kind}\"{note}}}"
                )
            }
        }
    }
}
