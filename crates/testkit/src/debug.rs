//! Debugging in memory: the loop of [`crate::traffic`] around the driver.

use crate::platform::Memory;
use crate::traffic::{AUTHORITY, Client, ORIGIN};
use gatewright_controlplane::error::Error;
use gatewright_dataplane::batch::{Answer, Budget, Dispatch, Item};
use gatewright_dataplane::debug::{self, Ask, Bench};
use gatewright_dataplane::driver::Run;
use gatewright_protocol::http::Response;

impl Memory {
    /// Runs a debugged request.
    pub(crate) async fn debugged(
        &self,
        body: &str,
        definition: Option<&str>,
    ) -> Result<Response, Error> {
        let ask = Ask::read(body, definition, &self.settings).map_err(refused)?;
        let bench = Bench {
            snapshot: &self.served_set(),
            isolate: &self.isolate(),
            scheme: "http",
            authority: AUTHORITY,
            client_address: ORIGIN.into(),
        };
        debug::run(&bench, &ask, self).await.map_err(refused)
    }
}

fn refused(error: debug::Error) -> Error {
    match error {
        debug::Error::Malformed(issues) => Error::Malformed(issues),
        debug::Error::Refused(status, text) => Error::Refused(status, text),
    }
}

impl Dispatch for Memory {
    async fn run(&self, run: Run, item: &Item, budget: &Budget) -> (Option<Run>, Answer) {
        let client = Client {
            method: &item.method,
            headers: item.headers.clone(),
            body: &item.body,
        };
        let (run, ended) = self.drive(run, &client, budget.item).await;
        let mut answer = ended.answer;
        answer.cut |= answer.body.len() > budget.item || !budget.take(answer.body.len());
        (Some(run), answer)
    }
}
