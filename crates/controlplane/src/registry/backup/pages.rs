//! What is stored as the lines of an export, a page at a time: APIs, records by their kinds, organisations, keys,
//! credentials, each ordered by id.

use super::line::{Writing, parted, secrets};
use super::{SECTIONS, Section};
use crate::registry::Turn;
use crate::registry::encoding::to_json;
use crate::registry::rows::{Document, DocumentId, Head, Record, root};
use crate::registry::sessions::{SessionRow, may_count};
use gatewright_api::resource::Subject;
use gatewright_model::json::quote;
use gatewright_model::shape::Root;
use gatewright_protocol::backup::{Line, PAGE_BYTES, PAGE_LINES, Page, Place};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::{OauthClient, OauthToken};
use gatewright_protocol::sessions::Owner;
use serde::Serialize;

/// The number of sessions read at once.
const SESSIONS: u32 = 200;

struct Pages<'t, 'r> {
    turn: &'t Turn<'r>,
    place: Place,
    revisions: bool,
    secrets: bool,
    page: Page,
    bytes: usize,
    /// Whether the page ends here although it has room.
    is_over: bool,
}

/// Returns the page that starts at a place.
pub(super) fn read(
    turn: &Turn<'_>,
    place: &Place,
    revisions: bool,
    secrets: bool,
) -> Result<Page, StoreError> {
    let mut pages = Pages {
        turn,
        place: place.clone(),
        revisions,
        secrets,
        page: Page {
            number: turn.journal.next_audit().saturating_sub(1),
            ..Page::default()
        },
        bytes: 0,
        is_over: false,
    };
    while !pages.is_full() {
        let section = usize::try_from(pages.place.section).unwrap_or(usize::MAX);
        let goes_on = match SECTIONS.get(section) {
            Some(Section::Documents(kind)) => pages.documents(*kind)?,
            Some(Section::Sessions(owner)) => pages.sessions(*owner)?,
            Some(Section::Credentials) => pages.credentials()?,
            Some(Section::Certificates) => pages.certificates()?,
            Some(Section::OauthClients) => pages.oauth_clients()?,
            Some(Section::OauthTokens) => pages.oauth_tokens()?,
            None => return Ok(pages.page),
        };
        if !goes_on {
            pages.place = Place {
                section: pages.place.section.saturating_add(1),
                ..Place::default()
            };
        }
    }
    pages.page.next = Some(pages.place);
    Ok(pages.page)
}

/// Serialises a value for a line.
fn written<T: Serialize>(value: &T) -> Result<String, StoreError> {
    to_json("write line", value)
}

impl Pages<'_, '_> {
    fn is_full(&self) -> bool {
        self.is_over || self.bytes >= PAGE_BYTES || self.page.lines.len() >= PAGE_LINES
    }

    fn push(&mut self, text: String, texts: &[String], hook: Option<&str>) {
        self.bytes = self.bytes.saturating_add(text.len());
        let secrets = secrets(texts, hook);
        if !self.secrets && secrets.is_some() {
            let count = texts.len().saturating_add(usize::from(hook.is_some()));
            let count = u64::try_from(count).unwrap_or(u64::MAX);
            self.page.left_out = self.page.left_out.saturating_add(count);
        }
        self.page.lines.push(Line {
            text,
            secrets: secrets.filter(|_| self.secrets),
        });
    }

    /// Adds the next document of a kind, or one of its revisions. False if there is none.
    fn documents(&mut self, kind: Subject) -> Result<bool, StoreError> {
        let Some(document) = self.turn.document_after(kind, &self.place.id)? else {
            return Ok(false);
        };
        let head = document.head();
        if self.older(head.of, head.revision)? {
            return Ok(true);
        }
        if self.revisions || !head.deleted {
            self.newest(&document)?;
        }
        self.go_on(head.of.id);
        Ok(true)
    }

    fn newest(&mut self, document: &Document) -> Result<(), StoreError> {
        let Head {
            of,
            revision,
            updated_at,
            ..
        } = document.head();
        let around = (revision.saturating_sub(1), revision.saturating_add(1));
        let Some(newest) = self.turn.rows.older(of, around)? else {
            let detail = format!("{} without a revision", of.id);
            return Err(StoreError::new("read document", detail));
        };
        let (start, org, created_at) = match document {
            Document::Definition(_) => (Writing::of("api"), None, None),
            Document::Record(Record {
                org, created_at, ..
            }) => (
                Writing::of("record").json("kind", &written(&of.kind)?),
                Some(org),
                Some(created_at),
            ),
        };
        let line = start
            .text("id", of.id)
            .also("org", org)
            .number("revision", revision)
            .json("action", &written(&newest.action)?)
            .also("created_at", created_at)
            .text("updated_at", updated_at);
        let text = match newest.patch {
            Some(_) => self.turn.rows.text_of(of, revision)?,
            None => newest.text,
        };
        let Some(text) = text else {
            let facts = match document {
                Document::Definition(entry) => written(&entry.facts)?,
                Document::Record(record) => written(&record.facts)?,
            };
            self.push(line.json("facts", &facts).end(), &[], None);
            return Ok(());
        };
        let (text, secrets) = parted(root(of.kind), &text, !self.secrets);
        let hook = match of.kind {
            Subject::Webhook => self.turn.rows.secrets(of.id)?,
            _ => None,
        };
        let hook = hook.map(|hook| written(&hook)).transpose()?;
        self.push(line.text("text", &text).end(), &secrets, hook.as_deref());
        Ok(())
    }

    /// Adds the next of a document's older revisions. False if there is none left, or none is wanted.
    fn older(&mut self, of: DocumentId<'_>, now: u64) -> Result<bool, StoreError> {
        if !self.revisions {
            return Ok(false);
        }
        let between = (self.place.revision, now);
        let Some(older) = self.turn.rows.older(of, between)? else {
            return Ok(false);
        };
        let mut line = Writing::of("revision")
            .json("of", &written(&of.kind)?)
            .text("id", of.id)
            .number("revision", older.revision)
            .json("action", &written(&older.action)?)
            .text("at", &older.at);
        let mut secrets = Vec::new();
        for (name, text) in [("text", &older.text), ("patch", &older.patch)] {
            if let Some(text) = text {
                let (text, found) = parted(root(of.kind), text, !self.secrets);
                line = line.text(name, &text);
                secrets.extend(found);
            }
        }
        self.push(line.end(), &secrets, None);
        self.place.revision = older.revision;
        Ok(true)
    }

    fn go_on(&mut self, id: &str) {
        id.clone_into(&mut self.place.id);
        self.place.revision = 0;
    }

    fn sessions(&mut self, owner: Owner) -> Result<bool, StoreError> {
        let now = self.turn.now_ms();
        let rows = self.turn.rows;
        let found = match rows.sessions_after(owner, &self.place.id, SESSIONS) {
            // The next page starts with those that Ledgers have to lend.
            Err(_) if rows.wants() && !self.page.lines.is_empty() => {
                rows.take_wanted();
                self.is_over = true;
                return Ok(true);
            }
            found => found?,
        };
        let any = !found.is_empty();
        for (row, text) in found {
            if self.is_full() {
                break;
            }
            self.go_on(&row.id);
            // A session whose time is over counts as deleted.
            if !row.is_over(now) {
                self.session(&row, &text)?;
            }
        }
        Ok(any)
    }

    fn session(&mut self, row: &SessionRow, text: &str) -> Result<(), StoreError> {
        if may_count(self.turn, row.owner, text)? {
            self.page.ledgers.push(row.owner.ledger(&row.id));
        }
        let (text, secrets) = parted(session_root(row.owner), text, !self.secrets);
        let line = Writing::of("session")
            .text("owner", row.owner.word())
            .text("id", &row.id)
            .number("revision", row.revision)
            .number("reset", row.reset)
            .text("created_at", &row.created_at)
            .text("updated_at", &row.updated_at)
            .number("ends", row.facts.ends)
            .text("org_id", &row.facts.org_id)
            .text("text", &text);
        self.push(line.end(), &secrets, None);
        Ok(())
    }

    fn credentials(&mut self) -> Result<bool, StoreError> {
        let Some((hash, credential)) = self.turn.credentials.after(&self.place.id).next() else {
            return Ok(false);
        };
        let line = Writing::of("credential")
            .text("id", hash)
            .json("credential", &written(credential)?);
        self.push(line.end(), &[], None);
        self.go_on(hash);
        Ok(true)
    }
}

impl Pages<'_, '_> {
    /// Adds the next certificate. Its private key is a secret of the line.
    fn certificates(&mut self) -> Result<bool, StoreError> {
        let Some(row) = self.turn.rows.certificate_after(&self.place.id)? else {
            return Ok(false);
        };
        let private =
            Some(quote(&row.material.private)).filter(|_| !row.material.private.is_empty());
        let line = Writing::of("certificate")
            .text("id", &row.id)
            .text("org", &row.org)
            .text("at", &row.at)
            .text("certificate", &row.material.certificate)
            .text("public", &row.material.public)
            .text("algorithm", &row.material.algorithm)
            .json("details", &row.details);
        let secrets: Vec<String> = private.into_iter().collect();
        self.push(line.end(), &secrets, None);
        self.go_on(&row.id);
        Ok(true)
    }

    /// Adds the next client of the OAuth 2.0 server. The client together with its secret is a secret of the line.
    fn oauth_clients(&mut self) -> Result<bool, StoreError> {
        let (api, id) = self.place.id.split_once(' ').unwrap_or_default();
        let found = self.turn.rows.oauth_clients_after((api, id), 1)?;
        let Some(client) = found.into_iter().next() else {
            return Ok(false);
        };
        let known = OauthClient {
            secret_hash: String::new(),
            sealed: String::new(),
            ..client.clone()
        };
        let id = client_line(&client);
        let line = Writing::of("oauth_client")
            .text("id", &id)
            .json("client", &written(&known)?);
        self.push(line.end(), &[written(&client)?], None);
        self.go_on(&id);
        Ok(true)
    }

    /// Adds the next token. Its rules may hold secrets; without them it can't be refreshed.
    fn oauth_tokens(&mut self) -> Result<bool, StoreError> {
        let found = self.turn.rows.oauth_tokens_after(&self.place.id, 1)?;
        let Some(token) = found.into_iter().next() else {
            return Ok(false);
        };
        let is_secret = !token.rules.is_empty();
        let known = match is_secret {
            true => OauthToken {
                rules: String::new(),
                refresh: String::new(),
                ..token.clone()
            },
            false => token.clone(),
        };
        let secrets = is_secret.then(|| written(&token)).transpose()?;
        let secrets: Vec<String> = secrets.into_iter().collect();
        let line = Writing::of("oauth_token")
            .text("id", &token.access)
            .json("token", &written(&known)?);
        self.push(line.end(), &secrets, None);
        self.go_on(&token.access);
        Ok(true)
    }
}

/// Returns the id of a client in its line: clients are ordered by API, and no API id contains a space.
pub(super) fn client_line(client: &OauthClient) -> String {
    format!("{} {}", client.api, client.id)
}

/// Returns the shape of a session.
pub(crate) const fn session_root(owner: Owner) -> Root {
    match owner {
        Owner::Key => Root::Session,
        Owner::Organisation => Root::Organisation,
    }
}
