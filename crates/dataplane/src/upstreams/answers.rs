//! Answers from other servers about upstreams, cached in the isolate as long as they are valid: targets from service
//! registries, tokens, and the hosts that are down.
//!
//! A request that finds a stale answer asks for a new one. While the old one is valid, concurrent requests continue
//! with it: only one asks, and nobody waits for another request's promise.
//!
//! The object it asks caches what servers answered (`worker/src/objects/answers.js`): it calls each server once for all
//! isolates that ask in the meantime.

use gatewright_model::json::quote;
use gatewright_protocol::target::Target;
use std::collections::HashMap;
use std::rc::Rc;

/// How many answers are cached; beyond that all are dropped and requested again.
const MOST: usize = 20_000;
/// How long to rely on a request that is asking before another one asks, in milliseconds.
const ASKING_MS: u64 = 1000;
/// How long to reuse the previous answer after a failure, in milliseconds.
const RETRY_MS: u64 = 1000;

/// An answer, parsed for use.
#[derive(Debug, PartialEq, Eq)]
pub enum Answer {
    /// The targets named by a service registry.
    Targets(Vec<Rc<Target>>),
    /// Hosts that fail their uptime tests.
    Down(Vec<String>),
    /// A credential for the upstream, and variables that come with it.
    Token {
        /// The header's value.
        value: String,
        /// Names and values.
        variables: Vec<(String, String)>,
    },
}

/// How long an answer is valid. Times are Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lifetime {
    /// When it was given.
    pub at: u64,
    /// Until when it is fresh.
    pub fresh: u64,
    /// When it expires, even if no other can be obtained.
    pub ends: u64,
}

#[derive(Debug, Default)]
struct Cached {
    answer: Option<Rc<Answer>>,
    lifetime: Lifetime,
    asked: u64,
}

/// The answers of an isolate.
#[derive(Debug, Default)]
pub struct Answers {
    cached: HashMap<String, Cached>,
}

/// The result of a lookup.
#[derive(Debug, PartialEq, Eq)]
pub enum Look {
    /// An answer is available.
    Known(Rc<Answer>),
    /// An answer has to be requested, newer than `seen`.
    Ask {
        /// When the cached one was given; 0 if there is none.
        seen: u64,
    },
}

impl Answers {
    /// Looks up an answer. With `always`, a stale one is never returned, even if another request is already asking.
    pub fn look(&mut self, key: &str, always: bool, now: u64) -> Look {
        if self.cached.len() >= MOST && !self.cached.contains_key(key) {
            self.cached.clear();
        }
        let cached = self.cached.entry(key.to_owned()).or_default();
        let Lifetime { at, fresh, ends } = cached.lifetime;
        let is_asked = !always && now < ends && now.saturating_sub(cached.asked) < ASKING_MS;
        match &cached.answer {
            Some(answer) if now < fresh || is_asked => Look::Known(Rc::clone(answer)),
            _ => {
                cached.asked = now;
                Look::Ask { seen: at }
            }
        }
    }

    /// The cached answer, however old.
    #[must_use]
    pub fn known(&self, key: &str) -> Option<Rc<Answer>> {
        self.cached.get(key)?.answer.clone()
    }

    /// Caches an answer.
    pub fn keep(&mut self, key: &str, answer: Answer, lifetime: Lifetime) -> Rc<Answer> {
        let answer = Rc::new(answer);
        let cached = Cached {
            answer: Some(Rc::clone(&answer)),
            lifetime,
            asked: 0,
        };
        self.cached.insert(key.to_owned(), cached);
        answer
    }

    /// Records a failure; returns the previous answer if it is still valid.
    pub fn failed(&mut self, key: &str, now: u64) -> Option<Rc<Answer>> {
        let cached = self.cached.get_mut(key)?;
        if now >= cached.lifetime.ends {
            return None;
        }
        cached.lifetime.fresh = now.saturating_add(RETRY_MS).min(cached.lifetime.ends);
        cached.answer.clone()
    }
}

/// A question to the object that caches answers for an API.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// A word for what is asked; the object caches one answer for each.
    pub kind: &'a str,
    /// The API.
    pub api_id: &'a str,
    /// The checksum of the API's definition: answers to another one don't count.
    pub checksum: u64,
    /// Only an answer newer than this time is wanted, in Unix milliseconds.
    pub seen: u64,
}

impl Question<'_> {
    /// Writes the message, with the request for the object to make: URL and, for a POST, its form and the value of
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

/// The object's reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetched<'a> {
    /// When the server gave the answer, in Unix milliseconds.
    pub at: u64,
    /// Whether it is as new as can be, from a call made just now.
    pub is_new: bool,
    /// The server's answer.
    pub text: &'a str,
}

impl<'a> Fetched<'a> {
    /// Parses a reply; `None` if the server has never answered. An older answer that the server failed to replace
    /// counts as new: there is no newer one.
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
    fn one_refreshes_while_others_use_the_old_value() {
        let mut answers = Answers::default();
        let known = |host: &str| Look::Known(Rc::new(down(host)));
        // There is no answer to continue with.
        for _ in 0..2 {
            assert_eq!(answers.look("k", false, AT), Look::Ask { seen: 0 });
        }
        answers.keep("k", down("a"), lifetime(100, 10_000));
        assert_eq!(answers.look("k", false, AT + 99), known("a"));
        assert_eq!(answers.look("k", false, AT + 100), Look::Ask { seen: AT });
        assert_eq!(answers.look("k", false, AT + 101), known("a"));
        assert_eq!(answers.look("k", true, AT + 101), Look::Ask { seen: AT });
        // The request that asked has ended.
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
    fn previous_reply_is_used_until_it_expires() {
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
    fn replies_are_bounded() {
        let mut answers = Answers::default();
        for number in 0..MOST * 2 + 1 {
            answers.look(&number.to_string(), false, AT);
            assert!(answers.cached.len() <= MOST);
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
