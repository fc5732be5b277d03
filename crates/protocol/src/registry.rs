//! Messages between an isolate and the Registry: a command or a reply encoded by `wire`, a line break, then the
//! document unchanged.

mod reply;

pub use reply::{Aside, Refusal, Reply};

use crate::backup::Backup;
use crate::caller::{Client, Sender};
use crate::certificates::CertificateAsk;
use crate::error::StoreError;
use crate::records::{Ask, RecordCommand};
use crate::sessions::SessionAsk;
use crate::sign_in::SignInAsk;
use crate::signal::Signal;
use crate::wire::{self, WireError};
use gatewright_api::dashboard::shape::Credential;
use gatewright_api::shape::State;
use gatewright_model::openapi::DocumentKind;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// The precondition of a write (RFC 9110 section 13).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guard {
    /// `If-Match`: one of these revisions must be the current one.
    pub revisions: Option<Vec<u64>>,
    /// `If-Match: *`: the document must exist.
    pub exists: bool,
    /// `If-None-Match: *`: the document must not exist.
    pub absent: bool,
    /// `?dry_run=true`: decide, but store nothing.
    pub dry_run: bool,
}

impl Guard {
    /// Whether a document whose live revision is `current` may be written.
    #[must_use]
    pub fn allows(&self, current: Option<u64>) -> bool {
        let matches = self
            .revisions
            .as_ref()
            .is_none_or(|wanted| current.is_some_and(|revision| wanted.contains(&revision)));
        matches && !(self.exists && current.is_none()) && !(self.absent && current.is_some())
    }
}

/// The parameters that make a new document a version of another API (reference 1.3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct VersionOf {
    /// `base_api_id`.
    pub base: String,
    /// `base_api_version_name`, empty if not given.
    pub base_name: String,
    /// `new_version_name`.
    pub name: String,
    /// `set_default`.
    pub set_default: bool,
}

/// The document to store follows the command's line; it has been validated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Write {
    /// The API's id.
    pub id: String,
    /// Whether it is a `PUT`: the document must exist.
    pub update: bool,
    /// The preconditions.
    pub guard: Guard,
    /// Set if the document is to become a version of another API.
    pub version_of: Option<VersionOf>,
}

/// The filter, order and page of a list of summaries.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SummaryQuery {
    /// Part of a name, id, path, domain, tag or target, case-insensitive.
    pub search: String,
    /// Only this state.
    pub state: Option<State>,
    /// Only this tag.
    pub tag: Option<String>,
    /// The order.
    pub sort: Sort,
    /// Whether to reverse the order.
    pub descending: bool,
    /// The page, from 1.
    pub page: u32,
    /// Rows per page.
    pub per_page: u32,
    /// Only APIs administered as an OpenAPI document of this kind.
    #[serde(default)]
    pub document: Option<DocumentKind>,
}

/// The member that orders a summary list. Ties are broken by id, so pages never overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the sorted members")]
pub enum Sort {
    #[default]
    Name,
    ApiId,
    ListenPath,
    Domain,
    State,
    UpdatedAt,
}

/// Which APIs a list has, and in which form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Listed {
    /// The definitions of all APIs but MCP proxies; OpenAPI APIs in their classic form.
    Classic,
    /// Like [`Self::Classic`], with MCP proxies (`include_types=mcp`).
    WithProxies,
    /// The documents of OpenAPI APIs.
    Oas,
    /// The documents of MCP proxies.
    Mcp,
    /// Like [`Self::Oas`], one member per line.
    OasFile,
    /// Like [`Self::OasFile`], without the extension.
    OasPublic,
}

/// A command to the Registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the members are those of the endpoints")]
pub enum Command {
    Write(Write),
    Delete {
        id: String,
        guard: Guard,
    },
    Restore {
        id: String,
        revision: u64,
        guard: Guard,
    },
    Read {
        id: String,
    },
    ReadRevision {
        id: String,
        revision: u64,
    },
    Revisions {
        id: String,
        before: Option<u64>,
        limit: u32,
    },
    List,
    Summaries(SummaryQuery),
    Versions {
        id: String,
        search: String,
        access: Option<String>,
    },
    Status,
    /// Lists every dashboard credential.
    Credentials,
    /// Stores a credential and the hash of its token.
    Issue {
        credential: Credential,
        hash: String,
    },
    Revoke {
        id: String,
    },
    /// A command of the dashboard API.
    Dashboard(Ask),
    /// A command about the session of a key or an organisation.
    Session(SessionAsk),
    /// Sends events to handlers.
    Raise(Vec<Signal>),
    /// Returns how much is stored.
    Storage,
    /// A page of the list of all definitions, starting at an id: a line with the id of the next page, empty for none,
    /// then the text.
    ListFrom(String),
    /// A part of an export or of an import.
    Backup(Backup),
    /// The uptime tests of the published set, unless it is of this generation: as JSON, with the other members of their
    /// definitions that are needed.
    UptimeTests {
        known: u64,
    },
    /// The document as published.
    ReadPublished {
        id: String,
    },
    /// A command about certificates.
    Certificates(CertificateAsk),
    /// Discards the key sets of an API; of all APIs if the id is empty.
    ForgetKeys {
        id: String,
    },
    /// The command in the text after the line, the JSON of an [`OauthAsk`](crate::oauth::OauthAsk).
    Oauth {
        /// Whether it stores something.
        writes: bool,
    },
    /// A page of a list, starting at an id: a line with the id of the next page, empty for none, then the text.
    ListDocuments {
        listed: Listed,
        from: String,
        /// Whether to leave out secrets.
        #[serde(default)]
        masked: bool,
    },
    /// What the next reload would skip, and what it would load without effect: a
    /// [`ReloadCheck`](gatewright_api::shape::ReloadCheck).
    CheckReload,
    /// Whether a selection can be published. If `strict`, the same as [`Self::CheckReload`] for the resulting set, else
    /// an empty [`ReloadCheck`](gatewright_api::shape::ReloadCheck).
    CheckSelection {
        selection: Selection,
        strict: bool,
    },
    /// Lists the generations that can be published again.
    Generations,
    /// What publishing a generation again would change.
    PlanGeneration {
        generation: u64,
    },
    /// A command about a sign-in of the console.
    SignIn(SignInAsk),
    /// A command by an actor with this name.
    By {
        actor: String,
        command: Box<Command>,
        #[serde(default)]
        client: Client,
    },
    /// [`Self::Status`] without the list of what is loaded.
    ShortStatus,
}

/// What a partial reload publishes: changes of these APIs and policies, or an earlier generation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Selection {
    /// Ids of APIs.
    pub apis: Vec<String>,
    /// Ids of policies, as shown to users.
    pub policies: Vec<String>,
    /// The generation; if set, nothing else is selected.
    pub generation: Option<u64>,
}

impl Command {
    /// Whether the command writes nothing but what is stored and read from storage: if nothing of it was stored, it can
    /// be carried out again as if for the first time.
    #[must_use]
    pub const fn stores(&self) -> bool {
        match self {
            Self::Write(_) | Self::Delete { .. } | Self::Restore { .. } => true,
            Self::Session(ask) => ask.writes(),
            Self::Dashboard(ask) => {
                ask.command.writes() && !matches!(ask.command, RecordCommand::Hook(_))
            }
            Self::Oauth { writes } => *writes,
            Self::By { command, .. } => command.stores(),
            _ => false,
        }
    }

    /// Returns the command about sessions that it is; `None` for any other.
    #[must_use]
    pub fn session(&self) -> Option<&SessionAsk> {
        match self {
            Self::Session(ask) => Some(ask),
            Self::By { command, .. } => command.session(),
            _ => None,
        }
    }

    /// Whether the command stores something, unless it is refused or a dry run. A platform may commit several such
    /// commands together.
    #[must_use]
    pub const fn writes(&self) -> bool {
        match self {
            Self::Write(_)
            | Self::Delete { .. }
            | Self::Restore { .. }
            | Self::Issue { .. }
            | Self::Revoke { .. }
            | Self::ForgetKeys { .. }
            | Self::Raise(_) => true,
            Self::Session(ask) => ask.writes(),
            Self::Certificates(ask) => ask.writes(),
            Self::Dashboard(ask) => ask.command.writes(),
            Self::Backup(command) => command.writes(),
            Self::Oauth { writes } => *writes,
            Self::By { command, .. } => command.writes(),
            Self::Read { .. }
            | Self::ReadRevision { .. }
            | Self::Revisions { .. }
            | Self::List
            | Self::Summaries(_)
            | Self::Versions { .. }
            | Self::Status
            | Self::ShortStatus
            | Self::Storage
            | Self::ListFrom(_)
            | Self::UptimeTests { .. }
            | Self::ReadPublished { .. }
            | Self::ListDocuments { .. }
            | Self::CheckReload
            | Self::CheckSelection { .. }
            | Self::Generations
            | Self::PlanGeneration { .. }
            // Hardly any of them stores something, so none waits to be committed with others.
            | Self::SignIn(_)
            | Self::Credentials => false,
        }
    }
}

impl Command {
    /// Returns the command with its sender attached; `None` if the command can be sent as it is. Only what the audit
    /// trail records has a sender.
    #[must_use]
    pub fn by(&self, sender: &Sender) -> Option<Self> {
        let is_recorded = match self {
            Self::SignIn(ask) => !ask.console.is_empty(),
            command => command.writes(),
        };
        (is_recorded && *sender != Sender::default()).then(|| Self::By {
            actor: sender.actor.clone(),
            command: Box::new(self.clone()),
            client: sender.client.clone(),
        })
    }
}

/// Encodes the body of a response; it ends with a newline, as clients of this family expect (reference 1.0).
///
/// # Errors
/// Never for the shapes of this project; the signature is that of the serializer.
pub fn body<T: Serialize>(body: &T) -> Result<String, StoreError> {
    let mut text = serde_json::to_string(body)
        .map_err(|error| StoreError::new("encode answer", error.to_string()))?;
    text.push('\n');
    Ok(text)
}

/// Joins a line and a document.
///
/// # Errors
/// Never for the types of this module; the signature is that of the serializer.
pub fn encode<T: Serialize>(line: &T, text: &str) -> Result<String, StoreError> {
    let mut message = wire::write(line).map_err(WireError::of_encoding)?;
    message.reserve(text.len().saturating_add(1));
    message.push('\n');
    message.push_str(text);
    Ok(message)
}

/// Splits a message into its line and its document.
///
/// # Errors
/// If the line is not of the expected type.
pub fn decode<T: DeserializeOwned>(message: &str) -> Result<(T, &str), StoreError> {
    let (line, rest) = wire::read(message).map_err(WireError::of_decoding)?;
    Ok((line, rest.strip_prefix('\n').unwrap_or(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_every_byte_of_its_document() {
        let command = Command::Read {
            id: "a\nb".to_owned(),
        };
        let text = "{\n \"n\": 1.0}\n";
        let message = encode(&command, text).unwrap();
        assert_eq!(decode::<Command>(&message).unwrap(), (command, text));
    }

    #[test]
    fn guards_follow_rfc_9110() {
        let allows = |guard: &Guard, current| guard.allows(current);
        let any = Guard::default();
        assert!(allows(&any, None) && allows(&any, Some(3)));
        let three = Guard {
            revisions: Some(vec![2, 3]),
            ..Guard::default()
        };
        assert!(allows(&three, Some(3)) && !allows(&three, Some(4)) && !allows(&three, None));
        let never = Guard {
            revisions: Some(vec![]),
            ..Guard::default()
        };
        assert!(!allows(&never, Some(1)));
        let create = Guard {
            absent: true,
            ..Guard::default()
        };
        assert!(allows(&create, None) && !allows(&create, Some(1)));
        let exists = Guard {
            exists: true,
            ..Guard::default()
        };
        assert!(!allows(&exists, None) && allows(&exists, Some(1)));
    }
}
