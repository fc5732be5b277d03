//! Access to external servers.
//!
//! On workerd, the binding `EGRESS` is a network without private addresses, so that a name which resolves to one is not
//! called either; the error is the same as for a server that isn't running. At the edge there is no private network,
//! and no binding.

use gatewright_controlplane::config::EgressConfig;
use gatewright_controlplane::ports::{Egress, Fetched, Outgoing, Replied, Unfetched};
use gatewright_protocol::trouble::Trouble;
use gatewright_worker_platform::glue;
use wasm_bindgen::{JsCast, JsValue};
use worker::{Env, console_error};

/// Calls to URLs that the control plane has approved.
#[derive(Debug)]
pub struct Outside<'a> {
    /// The bindings, of which `EGRESS` is used if it exists.
    pub env: &'a Env,
    /// Whether private addresses may be called, and how long a call may take.
    pub config: EgressConfig,
}

impl Outside<'_> {
    fn ms(&self) -> u32 {
        self.config.timeout_seconds.saturating_mul(1000)
    }
}

impl Egress for Outside<'_> {
    fn allows_private(&self) -> bool {
        self.config.allow_private
    }

    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched> {
        #[expect(clippy::cast_precision_loss, reason = "the limit is far below 2^53")]
        let max = max as f64;
        let private = self.config.allow_private;
        let answer = glue::get_text(self.env, url, private, max, self.ms()).await;
        let answer: glue::TextAnswer = answer.map_err(|error| failed(&error))?.unchecked_into();
        Ok(Fetched {
            status: answer.text_status(),
            location: answer.location(),
            content_type: answer.content_type(),
            body: answer.text_body().ok_or(Unfetched::TooLarge)?.to_vec(),
        })
    }

    async fn send(&self, outgoing: &Outgoing, max: usize) -> Result<Replied, Unfetched> {
        let max = u32::try_from(max).unwrap_or(u32::MAX);
        let mut headers = String::new();
        for (name, value) in &outgoing.headers {
            headers.extend([name, "\n", value, "\n"]);
        }
        let Outgoing {
            method, url, body, ..
        } = outgoing;
        let private = self.config.allow_private;
        let body = body.as_deref();
        let ms = self.ms();
        let sent = glue::send_out(self.env, method, url, &headers, body, private, ms, max).await;
        let sent: glue::SentAnswer = sent.map_err(|error| failed(&error))?.unchecked_into();
        Ok(Replied {
            status: sent.sent_status(),
            content_type: sent.sent_type(),
            content_length: sent.sent_length().and_then(|length| length.parse().ok()),
            body: sent.sent_body().to_vec(),
            cut: sent.cut(),
        })
    }
}

/// Converts the platform's error, and logs its text alone: the URL could contain a credential in its query.
fn failed(error: &JsValue) -> Unfetched {
    let text = glue::text(error);
    console_error!("egress: {text}");
    match Trouble::of(&text) {
        Trouble::Timeout => Unfetched::TimedOut,
        Trouble::Lookup | Trouble::Connection => Unfetched::Unreachable,
    }
}
