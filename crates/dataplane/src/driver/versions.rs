//! The head of a chain: chooses the version of the API that serves a request (reference 5.2 no. 6).

use super::{Next, Purpose, Run};
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::exchange::{Exchange, Route, RunContext};
use crate::failure::Failure;
use crate::links::cors;
use crate::versions::{Choice, Serves, Strip, TRACE_NAME};
use std::rc::Rc;

impl Run {
    /// Runs the chain of the version that serves the request. If none does, the first chain says so: it reads the
    /// message that is to be answered.
    pub(super) fn start(&mut self) -> Next {
        if let Err(failure) = self.enter() {
            self.purpose = Purpose::Refuse(failure);
        }
        self.links()
    }

    /// Chooses the version and with it the chain (reference 5.2).
    fn enter(&mut self) -> Result<(), Failure> {
        let exchange = &self.exchange;
        let snapshot = Rc::clone(&exchange.snapshot);
        let loaded = |id: &str| {
            let api = snapshot.router.get(id);
            api.is_some_and(|api| api.definition.active)
        };
        let chosen =
            exchange
                .api
                .versions
                .choose(&exchange.request, exchange.route.listen, &loaded);
        let choice = match chosen {
            Err(_) if cors::left_from(&exchange.chain, &exchange.request.method).is_some() => {
                return Ok(());
            }
            chosen => chosen?,
        };
        if !self.exchange.api.versions.is_plain() || self.exchange.version.is_empty() {
            self.choose(choice)?;
            self.exchange.note_of(|exchange| {
                let (version, api) = (&exchange.version, &exchange.api.definition.name);
                format!("Version {version} of {api}")
            });
            self.end_step(TRACE_NAME, Phase::Request, Ended::Passed);
        }
        Ok(())
    }

    /// Restarts the exchange in the chain of a version.
    fn choose(&mut self, choice: Choice) -> Result<(), Failure> {
        let old = &mut self.exchange;
        let is_child = matches!(choice.serves, Serves::Child(_));
        let (api, entry, name) = match choice.serves {
            Serves::Own(entry) => (Rc::clone(&old.api), entry, choice.name),
            Serves::Child(id) => {
                let child = old.snapshot.router.get(&id).cloned();
                let child = child.ok_or(Failure::FallbackBroken)?;
                // The child's own unversioned entry: its base has already chosen it.
                let entry = child.versions.unversioned()?;
                let own = entry.and_then(|entry| child.versions.own.get(entry));
                let name = own.map_or_else(|| "Default".to_owned(), |own| own.name.clone());
                (child, entry, name)
            }
        };
        let route = Route {
            base_stripped: is_child.then_some(old.api.definition.proxy.strip_listen_path),
            version: choice.segment,
            strips_version: choice.strips == Strip::Segment,
            ..old.route.clone()
        };
        let context = RunContext {
            snapshot: Rc::clone(&old.snapshot),
            isolate: Rc::clone(&old.isolate),
            api,
            chain: entry.unwrap_or_default(),
        };
        let mut exchange = Exchange::new(old.request.clone(), route, context);
        exchange.succeed(old);
        // A loop may have set it already.
        exchange.timeout_ms = old.timeout_ms;
        exchange.body = std::mem::take(&mut old.body);
        exchange.version = name;
        if let Strip::Header(header) = &choice.strips {
            exchange.remove_header(header);
        }
        exchange.query = choice.strips.query(&exchange.request.query);
        *old = exchange;
        Ok(())
    }
}
