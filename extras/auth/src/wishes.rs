//! What the platform does for a proof: each wish in its order, with what came of it.

use crate::report::Stop;
use gatewright_model::json::{Kind, Value, quote};

/// The answers to the wishes of a call.
#[derive(Debug)]
pub struct Wishes<'a> {
    of: &'a str,
    since: i64,
    answers: std::slice::Iter<'a, Value<'a>>,
}

/// What another server has answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The status; 0 if it could not be asked.
    pub status: i64,
    /// The body.
    pub body: String,
}

/// The public half of a stored certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Its public key, `SubjectPublicKeyInfo` in Base64.
    pub public: String,
    /// What kind of key that is: `rsa`, `ec`, or its object identifier.
    pub algorithm: String,
}

impl Fetched {
    /// The body of a good answer.
    #[must_use]
    pub fn good(&self) -> Option<&str> {
        (200..300).contains(&self.status).then_some(&self.body)
    }
}

/// What is asked of another server.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// Its address.
    pub url: &'a str,
    /// A form that it gets; empty for a GET.
    pub form: &'a str,
    /// How old an answer may be, seconds.
    pub seconds: i64,
}

impl<'a> Wishes<'a> {
    /// The answers so far, a JSON list, to what is wished for an API. What was fetched under a lower number is
    /// forgotten.
    #[must_use]
    pub fn new(of: &'a str, since: i64, answers: &'a Value<'a>) -> Self {
        Self {
            of,
            since,
            answers: answers.items().iter(),
        }
    }

    /// Asks another server.
    ///
    /// # Errors
    /// The wish, where there is no answer yet.
    pub fn fetch(&mut self, what: Fetch<'_>) -> Result<Fetched, Stop> {
        if let Some(answer) = self.answers.next() {
            return Ok(Fetched {
                status: answer.int("status").unwrap_or_default(),
                body: answer.str("body").unwrap_or_default().to_owned(),
            });
        }
        let (of, url, form) = (quote(self.of), quote(what.url), quote(what.form));
        let (since, seconds) = (self.since, what.seconds);
        Err(Stop::Wish(format!(
            "{{\"fetch\":{{\"of\":{of},\"url\":{url},\"form\":{form},\"seconds\":{seconds},\
             \"since\":{since}}}}}"
        )))
    }

    /// Asks for a stored certificate; `None` if there is none.
    ///
    /// # Errors
    /// The wish, where there is no answer yet; that nobody can say, where it could not be asked for.
    pub fn certificate(&mut self, id: &str) -> Result<Option<Certificate>, Stop> {
        let Some(answer) = self.answers.next() else {
            return Err(Stop::Wish(format!("{{\"certificate\":{}}}", quote(id))));
        };
        let member = |name| answer.str(name).map(str::to_owned);
        match (member("public"), member("algorithm")) {
            (Some(public), Some(algorithm)) => Ok(Some(Certificate { public, algorithm })),
            _ if answer.kind == Kind::Null => Ok(None),
            _ => Err(Stop::unavailable("The certificate can't be asked for")),
        }
    }

    /// Asks what the platform knows of the client's certificate: an object, or null where it knows nothing.
    ///
    /// # Errors
    /// The wish, where there is no answer yet.
    pub fn client(&mut self) -> Result<&'a Value<'a>, Stop> {
        let wish = || Stop::Wish("{\"client\":true}".to_owned());
        self.answers.next().ok_or_else(wish)
    }

    /// Checks a signature: `check` is a JSON object of how the key is imported (`import`, `format`, `key`), by which
    /// algorithm it checks (`by`), the signature in Base64 and what was signed.
    ///
    /// # Errors
    /// The wish, where there is no answer yet.
    pub fn verify(&mut self, check: &str) -> Result<bool, Stop> {
        match self.answers.next() {
            Some(answer) => Ok(answer.kind == gatewright_model::json::Kind::Bool(true)),
            None => Err(Stop::Wish(format!("{{\"verify\":{check}}}"))),
        }
    }
}
