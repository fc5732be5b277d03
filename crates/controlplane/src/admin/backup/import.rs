//! An import: the lines of an export are checked one by one, and stored a page at a time.

use super::check::{Known, check, wrong};
use super::export::{Counts, hexadecimal};
use super::{AT_ONCE, FORMAT, PROOF, SEALING, give_up, passphrase};
use crate::admin::replies::unexpected;
use crate::admin::strict::WithoutEffect;
use crate::config::STORED_MAX_BYTES;
use crate::error::Error;
use crate::ports::{Platform, Vault};
use crate::registry::credentials::hash;
use gatewright_api::message::PASSPHRASE_HEADER;
use gatewright_model::json::{self, Member, Value};
use gatewright_protocol::backup::{Backup, Line, PAGE_BYTES, PAGE_LINES};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Refusal, Reply};
use sha2::{Digest, Sha256};

/// The longest line in bytes. The longest that an export has are those of OpenAPI documents: escaping at most doubles
/// what is stored, base64 adds a third to sealed secrets, whose quotation marks are escaped already, and the rest of a
/// line has less than a megabyte.
const LINE_MAX: usize = 2 * STORED_MAX_BYTES + 1024 * 1024;
/// The longest first line in bytes. Whatever is no export is refused there, before much of it is in memory.
const FIRST_MAX: usize = 16 * 1024;

/// An import in progress. It is fed the body as it arrives.
pub struct Import<V> {
    dry_run: bool,
    /// For a strict import, the warnings about what would have no effect here.
    strict: Option<WithoutEffect>,
    passphrase: Option<String>,
    vault: Option<V>,
    /// The id of the export; empty before its first line.
    id: String,
    /// The number of lines received.
    line: u64,
    /// The bytes received of the next line.
    rest: Vec<u8>,
    digest: Sha256,
    known: Known,
    /// Lines that are checked but not yet stored.
    lines: Vec<(u64, Line)>,
    bytes: usize,
    counters: Vec<(String, String)>,
    counts: Counts,
    /// From the last line: the trail's number, and how many secrets were left out.
    last: Option<(u64, u64)>,
}

/// Refuses a line that is longer than any line of an export.
fn fits(line: u64, bytes: usize) -> Result<(), Error> {
    let most = if line == 1 { FIRST_MAX } else { LINE_MAX };
    match bytes > most {
        true => Err(wrong(line, "/", &format!("it is longer than {most} bytes"))),
        false => Ok(()),
    }
}

impl<V: Vault> Import<V> {
    /// Prepares the import that a request asks for. Nothing is read yet.
    ///
    /// # Errors
    /// For an invalid passphrase.
    pub fn begin(request: &Request) -> Result<Self, Error> {
        Ok(Self {
            dry_run: request.flag("dry_run"),
            strict: request.flag("strict").then(WithoutEffect::default),
            passphrase: passphrase(request)?.map(str::to_owned),
            vault: None,
            id: String::new(),
            line: 0,
            rest: Vec::new(),
            digest: Sha256::new(),
            known: Known::default(),
            lines: Vec::new(),
            bytes: 0,
            counters: Vec::new(),
            counts: Counts::default(),
            last: None,
        })
    }

    /// Processes the next part of the body.
    ///
    /// # Errors
    /// For an invalid line; lines before it may be stored by then, but none of them is published.
    pub async fn feed<P: Platform<Vault = V>>(
        &mut self,
        platform: &P,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let mut part = lines.next().unwrap_or_default();
        for next in lines {
            let mut line = std::mem::take(&mut self.rest);
            line.extend_from_slice(part);
            part = next;
            self.line = self.line.saturating_add(1);
            fits(self.line, line.len())?;
            self.process(platform, line).await?;
        }
        self.rest.extend_from_slice(part);
        fits(self.line.saturating_add(1), self.rest.len())
    }

    /// Processes a line.
    async fn process<P: Platform<Vault = V>>(
        &mut self,
        platform: &P,
        line: Vec<u8>,
    ) -> Result<(), Error> {
        let number = self.line;
        if self.last.is_some() {
            return Err(wrong(number, "/", "the export ends before it"));
        }
        let text = String::from_utf8(line).map_err(|_| wrong(number, "/", "it is no UTF-8"))?;
        let value = json::parse(&text).map_err(|issues| {
            let reason = issues.first().map_or("", |issue| issue.message.as_str());
            wrong(number, "/", &format!("it is no JSON: {reason}"))
        })?;
        let [member] = value.members() else {
            return Err(wrong(number, "/", "it is no object with one member"));
        };
        let mut item = None;
        if number == 1 {
            self.first(platform, member).await?;
        } else if member.name == "end" {
            return self.last(&member.value);
        } else if member.name == "counters" {
            self.count(&text, &member.value)?;
        } else {
            item = Some(self.item(&text, member).await?);
        }
        self.digest.update(&text);
        self.digest.update(b"\n");
        // A line may have many megabytes, so it is not copied.
        if let Some(unsealed) = item {
            let (text, secrets) = match unsealed {
                Some((bare, secrets)) => (bare, Some(secrets)),
                None => (text, None),
            };
            self.bytes = self.bytes.saturating_add(text.len());
            self.lines.push((number, Line { text, secrets }));
        }
        if self.bytes >= PAGE_BYTES || self.lines.len() >= PAGE_LINES {
            self.store(platform).await?;
        }
        Ok(())
    }

    /// Processes the first line, which describes the rest.
    async fn first<P: Platform<Vault = V>>(
        &mut self,
        platform: &P,
        member: &Member<'_>,
    ) -> Result<(), Error> {
        let value = &member.value;
        let format = value.int("format").filter(|_| member.name == "export");
        match format {
            None => return Err(wrong(1, "/export/format", "this is no export of a gateway")),
            Some(format) if !(1..=FORMAT).contains(&format) => {
                let reason =
                    format!("{format} is of another release, this one reads up to {FORMAT}");
                return Err(wrong(1, "/export/format", &reason));
            }
            Some(_) => {}
        }
        self.id = value.str("id").unwrap_or_default().to_owned();
        if self.id.len() < 16 {
            return Err(wrong(1, "/export/id", "it is missing"));
        }
        let sealing = value
            .get("sealing")
            .filter(|sealing| !sealing.members().is_empty());
        if let Some(sealing) = sealing {
            self.vault = Some(self.open(platform, sealing).await?);
        }
        let begin = Backup::Begin {
            id: self.id.clone(),
            dry_run: self.dry_run,
        };
        self.send(platform, begin).await
    }

    async fn open<P: Platform<Vault = V>>(
        &self,
        platform: &P,
        sealing: &Value<'_>,
    ) -> Result<V, Error> {
        let text = |name| sealing.str(name).unwrap_or_default();
        if text("how") != SEALING {
            return Err(wrong(
                1,
                "/export/sealing/how",
                &format!("this release knows {SEALING}"),
            ));
        }
        let Some(passphrase) = &self.passphrase else {
            let reason =
                format!("its secrets are sealed: send the passphrase in {PASSPHRASE_HEADER}");
            return Err(wrong(1, "/export/sealing", &reason));
        };
        let vault = platform.vault(passphrase, text("salt")).await?;
        let proof = vault.open(PROOF, text("proof")).await;
        match proof.as_deref() == Some(PROOF) {
            true => Ok(vault),
            false => Err(wrong(1, "/export/sealing", "the passphrase is another one")),
        }
    }

    /// Checks a line about a single item. If its secrets are sealed, returns its text without them, and the secrets.
    async fn item(
        &mut self,
        text: &str,
        member: &Member<'_>,
    ) -> Result<Option<(String, String)>, Error> {
        let (number, kind) = (self.line, &*member.name);
        let mut unsealed = None;
        if let Some(sealed) = member.value.str("sealed") {
            let bare = text.replacen(&format!(",\"sealed\":\"{sealed}\""), "", 1);
            let opened = match &self.vault {
                Some(vault) => vault.open(&hash(&bare), sealed).await,
                None => None,
            };
            let pointer = format!("/{kind}/sealed");
            let opened = opened.ok_or_else(|| wrong(number, &pointer, "it can't be opened"))?;
            unsealed = Some((bare, opened));
        }
        let secrets = unsealed.as_ref().map(|(_, secrets)| secrets.as_str());
        let issues = check(&mut self.known, number, member, secrets)?;
        if let Some(strict) = &mut self.strict {
            strict.note(number, kind, &issues);
        }
        self.counts.add(kind);
        Ok(unsealed)
    }

    fn count(&mut self, text: &str, value: &Value<'_>) -> Result<(), Error> {
        let name = value.str("of").unwrap_or_default();
        let state = value.get("state");
        let format = state.and_then(|state| state.int("format"));
        let (Some(state), true) = (state, format.is_some_and(|format| format > 0)) else {
            return Err(wrong(
                self.line,
                "/counters/state",
                "it is no state of a Ledger",
            ));
        };
        if !["key:", "org:"].iter().any(|kind| name.starts_with(kind)) {
            return Err(wrong(
                self.line,
                "/counters/of",
                "it is no name of a Ledger",
            ));
        }
        let state = state.span.of(text).to_owned();
        self.bytes = self.bytes.saturating_add(state.len());
        self.counters.push((name.to_owned(), state));
        self.counts.add("counters");
        Ok(())
    }

    /// Processes the last line.
    fn last(&mut self, value: &Value<'_>) -> Result<(), Error> {
        let number = self.line;
        let digest = hexadecimal(std::mem::take(&mut self.digest));
        if value.str("sha256") != Some(digest.as_str()) {
            let reason = "the lines before it are not those that were exported";
            return Err(wrong(number, "/end/sha256", reason));
        }
        let positive = |name| {
            value
                .int(name)
                .and_then(|number| u64::try_from(number).ok())
        };
        let (Some(trail), Some(left_out)) = (positive("number"), positive("secrets_left_out"))
        else {
            return Err(wrong(number, "/end", "a number is missing"));
        };
        self.last = Some((trail, left_out));
        Ok(())
    }

    /// Stores what has been checked. Counters come first: a key must not exist without its own.
    async fn store<P: Platform>(&mut self, platform: &P) -> Result<(), Error> {
        self.bytes = 0;
        let counters = std::mem::take(&mut self.counters);
        let lines = std::mem::take(&mut self.lines);
        if self.dry_run || self.without_effect().is_some() {
            return Ok(());
        }
        for some in counters.chunks(AT_ONCE) {
            platform.put_counters(some).await?;
        }
        if lines.is_empty() {
            return Ok(());
        }
        let id = self.id.clone();
        self.send(platform, Backup::Store { id, lines }).await
    }

    /// Returns the warnings that a strict import is refused for.
    fn without_effect(&self) -> Option<&WithoutEffect> {
        self.strict.as_ref().filter(|found| !found.is_empty())
    }

    async fn send<P: Platform>(&self, platform: &P, command: Backup) -> Result<(), Error> {
        match platform.call(&Command::Backup(command), "").await? {
            (Reply::Json, _) => Ok(()),
            (Reply::Refused(Refusal::Import { line, reason }), _) => Err(match line {
                0 => Error::Refused(409, format!("The import can't go on: {reason}")),
                line => Error::Refused(409, format!("Line {line}: {reason}")),
            }),
            _ => Err(unexpected()),
        }
    }

    /// Finishes the import after the complete body.
    ///
    /// # Errors
    /// If the body is cut off, or the rest can't be stored.
    pub async fn end<P: Platform<Vault = V>>(mut self, platform: &P) -> Result<Response, Error> {
        let Some((number, left_out)) = self.last.filter(|_| self.rest.is_empty()) else {
            let text = format!(
                "The export is cut off behind line {}: its last line is missing. Nothing of it is served; send the \
                 whole file again",
                self.line
            );
            return Err(Error::Refused(400, text));
        };
        if let Some(found) = self.without_effect() {
            // It started on an empty gateway, and leaves it empty.
            if !self.dry_run {
                give_up(platform).await?;
            }
            return Err(found.refusal());
        }
        self.store(platform).await?;
        if !self.dry_run {
            let id = self.id.clone();
            self.send(platform, Backup::End { id, number }).await?;
            platform.orgs_changed().await;
        }
        let (message, dry_run) = match self.dry_run {
            true => ("Nothing was stored", ",\"dry_run\":true"),
            false => ("Stored; GET /gateway/reload serves it", ""),
        };
        let body = format!(
            "{{\"status\":\"ok\",\"message\":\"{message}\",\"counts\":{},\"secrets_left_out\":{left_out}{dry_run}}}\n",
            self.counts.json()
        );
        Ok(Response::text(200, body))
    }
}
