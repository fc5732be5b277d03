//! The common part of links that need another server's answer: the list of a service registry, a token.
//!
//! The API's object that caches such answers calls the server, once for all isolates.

use crate::chain::{Need, Step};
use crate::exchange::Exchange;
use crate::upstreams::{Answer, Fetched, Lifetime, Look, Question};
use std::rc::Rc;

/// The request that the object makes.
pub(super) struct Call<'a> {
    /// A word for what is asked; an API has one answer for each.
    pub(super) kind: &'a str,
    pub(super) url: &'a str,
    /// For a POST: its form, and the value of `Authorization`, empty for none.
    pub(super) form: Option<(&'a str, &'a str)>,
    /// Whether each request needs an answer of its own.
    pub(super) always: bool,
}

/// Returns the answer that this isolate may use; `None` if the server has given none that `read` accepts.
///
/// # Errors
/// The step with which the current link asks for the answer.
pub(super) fn ask(
    exchange: &mut Exchange,
    call: &Call<'_>,
    read: &dyn Fn(Fetched<'_>) -> Option<(Answer, Lifetime)>,
) -> Result<Option<Rc<Answer>>, Step> {
    let isolate = Rc::clone(&exchange.isolate);
    let mut answers = isolate.answers().borrow_mut();
    let (now, checksum) = (isolate.now_ms(), exchange.api.checksum);
    let key = format!("{checksum:x} {}", call.kind);
    let seen = match exchange.upstreams_answer.take() {
        None => match answers.look(&key, call.always, now) {
            Look::Known(answer) => return Ok(Some(answer)),
            Look::Ask { seen } => seen,
        },
        Some(answer) => {
            let fetched = answer.as_deref().and_then(Fetched::read);
            let read = fetched.and_then(|fetched| Some((fetched, read(fetched)?)));
            match read {
                Some((fetched, (_, lifetime))) if !fetched.is_new && lifetime.fresh <= now => {
                    fetched.at
                }
                Some((_, (answer, lifetime))) if now < lifetime.ends => {
                    return Ok(Some(answers.keep(&key, answer, lifetime)));
                }
                _ => return Ok(answers.failed(&key, now)),
            }
        }
    };
    let question = Question {
        kind: call.kind,
        api_id: &exchange.api.definition.api_id,
        checksum,
        seen,
    };
    let message = question.write(call.url, call.form);
    Err(Step::Need(Need::Upstreams(message)))
}
