//! Asks for leases in the background of a request, which doesn't wait for them.

use crate::isolate::Isolate;
use futures_util::future::join_all;
use gatewright_dataplane::leases::Question;
use gatewright_worker_platform::objects::ask_ledger;
use gatewright_worker_platform::time::now_ms;
use worker::{Context, Env, console_error};

/// Sends the waiting questions, in the background.
pub(crate) fn report(env: &Env, context: &Context) {
    if Isolate::get(env).leases.borrow().has_questions() {
        let env = env.clone();
        context.wait_until(async move { ask_all(&env).await });
    }
}

/// Sends the waiting questions.
pub(crate) async fn ask_all(env: &Env) {
    let questions = Isolate::get(env).leases.borrow_mut().questions();
    join_all(questions.iter().map(|question| ask(env, question))).await;
}

async fn ask(env: &Env, question: &Question) {
    let Question {
        ledger,
        ask,
        asked_at,
        counted_as,
    } = question;
    let isolate = Isolate::get(env);
    let answer = ask_ledger(env, ledger, ask).await;
    if !counted_as.is_empty() {
        let verdict = answer.as_ref().ok().map(|(verdict, _)| verdict);
        let mut figures = isolate.figures.borrow_mut();
        figures.asked_ahead(counted_as, verdict);
    }
    let mut leases = isolate.leases.borrow_mut();
    match answer {
        Ok((verdict, _)) => leases.answered(ledger, ask, &verdict, (*asked_at, now_ms())),
        Err(error) => {
            console_error!("leases: {error}");
            leases.failed(ledger, ask);
        }
    }
}
