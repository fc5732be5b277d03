//! What the platform does for a proof: the wishes in order, with their results.

use crate::report::Stop;
use gatewright_model::json::{Kind, Value, quote};

/// The results of a call's wishes.
#[derive(Debug)]
pub struct Wishes<'a> {
    of: &'a str,
    since: i64,
    answers: std::slice::Iter<'a, Value<'a>>,
}

/// The response of another server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// The status; 0 if the server could not be reached.
    pub status: i64,
    /// The body.
    pub body: String,
}

/// The public half of a stored certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate {
    /// Its public key, a `SubjectPublicKeyInfo` in Base64.
    pub public: String,
    /// The type of that key: `rsa`, `ec`, or its object identifier.
    pub algorithm: String,
}

impl Fetched {
    /// Returns the body of a successful response.
    #[must_use]
    pub fn good(&self) -> Option<&str> {
        (200..300).contains(&self.status).then_some(&self.body)
    }
}

/// A request to another server.
#[derive(Clone, Copy, Debug)]
pub struct Fetch<'a> {
    /// Its address.
    pub url: &'a str,
    /// The form to send; empty for a GET.
    pub form: &'a str,
    /// The maximum age of a response, in seconds.
    pub seconds: i64,
}

impl<'a> Wishes<'a> {
    /// Wraps the results so far, a JSON list, of wishes for an API. Responses fetched under a lower number than `since`
    /// are not used.
    #[must_use]
    pub fn new(of: &'a str, since: i64, answers: &'a Value<'a>) -> Self {
        Self {
            of,
            since,
            answers: answers.items().iter(),
        }
    }

    /// Calls another server.
    ///
    /// # Errors
    /// The wish, if there is no response yet.
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

    /// Looks up a stored certificate; `None` if it doesn't exist.
    ///
    /// # Errors
    /// The wish, if there is no result yet; that the credential can't be judged, if the lookup failed.
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

    /// Returns what the platform knows of the client's certificate: an object, or null if it reports nothing.
    ///
    /// # Errors
    /// The wish, if there is no result yet.
    pub fn client(&mut self) -> Result<&'a Value<'a>, Stop> {
        let wish = || Stop::Wish("{\"client\":true}".to_owned());
        self.answers.next().ok_or_else(wish)
    }

    /// Verifies a signature. `check` is a JSON object with how to import the key (`import`, `format`, `key`), the
    /// algorithm (`by`), the signature in Base64 and what was signed.
    ///
    /// # Errors
    /// The wish, if there is no result yet.
    pub fn verify(&mut self, check: &str) -> Result<bool, Stop> {
        match self.answers.next() {
            Some(answer) => Ok(answer.kind == gatewright_model::json::Kind::Bool(true)),
            None => Err(Stop::Wish(format!("{{\"verify\":{check}}}"))),
        }
    }
}
