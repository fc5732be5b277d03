//! What the Registry's object exchanges with Ledgers: it hands sessions over, and these lend them
//! (`controlplane/src/registry/handover.rs`). `objects/registry.js` makes the calls.

use super::{RETRY_MS, Registry, js_error};
use gatewright_controlplane::registry::handover::{Handover, Handovers};
use gatewright_protocol::error::StoreError;
use gatewright_worker_platform::time::{now, now_ms as clock, to_millis};
use js_sys::Array;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl Registry {
    /// Returns the names of the Ledgers whose sessions the last commands want, if they want any.
    pub fn wanted(&self) -> Vec<String> {
        self.documents.borrow_mut().take_wanted()
    }

    /// Lends the session of a Ledger, as that has answered; an empty text if it has none.
    ///
    /// # Errors
    /// If the answer can't be read.
    pub fn lend(&self, ledger: &str, answer: &str) -> Result<(), JsError> {
        let lent = self.documents.borrow_mut().lend(ledger, answer);
        lent.map_err(|error| js_error(&error))
    }

    /// Returns a part of what Ledgers don't keep yet ([`listed`]), and whether there is more. The alarm gets nothing before
    /// it `is_due`.
    ///
    /// # Errors
    /// If the rows can't be read.
    #[wasm_bindgen(js_name = openHandovers)]
    pub fn open_handovers(&self, is_due: bool) -> Result<Array, JsError> {
        let mut documents = self.documents.borrow_mut();
        let open = match is_due {
            true => documents.due_handovers(clock()),
            false => documents.open_handovers(),
        };
        let (list, is_more) = open.map_err(|error| js_error(&error))?;
        Ok(Array::of2(&listed(list), &is_more.into()))
    }

    /// Records that these Ledgers keep these revisions.
    ///
    /// # Errors
    /// If the rows can't be written; then they are handed over again.
    pub fn kept(&self, ledgers: Vec<String>, revisions: Vec<f64>) -> Result<(), JsError> {
        let kept = ledgers
            .into_iter()
            .zip(revisions.into_iter().map(to_millis));
        let kept: Vec<_> = kept.collect();
        let recorded = self.documents.borrow_mut().kept(&kept);
        recorded.map_err(|error| js_error(&error))
    }

    /// Returns for which values of `LEDGER_SHARDS` sessions may live, separated by commas, while there are several
    /// (`controlplane/src/registry/handover/placed.rs`).
    ///
    /// # Errors
    /// If the rows can't be read.
    pub fn places(&self) -> Result<String, JsError> {
        let places = self.documents.borrow_mut().places();
        places.map_err(|error| js_error(&error))
    }

    /// Returns the next sessions for Ledgers to fetch from where they lived before: the name of each Ledger, followed by
    /// the question for it. Undefined once all Ledgers keep theirs.
    ///
    /// # Errors
    /// If the rows can't be read.
    #[wasm_bindgen(js_name = nextToGoThrough)]
    pub fn next_to_go_through(&self) -> Result<Option<Vec<String>>, JsError> {
        let next = self.documents.borrow_mut().next_to_go_through();
        let next = next.map_err(|error| js_error(&error))?;
        Ok(next.map(|next| next.into_iter().flatten().collect()))
    }

    /// Records that the Ledgers up to this one keep their sessions; undefined if all do.
    ///
    /// # Errors
    /// If the rows can't be written.
    #[wasm_bindgen(js_name = wentThrough)]
    #[expect(
        clippy::needless_pass_by_value,
        reason = "JavaScript gives its values away"
    )]
    pub fn went_through(&self, last: Option<String>) -> Result<(), JsError> {
        let recorded = self.documents.borrow_mut().went_through(last.as_deref());
        recorded.map_err(|error| js_error(&error))
    }

    /// Deletes expired keys, and returns what [`Self::call`] does, with an empty reply.
    ///
    /// # Errors
    /// If the rows can't be read or written.
    #[wasm_bindgen(js_name = removeEnded)]
    pub fn remove_ended(&self) -> Result<JsValue, JsError> {
        let removed = self.documents.borrow_mut().remove_ended(&now());
        self.wake();
        self.finished(removed.map(|()| String::new()))
            .map_err(|error| js_error(&error))
    }

    /// Pauses the alarm, because something that it does has failed.
    pub fn pause(&self) {
        self.alarm.pause_until(clock().saturating_add(RETRY_MS));
    }
}

impl Registry {
    /// Returns the result of a command, as [`Self::call`] does.
    pub(super) fn finished(
        &self,
        reply: Result<String, StoreError>,
    ) -> Result<JsValue, StoreError> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let wanted = self.wanted();
                if wanted.is_empty() {
                    return Err(error);
                }
                let names: Array = wanted.into_iter().map(JsValue::from).collect();
                return Ok(Array::of2(&JsValue::UNDEFINED, &names).into());
            }
        };
        let handovers = self.documents.borrow_mut().take_handovers();
        self.wake_for(!handovers.is_empty());
        Ok(with_handovers(reply, handovers))
    }
}

/// Returns a reply; if Ledgers have to keep something before it leaves, in a list with that.
pub(super) fn with_handovers(reply: String, handovers: Handovers) -> JsValue {
    if handovers.is_empty() {
        return reply.into();
    }
    let Handovers { list, drains } = handovers;
    Array::of3(&reply.into(), &listed(list), &drains.into()).into()
}

/// Returns for each: the name of the Ledger, the revision, the message, the Ledger whose counters it continues, and
/// whether its token has just been generated.
fn listed(list: Vec<Handover>) -> Array {
    let list = list.into_iter().map(|handover| {
        #[expect(clippy::cast_precision_loss, reason = "revisions are far below 2^53")]
        let revision = handover.revision as f64;
        Array::of5(
            &handover.ledger.into(),
            &revision.into(),
            &handover.message.into(),
            &handover.after.into(),
            &handover.is_generated.into(),
        )
    });
    list.collect()
}
