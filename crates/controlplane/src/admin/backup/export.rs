//! An export: its lines in order, a page at a time.

use super::{AT_ONCE, FORMAT, PROOF, SEALING, passphrase};
use crate::admin::replies::unexpected;
use crate::error::Error;
use crate::ports::{Platform, Vault};
use crate::registry::credentials::hash;
use gatewright_model::json::quote;
use gatewright_protocol::backup::{Backup, Line, Page, Place};
use gatewright_protocol::http::{Request, Response};
use gatewright_protocol::registry::{Command, Reply};
use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// An export in progress. It produces parts of the body, each made of complete lines.
pub struct Export<V> {
    id: String,
    revisions: bool,
    counters: bool,
    vault: Option<V>,
    /// The first line, until it has been returned.
    first: Option<String>,
    /// Where the next page starts; `None` after the last one.
    next: Option<Place>,
    is_over: bool,
    digest: Sha256,
    counts: Counts,
    left_out: u64,
    /// The newest number of the trail, at the start and now.
    numbers: Option<(u64, u64)>,
}

/// The number of lines of each kind.
#[derive(Default)]
pub(super) struct Counts(Vec<(String, u64)>);

impl Counts {
    pub(super) fn add(&mut self, kind: &str) {
        match self.0.iter_mut().find(|(known, _)| known == kind) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => self.0.push((kind.to_owned(), 1)),
        }
    }

    /// Formats the counts as a JSON object.
    pub(super) fn json(&self) -> String {
        let members: Vec<String> = self
            .0
            .iter()
            .map(|(kind, count)| format!("\"{kind}\":{count}"))
            .collect();
        format!("{{{}}}", members.join(","))
    }
}

/// Formats a digest in lower-case hexadecimal digits.
pub(super) fn hexadecimal(digest: Sha256) -> String {
    let mut text = String::with_capacity(64);
    for byte in digest.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

impl<V: Vault> Export<V> {
    /// Prepares the export that a request asks for. Nothing is read yet.
    ///
    /// # Errors
    /// For an invalid passphrase.
    pub async fn begin<P: Platform<Vault = V>>(
        platform: &P,
        request: &Request,
    ) -> Result<Self, Error> {
        let (id, salt) = (platform.random_id(), platform.random_token());
        let revisions = request.flag("revisions");
        let counters = request.parameter("counters") != Some("false");
        let vault = match passphrase(request)? {
            Some(passphrase) => Some(platform.vault(passphrase, &salt).await?),
            None => None,
        };
        // A caller that reads everything at once leaves at least this trace.
        platform.log(&format!("export {id}"));
        let sealing = match &vault {
            Some(vault) => {
                let proof = vault.seal(PROOF, PROOF).await?;
                format!("{{\"how\":\"{SEALING}\",\"salt\":\"{salt}\",\"proof\":\"{proof}\"}}")
            }
            None => "null".to_owned(),
        };
        let first = format!(
            "{{\"export\":{{\"format\":{FORMAT},\"id\":\"{id}\",\"made_at\":\"{}\",\"version\":\"{}\",\
             \"revisions\":{revisions},\"counters\":{counters},\"sealing\":{sealing}}}}}",
            platform.now(),
            env!("CARGO_PKG_VERSION"),
        );
        Ok(Self {
            id,
            revisions,
            counters,
            vault,
            first: Some(first),
            next: Some(Place::default()),
            is_over: false,
            digest: Sha256::new(),
            counts: Counts::default(),
            left_out: 0,
            numbers: None,
        })
    }

    /// Returns the response without its body.
    #[must_use]
    pub fn head(&self) -> Response {
        let file = format!("attachment; filename=\"gatewright-{}.ndjson\"", self.id);
        let headers = [
            ("content-type", "application/x-ndjson".to_owned()),
            ("content-disposition", file),
        ];
        Response {
            status: 200,
            headers: headers.to_vec(),
            ..Response::default()
        }
    }

    /// Returns the next part of the body; `None` after the last one.
    ///
    /// # Errors
    /// If it can't be read. What was returned so far is then not a complete export.
    pub async fn next<P: Platform<Vault = V>>(
        &mut self,
        platform: &P,
    ) -> Result<Option<String>, Error> {
        let mut part = String::new();
        if let Some(first) = self.first.take() {
            part = first;
            part.push('\n');
        } else if let Some(place) = self.next.take() {
            let page = self.page(platform, place).await?;
            self.next = page.next;
            self.left_out = self.left_out.saturating_add(page.left_out);
            let (begun, _) = self.numbers.unwrap_or((page.number, 0));
            self.numbers = Some((begun, page.number));
            for line in page.lines {
                self.line(&mut part, line).await?;
            }
            if self.counters {
                for ledgers in page.ledgers.chunks(AT_ONCE) {
                    self.counters(platform, ledgers, &mut part).await?;
                }
            }
        } else if !self.is_over {
            self.is_over = true;
            return Ok(Some(self.last()));
        } else {
            return Ok(None);
        }
        self.digest.update(part.as_bytes());
        Ok(Some(part))
    }

    async fn page<P: Platform>(&self, platform: &P, place: Place) -> Result<Page, Error> {
        let read = Backup::Read {
            place,
            revisions: self.revisions,
            secrets: self.vault.is_some(),
        };
        match platform.call(&Command::Backup(read), "").await? {
            (Reply::Page(page), _) => Ok(page),
            _ => Err(unexpected()),
        }
    }

    /// Adds a line, with its secrets sealed.
    async fn line(&mut self, part: &mut String, line: Line) -> Result<(), Error> {
        let kind = line.text.split('"').nth(1).unwrap_or_default();
        self.counts.add(kind);
        match (&self.vault, line.secrets, line.text.strip_suffix("}}")) {
            (Some(vault), Some(secrets), Some(open)) => {
                let sealed = vault.seal(&hash(&line.text), &secrets).await?;
                let _ = writeln!(part, "{open},\"sealed\":\"{sealed}\"}}}}");
            }
            _ => {
                part.push_str(&line.text);
                part.push('\n');
            }
        }
        Ok(())
    }

    /// Adds the counters of these Ledgers.
    async fn counters<P: Platform>(
        &mut self,
        platform: &P,
        ledgers: &[String],
        part: &mut String,
    ) -> Result<(), Error> {
        let taken = platform.take_counters(ledgers).await?;
        for (ledger, counters) in ledgers.iter().zip(taken) {
            if !counters.is_empty() {
                self.counts.add("counters");
                let ledger = quote(ledger);
                let _ = writeln!(
                    part,
                    "{{\"counters\":{{\"of\":{ledger},\"state\":{counters}}}}}"
                );
            }
        }
        Ok(())
    }

    /// Returns the last line, which tells a complete file from a truncated one.
    fn last(&mut self) -> String {
        let (begun, number) = self.numbers.unwrap_or_default();
        format!(
            "{{\"end\":{{\"number\":{number},\"written_meanwhile\":{},\"counts\":{},\"secrets_left_out\":{},\
             \"sha256\":\"{}\"}}}}\n",
            number.saturating_sub(begun),
            self.counts.json(),
            self.left_out,
            hexadecimal(std::mem::take(&mut self.digest)),
        )
    }
}
