//! What each command leads to.

use super::credentials::Denied;
use super::deliveries::signal;
use super::{
    Replied, Turn, backup, certificates, credentials, deliveries, oauth, publish, read, records,
    sessions, sign_ins, storage, write,
};
use gatewright_protocol::caller::{Caller, Sender};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::records::{Ask, RecordCommand, RecordRefusal};
use gatewright_protocol::registry::{Command, Listed, Reply, body};

impl Turn<'_> {
    pub(super) fn carry_out(&mut self, command: &Command, text: &str) -> Replied {
        match command {
            Command::Write(write) => write::write(self, write, text),
            Command::Delete { id, guard } => write::delete(self, id, guard),
            Command::Restore {
                id,
                revision,
                guard,
            } => write::restore(self, id, *revision, guard),
            Command::Read { id } => read::document(self.rows, self.index, id),
            Command::ReadRevision { id, revision } => {
                read::revision(self.rows, self.index, id, *revision)
            }
            Command::Revisions { id, before, limit } => read::revisions(self, id, *before, *limit),
            Command::List => read::list(self.rows, self.index),
            Command::ListFrom(id) => {
                read::list_from(self.rows, self.index, (Listed::Classic, false), id)
            }
            Command::ListDocuments {
                listed,
                from,
                masked,
            } => read::list_from(self.rows, self.index, (*listed, *masked), from),
            Command::Summaries(query) => {
                // No text is retained of an API that was deleted too long ago.
                let gone = self.gone_before().unwrap_or_default();
                let page = self.index.summaries(self.rows, query, &gone)?;
                Ok((Reply::Json, body(&page)?))
            }
            Command::Versions { id, search, access } => {
                read::versions(self.index, id, search, access.as_deref())
            }
            Command::Status | Command::ShortStatus => {
                let stored = (&*self.index, &*self.records);
                let is_short = matches!(command, Command::ShortStatus);
                read::status(self.rows, stored, self.allowed, (self.reloading, is_short))
            }
            Command::Storage => storage::storage(self),
            // These need the complete set: see `Registry::handle`.
            Command::CheckReload | Command::CheckSelection { .. } => {
                Err(StoreError::new("check reload", "not in a turn"))
            }
            Command::Generations => publish::generations(self.rows),
            Command::PlanGeneration { generation } => publish::plan_generation(self, *generation),
            Command::UptimeTests { known } => publish::uptime_tests(self, *known),
            Command::ForgetKeys { id } => publish::forget_keys(self, id),
            Command::ReadPublished { id } => read::published(self.rows, self.index, id),
            Command::Credentials => credentials::list(self),
            Command::Issue { credential, hash } => {
                credentials::issue(self, credential, hash).map(|reply| (reply, String::new()))
            }
            Command::Revoke { id } => {
                credentials::revoke(self, id).map(|reply| (reply, String::new()))
            }
            Command::Raise(signals) => signal::raise(self, signals),
            Command::Session(ask) if ask.writes() => sessions::write(self, ask, text),
            Command::Session(ask) => sessions::read(self, ask, text),
            Command::Oauth { .. } => oauth::carry_out(self, text),
            Command::Backup(command) => backup::carry_out(self, command),
            Command::Certificates(ask) => certificates::carry_out(self, ask, text),
            Command::SignIn(ask) => sign_ins::carry_out(self, ask),
            Command::By {
                actor,
                command,
                client,
            } => {
                self.journal.act_for(Sender {
                    actor: actor.clone(),
                    client: client.clone(),
                });
                let answer = self.carry_out(command, text);
                self.journal.act_for(Sender::default());
                answer
            }
            Command::Dashboard(ask) => self
                .ask(ask, text)
                .map(|(answer, text)| (Reply::Dashboard(answer), text)),
        }
    }

    /// Authorises the caller and carries out its command.
    fn ask(&mut self, ask: &Ask, text: &str) -> records::Outcome {
        let signed_in = match &ask.caller {
            Caller::SignIn(hash) => sign_ins::caller(self, hash)?,
            _ => None,
        };
        let caller = signed_in.as_ref().unwrap_or(&ask.caller);
        let admitted = self
            .credentials
            .admit(caller, ask.need, self.default_org, self.now);
        let actor = match admitted {
            Ok(actor) => actor,
            Err(denied) => {
                return records::refuse(match denied {
                    Denied::Unknown => RecordRefusal::NotAuthorised,
                    Denied::NotPermitted => RecordRefusal::NotPermitted,
                });
            }
        };
        if let RecordCommand::Hook(ask) = &ask.command {
            deliveries::ask(self, &actor, ask, text)
        } else if ask.command.writes() {
            records::write(self, &actor, &ask.command, text)
        } else {
            records::read(self, &actor, &ask.command)
        }
    }
}
