//! Events on their way from a request to their listeners. No request waits for them: the log gets its line at once, and
//! the Registry gets them after the response is sent.

use crate::isolate::Isolate;
use gatewright_protocol::asking;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::objects::ask;
use gatewright_worker_platform::time::now_ms;
use worker::{Context, Env, console_error};

/// Milliseconds between two sends of an isolate, so that a flood of events doesn't become a flood of commits.
const PAUSE_MS: f64 = 1000.0;

/// Sends the waiting events to the Registry in the background, unless that is being done already.
pub(crate) fn report(env: &Env, context: &Context) {
    if Isolate::get(env).outbox.borrow_mut().wants_sender(now_ms()) {
        let env = env.clone();
        context.wait_until(async move { send(&env).await });
    }
}

/// Sends events to the Registry until none are waiting.
async fn send(env: &Env) {
    let isolate = Isolate::get(env);
    loop {
        let (signals, dropped) = isolate.outbox.borrow_mut().take(now_ms());
        if dropped > 0 {
            console_error!("events: {dropped} dropped, there were too many at once");
        }
        if signals.is_empty() {
            return;
        }
        let count = signals.len();
        let answer = match asking::raise(&signals) {
            Ok(message) => ask(env, "write", &message).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(refused) if refused.ends_with("\n0") => {}
            Ok(_) => console_error!("events: some dropped, their webhooks have too many waiting"),
            Err(error) => {
                console_error!("events: {count} lost: {error}");
                isolate.outbox.borrow_mut().lost();
            }
        }
        glue::wait(PAUSE_MS).await;
    }
}
