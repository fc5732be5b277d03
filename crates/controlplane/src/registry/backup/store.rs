//! Storing the lines of an import.

use super::line::{hook, joined, only, private};
use super::pages::{client_line, session_root};
use super::refused;
use crate::registry::deliveries::secret::HookSecrets;
use crate::registry::handover::Origin;
use crate::registry::index::Facts;
use crate::registry::records::RecordFacts;
use crate::registry::rows::{Body, CertificateRow, Change, Document, Entry, Older, Record, root};
use crate::registry::sessions::{SessionFacts, SessionRow};
use crate::registry::{Replied, Turn, done};
use gatewright_api::dashboard::shape::Credential;
use gatewright_api::message::Action;
use gatewright_api::resource::Subject;
use gatewright_model::certificate::Material;
use gatewright_model::json::{self, Value, edit};
use gatewright_model::session::Session;
use gatewright_model::shape::Root;
use gatewright_protocol::backup::Line;
use gatewright_protocol::oauth::{OauthClient, OauthToken};
use gatewright_protocol::records::Kind;
use gatewright_protocol::sessions::Owner;
use serde::de::DeserializeOwned;

/// The item that a line represents.
enum Item {
    /// With its text, and the secrets that sign a webhook's calls.
    Document(Document, Action, Option<String>, Option<HookSecrets>),
    Session(SessionRow, String),
    Credential(String, Credential),
    Older(Older),
    Certificate(CertificateRow),
    OauthClient(OauthClient),
    OauthToken(OauthToken),
}

/// Stores lines, all or none. An item that exists already in the same revision is left alone.
pub(super) fn store(turn: &mut Turn<'_>, lines: &[(u64, Line)]) -> Replied {
    let mut items = Vec::new();
    for (number, line) in lines {
        match read(line).and_then(|item| known(turn, &item).map(|known| (item, known))) {
            Ok((item, false)) => items.push(item),
            Ok((_, true)) => {}
            Err(reason) => return refused(*number, reason),
        }
    }
    let changes: Vec<Change<'_>> = {
        let last = turn.journal.last_audit();
        items.iter().flat_map(|item| item.changes(last)).collect()
    };
    turn.rows.commit(&changes)?;
    drop(changes);
    for item in items {
        match item {
            Item::Document(document, ..) => turn.put(document),
            Item::Session(row, _) => {
                turn.journal.reach(row.revision);
                turn.ends.note(row.facts.ends);
            }
            Item::Credential(hash, credential) => turn.credentials.put(&hash, credential),
            Item::Older(_) | Item::Certificate(_) | Item::OauthClient(_) | Item::OauthToken(_) => {}
        }
    }
    done()
}

/// Whether an item is stored already. If another revision of it is stored, somebody has written it in the meantime.
fn known(turn: &Turn<'_>, item: &Item) -> Result<bool, String> {
    let (found, wanted) = match item {
        Item::Document(document, ..) => {
            let head = document.head();
            let found = turn.revision(head.of);
            (found.map_err(|error| error.to_string())?, head.revision)
        }
        Item::Session(row, _) => {
            let found = turn.rows.session_row(row.owner, &row.id);
            let found = found.map_err(|error| error.to_string())?;
            (found.map(|row| row.revision), row.revision)
        }
        Item::Credential(hash, _) => {
            return Ok(turn.credentials.after("").any(|(known, _)| known == hash));
        }
        Item::Older(_) | Item::OauthClient(_) | Item::OauthToken(_) => return Ok(false),
        Item::Certificate(row) => {
            let found = turn.rows.certificate(&row.id);
            return Ok(found.map_err(|error| error.to_string())?.is_some());
        }
    };
    match found {
        None => Ok(false),
        Some(found) if found == wanted => Ok(true),
        Some(found) => Err(format!(
            "it has revision {wanted}, and here is revision {found}, which was written since the import began"
        )),
    }
}

impl Item {
    /// Returns the changes that store it; `last` is the number of the last entry of the trail.
    fn changes(&self, last: u64) -> Vec<Change<'_>> {
        match self {
            Self::Document(document, action, text, secrets) => {
                let mut changes = vec![Change::Document {
                    document: document.clone(),
                    action: *action,
                    body: text.as_deref().map_or(Body::Gone, Body::Text),
                }];
                changes.extend(secrets.iter().map(|secrets| Change::Secrets {
                    hook: document.head().of.id,
                    secrets: secrets.clone(),
                }));
                changes
            }
            // Existing ones have been skipped, and an export contains nothing twice.
            Self::Session(row, text) => vec![Change::Session {
                is_new: true,
                row: row.clone(),
                text,
                origin: Origin::Imported(last),
            }],
            Self::Credential(hash, credential) => vec![Change::Credential {
                credential: credential.clone(),
                hash,
            }],
            Self::Older(older) => vec![Change::Older(older)],
            Self::Certificate(row) => vec![Change::Certificate(row)],
            Self::OauthClient(client) => vec![Change::OauthClient(client)],
            Self::OauthToken(token) => vec![Change::OauthToken(token)],
        }
    }
}

/// The members of a line, read one by one.
struct Members<'a> {
    line: &'a str,
    value: &'a Value<'a>,
    secrets: Option<&'a str>,
}

fn read(line: &Line) -> Result<Item, String> {
    let parsed = json::parse(&line.text).map_err(|_| "it is no JSON".to_owned())?;
    let [member] = parsed.members() else {
        return Err("it is no object with one member".to_owned());
    };
    let members = Members {
        line: &line.text,
        value: &member.value,
        secrets: line.secrets.as_deref(),
    };
    match &*member.name {
        "api" => members.newest(None),
        "record" => members.newest(Some(members.read("kind")?)),
        "session" => members.session(),
        "credential" => Ok(Item::Credential(
            members.text("id")?.to_owned(),
            members.read("credential")?,
        )),
        "revision" => members.older(),
        "certificate" => members.certificate(),
        "oauth_client" => members.oauth_client(),
        "oauth_token" => members.oauth_token(),
        name => Err(format!("/{name} is not known here")),
    }
}

impl Members<'_> {
    fn wrong(name: &str) -> String {
        format!("/{name} is missing or wrong")
    }

    fn text(&self, name: &str) -> Result<&str, String> {
        self.value.str(name).ok_or_else(|| Self::wrong(name))
    }

    fn owned(&self, name: &str) -> Result<String, String> {
        self.text(name).map(str::to_owned)
    }

    fn number(&self, name: &str) -> Result<u64, String> {
        let number = self
            .value
            .int(name)
            .and_then(|number| u64::try_from(number).ok());
        number.ok_or_else(|| Self::wrong(name))
    }

    fn revision(&self) -> Result<u64, String> {
        let revision = self.number("revision")?;
        (revision > 0)
            .then_some(revision)
            .ok_or_else(|| Self::wrong("revision"))
    }

    /// Reads a member in its stored form.
    fn read<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let value = self.value.get(name);
        let value = value.and_then(|value| serde_json::from_str(value.span.of(self.line)).ok());
        value.ok_or_else(|| Self::wrong(name))
    }

    /// Reads a document with its secrets; `None` if there is none.
    fn document(&self, name: &str, root: Root) -> Result<Option<String>, String> {
        let Some(text) = self.value.str(name) else {
            return Ok(None);
        };
        match self.secrets {
            None => Ok(Some(text.to_owned())),
            Some(secrets) => {
                let joined = joined(root, text, secrets);
                joined.map(Some).ok_or_else(|| Self::wrong("sealed"))
            }
        }
    }

    /// Reads the newest revision of a record of a kind, or of an API definition.
    fn newest(&self, kind: Option<Kind>) -> Result<Item, String> {
        let root = root(kind.map_or(Subject::Api, |kind| kind.row().subject));
        let text = self.document("text", root)?;
        let (id, revision) = (self.owned("id")?, self.revision()?);
        let (deleted, updated_at) = (text.is_none(), self.owned("updated_at")?);
        let document = match kind {
            None => Document::Definition(Entry {
                id,
                revision,
                deleted,
                published: None,
                updated_at,
                facts: match &text {
                    Some(text) => Facts::read(text),
                    None => self.read("facts")?,
                },
            }),
            Some(kind) => Document::Record(Record {
                kind,
                id,
                org: self.owned("org")?,
                revision,
                deleted,
                created_at: self.owned("created_at")?,
                updated_at,
                facts: match &text {
                    Some(text) => RecordFacts::read(kind, text),
                    None => self.read("facts")?,
                },
            }),
        };
        let secrets = self.secrets.and_then(hook);
        let secrets = secrets.map(|hook| serde_json::from_str::<HookSecrets>(&hook));
        let secrets = secrets.transpose().map_err(|_| Self::wrong("sealed"))?;
        Ok(Item::Document(
            document,
            self.read("action")?,
            text,
            secrets,
        ))
    }

    fn session(&self) -> Result<Item, String> {
        let owners = [Owner::Key, Owner::Organisation];
        let owner = self.text("owner")?;
        let owner = owners.into_iter().find(|known| known.word() == owner);
        let owner = owner.ok_or_else(|| Self::wrong("owner"))?;
        let text = self.document("text", session_root(owner))?;
        let text = text.ok_or_else(|| Self::wrong("text"))?;
        let session = Session::parse(&text).map_err(|_| Self::wrong("text"))?;
        let row = SessionRow {
            owner,
            id: self.owned("id")?,
            revision: self.revision()?,
            reset: self.number("reset")?,
            created_at: self.owned("created_at")?,
            updated_at: self.owned("updated_at")?,
            facts: SessionFacts {
                ends: self.number("ends")?,
                org_id: self.owned("org_id")?,
                ..SessionFacts::of(session)
            },
        };
        Ok(Item::Session(row, text))
    }

    /// Reads a certificate, with its private key if the export has it.
    fn certificate(&self) -> Result<Item, String> {
        let details = self.value.get("details");
        let details = details.filter(|details| !details.members().is_empty());
        let details = details.ok_or_else(|| Self::wrong("details"))?;
        let private = self.secrets.and_then(private).unwrap_or_default();
        let mut text = details.span.of(self.line).to_owned();
        if private.is_empty() && details.bool("has_private") == Some(true) {
            // The export was made without secrets, so the details must not claim a private key.
            text = edit::set(&text, "/has_private", "false").map_err(|_| Self::wrong("details"))?;
        }
        Ok(Item::Certificate(CertificateRow {
            id: self.owned("id")?,
            org: self.owned("org")?,
            at: self.owned("at")?,
            details: text,
            material: Material {
                certificate: self.owned("certificate")?,
                public: self.owned("public")?,
                private,
                algorithm: self.owned("algorithm")?,
            },
        }))
    }

    /// Reads a member in its stored form, with its secrets if the export has them.
    fn read_with_secrets<T: DeserializeOwned>(&self, name: &str) -> Result<T, String> {
        let Some(secrets) = self.secrets else {
            return self.read(name);
        };
        let value = only(secrets).and_then(|text| serde_json::from_str(&text).ok());
        value.ok_or_else(|| Self::wrong("sealed"))
    }

    fn oauth_client(&self) -> Result<Item, String> {
        let client: OauthClient = self.read_with_secrets("client")?;
        match client_line(&client) == self.text("id")? {
            true => Ok(Item::OauthClient(client)),
            false => Err(Self::wrong("client")),
        }
    }

    fn oauth_token(&self) -> Result<Item, String> {
        let token: OauthToken = self.read_with_secrets("token")?;
        match token.access == self.text("id")? {
            true => Ok(Item::OauthToken(token)),
            false => Err(Self::wrong("token")),
        }
    }

    fn older(&self) -> Result<Item, String> {
        let kind: Subject = self.read("of")?;
        if kind != Subject::Api && Kind::of(kind).is_none() {
            return Err(Self::wrong("of"));
        }
        let root = root(kind);
        Ok(Item::Older(Older {
            kind,
            id: self.owned("id")?,
            revision: self.revision()?,
            action: self.read("action")?,
            at: self.owned("at")?,
            text: self.document("text", root)?,
            patch: self.document("patch", root)?,
        }))
    }
}
