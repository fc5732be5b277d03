//! What the platform does for a proof: the wishes in order, with their results.

use crate::report::{Report, Stop};
use gatewright_model::json::{Kind, Value, quote};

/// The results of a call's wishes.
#[derive(Debug)]
pub struct Wishes<'a> {
    of: &'a str,
    since: i64,
    /// A response that was given before it was wished for.
    ahead: Option<&'a Value<'a>>,
    answers: std::slice::Iter<'a, Value<'a>>,
    /// The check of a signature that is assumed to succeed.
    assumed: Option<Check>,
}

/// A signature to verify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// A JSON object with how to import the key (`import`, `format`, `key`) and the algorithm (`by`): the same text for
    /// all signatures with one key, so that the platform imports it once.
    pub with: String,
    /// The signature in Base64.
    pub signature: String,
    /// What was signed.
    pub signed: String,
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
    /// are not used. The first result may be a response that is likely to be wished for, with that wish as its member
    /// `to`: it is used wherever exactly that is wished for.
    #[must_use]
    pub fn new(of: &'a str, since: i64, answers: &'a Value<'a>) -> Self {
        let answers = answers.items();
        let ahead = answers.first().filter(|first| first.get("to").is_some());
        let given = answers.get(usize::from(ahead.is_some())..);
        Self {
            of,
            since,
            ahead,
            answers: given.unwrap_or_default().iter(),
            assumed: None,
        }
    }

    /// Returns what to say for this outcome: if a signature was assumed to be right, the wish to verify it, followed by
    /// the signature, what was signed, and the report that holds if it is right. With that, the same decision need not be
    /// made once more.
    #[must_use]
    pub fn outcome(self, outcome: &Result<Report, Stop>) -> Vec<String> {
        let text = match outcome {
            Ok(report) => report.text(),
            Err(stop) => stop.text(),
        };
        let Some(check) = self.assumed else {
            return vec![text];
        };
        let wish = format!("{{\"verify\":{}}}", check.with);
        let mut said = vec![wish, check.signature, check.signed];
        // Another wish depends on the result.
        said.extend((!matches!(outcome, Err(Stop::Wish(_)))).then_some(text));
        said
    }

    /// Calls another server.
    ///
    /// # Errors
    /// The wish, if there is no response yet.
    pub fn fetch(&mut self, what: Fetch<'_>) -> Result<Fetched, Stop> {
        let fits = |answer: &&Value<'_>| {
            answer.get("to").is_some_and(|to| {
                let texts = [("of", self.of), ("url", what.url), ("form", what.form)];
                let numbers = [("seconds", what.seconds), ("since", self.since)];
                texts.iter().all(|(name, text)| to.str(name) == Some(text))
                    && numbers
                        .iter()
                        .all(|(name, number)| to.int(name) == Some(*number))
            })
        };
        let ahead = self.ahead.filter(fits);
        if let Some(answer) = ahead.or_else(|| self.answers.next()) {
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

    /// Verifies a signature. Without a result, it is assumed to be right until the outcome, which then depends on it
    /// ([`Self::outcome`]).
    ///
    /// # Errors
    /// A wish, if that is assumed of another one already.
    pub fn verify(&mut self, check: Check) -> Result<bool, Stop> {
        match self.answers.next() {
            Some(answer) => Ok(answer.kind == Kind::Bool(true)),
            None if self.assumed.is_none() => {
                self.assumed = Some(check);
                Ok(true)
            }
            // The one that is assumed has to be verified first.
            None => Err(Stop::Wish(String::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gatewright_model::json::parse;

    #[test]
    fn a_response_given_ahead_is_used_only_for_its_own_wish() {
        let to = r#"{"of":"a","url":"u","form":"","seconds":9,"since":1}"#;
        let given = |to: &str| format!(r#"[{{"status":200,"body":"ahead","to":{to}}},true]"#);
        let fetch = |results: &str, what: Fetch<'_>| {
            let results = parse(results).unwrap();
            let mut wishes = Wishes::new("a", 1, &results);
            let fetched = wishes.fetch(what).map(|fetched| fetched.body);
            // It is no result of any other wish.
            assert_eq!(wishes.verify(Check::default()).ok(), Some(true));
            fetched.ok()
        };
        let (url, form, seconds) = ("u", "", 9);
        let what = Fetch { url, form, seconds };
        assert_eq!(fetch(&given(to), what).as_deref(), Some("ahead"));
        for other in [
            Fetch { url: "v", ..what },
            Fetch { form: "f", ..what },
            Fetch { seconds: 8, ..what },
        ] {
            assert_eq!(fetch(&given(to), other).as_deref(), Some(""), "{other:?}");
        }
        for other in [to.replace(":1}", ":2}"), to.replace("\"a\"", "\"b\"")] {
            assert_eq!(fetch(&given(&other), what).as_deref(), Some(""), "{other}");
        }
    }

    fn outcome(results: &str, asked: &[&str], then: Result<Report, Stop>) -> Vec<String> {
        let results = parse(results).unwrap();
        let mut wishes = Wishes::new("a", 0, &results);
        let all = asked.iter().try_for_each(|signed| {
            let check = Check {
                with: "{}".to_owned(),
                signature: "s".to_owned(),
                signed: (*signed).to_owned(),
            };
            wishes.verify(check).map(|_| ())
        });
        wishes.outcome(&all.and(then))
    }

    #[test]
    fn a_report_assumes_one_right_signature_and_nothing_else() {
        let good = || Ok(Report::Stored(crate::report::Good::default()));
        let report = r#"{"stored":true}"#;
        let wish = r#"{"verify":{}}"#;
        assert_eq!(outcome("[]", &[], good()), [report]);
        assert_eq!(outcome("[true]", &["1"], good()), [report]);
        assert_eq!(outcome("[]", &["1"], good()), [wish, "s", "1", report]);
        assert_eq!(
            outcome("[false]", &["1", "2"], good()),
            [wish, "s", "2", report]
        );
        // What is wished for after it depends on the result.
        let other = Err(Stop::Wish(r#"{"client":true}"#.to_owned()));
        assert_eq!(outcome("[]", &["1"], other), [wish, "s", "1"]);
        assert_eq!(outcome("[]", &["1", "2"], good()), [wish, "s", "1"]);
    }
}
