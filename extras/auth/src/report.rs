//! What is said about a credential.

use gatewright_model::json::quote;

/// For how many milliseconds a proof is remembered at most: a key may be taken out of its set.
const REMEMBERED_MS: i64 = 60_000;

/// A credential that is good.
#[derive(Debug)]
pub enum Report {
    /// The session is that of the key that was asked for.
    Stored(Good),
    /// The session follows from the credential.
    Derived {
        /// What it counts under: a token whose hash that is.
        token: String,
        /// The session, a JSON object with members.
        session: String,
        /// The policies that are added to it.
        policies: Vec<String>,
        /// The one of them that there has to be.
        base: Option<String>,
        /// What is said where there is none of them; empty for what is said of one that was named.
        lacking: &'static str,
        /// What else.
        good: Good,
    },
}

/// What comes with a good credential.
#[derive(Debug, Default)]
pub struct Good {
    /// Until when it holds, Unix seconds; `None` for as long as it may be remembered.
    pub until: Option<i64>,
    /// Whether it may be remembered at all, from now on (Unix seconds).
    pub remembered: Option<i64>,
    /// Variables with their texts.
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
            let claims = claims.map(|(name, value)| format!("{}:{}", quote(name), quote(value)));
            text.push_str(&format!(
                ",\"claims\":{{{}}}",
                claims.collect::<Vec<_>>().join(",")
            ));
        }
        text
    }
}

impl Report {
    /// It as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Stored(good) => format!("{{\"stored\":true{}}}", good.text()),
            Self::Derived {
                token,
                session,
                policies,
                base,
                lacking,
                good,
            } => {
                let lacking = match *lacking {
                    "" => String::new(),
                    text => format!(",\"refused\":{{\"message\":{}}}", quote(text)),
                };
                let policies: Vec<String> = policies.iter().map(|id| quote(id)).collect();
                let base = base
                    .as_ref()
                    .map_or_else(String::new, |base| format!(",\"base\":{}", quote(base)));
                format!(
                    "{{\"token\":{},\"session\":{session},\"policies\":[{}]{base}{lacking}{}}}",
                    quote(token),
                    policies.join(","),
                    good.text()
                )
            }
        }
    }
}

/// Why a decision ends before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The platform has to do something first: the wish as JSON.
    Wish(String),
    /// The session of this key is needed first.
    Key(String),
    /// The credential is no good.
    Refused {
        /// The status of the answer.
        status: u16,
        /// Its message.
        message: String,
        /// What it is: nothing was sent, it has another form, no certificate was shown, it is not known, or nobody
        /// could say.
        is: &'static str,
        /// Why, for the trace: no part of the credential that is secret.
        note: String,
        /// What the answer asks for (`WWW-Authenticate`); empty for nothing.
        challenge: String,
        /// What `error_overrides` can name it by, if that does not follow from what it is.
        flag: &'static str,
    },
}

impl Stop {
    /// A credential that is no good.
    pub(crate) fn refused(
        status: u16,
        message: impl Into<String>,
        note: impl Into<String>,
    ) -> Self {
        Self::Refused {
            status,
            message: message.into(),
            is: "unknown",
            note: note.into(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// The same with a challenge, where the credential may be sent again (status 401).
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

    /// The same with a flag of its own.
    pub(crate) fn flagged(mut self, own: &'static str) -> Self {
        if let Self::Refused { flag, .. } = &mut self {
            *flag = own;
        }
        self
    }

    /// Nobody can say whether a credential is good.
    pub(crate) fn unavailable(note: &str) -> Self {
        Self::Refused {
            status: 503,
            message: "The credential can't be checked, so nothing was let through".to_owned(),
            is: "unavailable",
            note: note.to_owned(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// A certificate is asked for, and none was shown.
    pub(crate) fn unshown(status: u16, message: &str, note: &str) -> Self {
        Self::Refused {
            status,
            message: message.to_owned(),
            is: "certificate",
            note: note.to_owned(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// It does not have the form of a credential.
    pub(crate) fn malformed(message: String) -> Self {
        Self::Refused {
            status: 400,
            message,
            is: "malformed",
            note: String::new(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// No credential at all.
    pub(crate) fn missing(status: u16, message: &str) -> Self {
        Self::Refused {
            status,
            message: message.to_owned(),
            is: "missing",
            note: String::new(),
            challenge: String::new(),
            flag: "",
        }
    }

    /// It as JSON.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Wish(text) => text.clone(),
            Self::Key(key) => format!("{{\"key\":{}}}", quote(key)),
            Self::Refused {
                status,
                message,
                is,
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
                    "{{\"refused\":{{\"status\":{status},\"message\":{message}{flag}{headers}}},\"is\":\"{is}\"{note}}}"
                )
            }
        }
    }
}
