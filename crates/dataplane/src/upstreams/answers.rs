//! What others have answered about upstreams, kept in the isolate as long as it may be used: lists of service
//! registries, tokens, and the hosts that are down.
//!
//! A request that finds an answer too old asks for another one. As long as the old one can be used, the other
//! requests of that moment go on with it: one asks, and nobody waits for somebody else's promise.
//!
//! Who is asked is an object that keeps what servers have answered (`worker/src/objects/answers.js`): it calls a
//! server once for all isolates that ask in the meantime.

use gatewright_model::json::quote;
use gatewright_protocol::target::Target;
use std::collections::HashMap;
use std::rc::Rc;

/// So many answers are kept at once; then all are forgotten, and asked for again.
const MOST: usize = 20_000;
/// For so long a request that asks is waited for before another one asks, milliseconds.
const ASKING_MS: u64 = 1000;
/// After a failure the answer of before is used for so long, milliseconds.
const RETRY_MS: u64 = 1000;

/// An answer as it is used.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The addresses that a service registry has named.
    Targets(Vec<Rc<Target>>),
    /// Hosts that do not answer their tests.
    Down(Vec<String>),
    /// What the upstream gets to see, and variables that come with it.
    Token {
        /// The value of the header.
        value: String,
        /// Names and values.
        variables: Vec<(String, String)>,
    },
}

/// For how long an answer may be used. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// When it was given.
    pub at: u64,
    /// Until then nobody has to ask again.
    pub fresh: u64,
    /// From then on it can't be used, whatever else fails.
    pub ends: u64,
}

#[derive(Debug, Default)]
struct Kept {
    answer: Option<Rc<Answer>>,
    lifetime: Lifetime,
    asked: u64,
}

/// The answers of an isolate.
#[derive(Debug, Default)]
pub struct Answers {
    kept: HashMap<String, Kept>,
}

/// Whether an answer is known.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// It is.
    Known(Rc<Answer>),
    /// It has to be asked for; none that was given before this time is wanted.
    Ask {
        /// When the one that is known was given, 0 for none.
        seen: u64,
    },
}

impl Answers {
    /// Looks for an answer. `always`: one that is not fresh is no answer, whoever is asking already.
    pub fn look(&mut self, key: &str, always: bool, now: u64) -> Look {
        if self.kept.len() >= MOST && !self.kept.contains_key(key) {
            self.kept.clear();
        }
        let kept = self.kept.entry(key.to_owned()).or_default();
        let Lifetime { at, fresh, ends } = kept.lifetime;
        let is_asked = !always && now < ends && now.saturating_sub(kept.asked) < ASKING_MS;
        match &kept.answer {
            Some(answer) if now < fresh || is_asked => Look::Known(Rc::clone(answer)),
            _ => {
                kept.asked = now;
                Look::Ask { seen: at }
            }
        }
    }

    /// The answer that is known, old or not.
    #[must_use]
    pub fn known(&self, key: &str) -> Option<Rc<Answer>> {
        self.kept.get(key)?.answer.clone()
    }

    /// Keeps an answer.
    pub fn keep(&mut self, key: &str, answer: Answer, lifetime: Lifetime) -> Rc<Answer> {
        let answer = Rc::new(answer);
        let kept = Kept {
            answer: Some(Rc::clone(&answer)),
            lifetime,
            asked: 0,
        };
        self.kept.insert(key.to_owned(), kept);
        answer
    }

    /// There is no other answer: the one of before, if it can still be used.
    pub fn failed(&mut self, key: &str, now: u64) -> Option<Rc<Answer>> {
        let kept = self.kept.get_mut(key)?;
        if now >= kept.lifetime.ends {
            return None;
        }
        kept.lifetime.fresh = now.saturating_add(RETRY_MS).min(kept.lifetime.ends);
        kept.answer.clone()
    }
}

/// A question to the object of an API that keeps what servers have answered.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What is asked for, a word: of each the object keeps one answer.
    pub kind: &'a str,
    /// The API.
    pub api_id: &'a str,
    /// Of its definition: an answer that was given to another one is none.
    pub checksum: u64,
    /// An answer of then, Unix milliseconds, or of before is not wanted.
    pub seen: u64,
}

impl Question<'_> {
    /// As a message, with the request that the object makes: address, and for a POST its form and the value of
    /// `Authorization`.
    #[must_use]
    pub fn write(self, url: &str, form: Option<(&str, &str)>) -> String {
        let Self {
            kind,
            api_id,
            checksum,
            seen,
        } = self;
        let form = form.map(|(form, authorization)| {
            let (form, authorization) = (quote(form), quote(authorization));
            format!(",\"form\":{form},\"authorization\":{authorization}")
        });
        let (url, form) = (quote(url), form.unwrap_or_default());
        format!("fetch {kind} {checksum:x} {seen} {api_id}\n{{\"url\":{url}{form}}}")
    }
}

/// What that object has answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched<'a> {
    /// When the server has answered this, Unix milliseconds.
    pub at: u64,
    /// Whether it was called just now, and it is as new as can be.
    pub is_new: bool,
    /// What it has answered.
    pub text: &'a str,
}

impl<'a> Fetched<'a> {
    /// Reads it; `None` where the server has not answered, now or ever. An answer of before that the server has not
    /// replaced counts as new: there is no newer one.
    #[must_use]
    pub fn read(answer: &'a str) -> Option<Self> {
        let (head, text) = answer.split_once('\n')?;
        let (at, how) = head.split_once(' ')?;
        Some(Self {
            at: at.parse().ok().filter(|at| *at > 0)?,
            is_new: how != "kept",
            text,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AT: u64 = 1_000_000;

    fn down(host: &str) -> Answer {
        Answer::Down(vec![host.to_owned()])
    }

    fn lifetime(fresh: u64, ends: u64) -> Lifetime {
        Lifetime {
            at: AT,
            fresh: AT.saturating_add(fresh),
            ends: AT.saturating_add(ends),
        }
    }

    #[test]
    fn one_asks_while_the_others_go_on_with_what_there_is() {
        let mut answers = Answers::default();
        let known = |host: &str| Look::Known(Rc::new(down(host)));
        // There is nothing to go on with.
        for _ in 0..2 {
            assert_eq!(answers.look("k", false, AT), Look::Ask { seen: 0 });
        }
        answers.keep("k", down("a"), lifetime(100, 10_000));
        assert_eq!(answers.look("k", false, AT + 99), known("a"));
        assert_eq!(answers.look("k", false, AT + 100), Look::Ask { seen: AT });
        assert_eq!(answers.look("k", false, AT + 101), known("a"));
        assert_eq!(answers.look("k", true, AT + 101), Look::Ask { seen: AT });
        // Whoever has asked is gone.
        let later = AT + 101 + ASKING_MS;
        assert_eq!(answers.look("k", false, later), Look::Ask { seen: AT });
        assert_eq!(
            answers.look("k", false, AT + 10_000),
            Look::Ask { seen: AT }
        );
        answers.keep("k", down("b"), lifetime(20_000, 30_000));
        assert_eq!(answers.look("k", true, AT + 10_000), known("b"));
    }

    #[test]
    fn an_answer_of_before_is_used_until_it_ends() {
        let mut answers = Answers::default();
        assert_eq!(answers.failed("k", AT), None);
        assert_eq!(answers.look("k", false, AT), Look::Ask { seen: 0 });
        assert_eq!(answers.failed("k", AT), None);
        answers.keep("k", down("a"), lifetime(100, 5000));
        assert_eq!(answers.look("k", false, AT + 200), Look::Ask { seen: AT });
        assert_eq!(answers.failed("k", AT + 200), Some(Rc::new(down("a"))));
        let fresh = AT + 200 + RETRY_MS;
        assert_eq!(
            answers.look("k", true, fresh - 1),
            Look::Known(Rc::new(down("a")))
        );
        assert_eq!(answers.look("k", true, fresh), Look::Ask { seen: AT });
        assert_eq!(answers.failed("k", AT + 5000), None);
    }

    #[test]
    fn they_are_bounded() {
        let mut answers = Answers::default();
        for number in 0..MOST * 2 + 1 {
            answers.look(&number.to_string(), false, AT);
            assert!(answers.kept.len() <= MOST);
        }
    }

    #[test]
    fn a_question_and_its_answer_are_lines() {
        let question = Question {
            kind: "token",
            api_id: "an api",
            checksum: 255,
            seen: 7,
        };
        assert_eq!(
            question.write("http://r/\"", None),
            "fetch token ff 7 an api\n{\"url\":\"http://r/\\\"\"}"
        );
        let posted = question.write("u", Some(("a=b", "Basic x")));
        assert!(
            posted.ends_with("\n{\"url\":\"u\",\"form\":\"a=b\",\"authorization\":\"Basic x\"}")
        );
        let read = |at, is_new, text| Some(Fetched { at, is_new, text });
        for (answer, expected) in [
            ("5 new\n{\n}", read(5, true, "{\n}")),
            ("5 kept\n", read(5, false, "")),
            ("5 old status 500\nx", read(5, true, "x")),
            ("0 old status 500\n", None),
            ("", None),
        ] {
            assert_eq!(Fetched::read(answer), expected, "{answer}");
        }
    }
}
