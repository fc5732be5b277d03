//! The selection in a list. It survives paging and filtering: what is no longer shown stays selected.

use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::DocumentKind;

/// A selected document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// Its id.
    pub id: String,
    /// Its name on screen.
    pub name: String,
    /// The kind of document an API is administered as; `None` for a classic definition.
    pub document: Option<DocumentKind>,
}

/// How many of the documents on the page are selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    None,
    /// A part of it.
    Some,
    /// All of it.
    All,
}

/// The selected documents, in the order of selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    picks: Vec<Pick>,
    /// The document clicked last, where a range starts.
    anchor: Option<String>,
}

impl Selected {
    /// Whether a document is selected.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.picks.iter().any(|pick| pick.id == id)
    }

    /// Returns how many are selected.
    #[must_use]
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// Whether nothing is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// Selects or deselects a document on the page; with `range`, everything between it and the one clicked last.
    pub fn press(&mut self, shown: &[Pick], id: &str, on: bool, range: bool) {
        let at = |id: &str| shown.iter().position(|pick| pick.id == id);
        let from = self.anchor.as_deref().filter(|_| range).and_then(at);
        let Some(to) = at(id) else { return };
        let from = from.unwrap_or(to);
        let pressed = shown.get(from.min(to)..=from.max(to)).unwrap_or_default();
        self.set(pressed, on);
        self.anchor = Some(id.to_owned());
    }

    /// Selects or deselects documents.
    pub fn set(&mut self, picks: &[Pick], on: bool) {
        for pick in picks {
            if !on {
                self.picks.retain(|known| known.id != pick.id);
            } else if !self.has(&pick.id) {
                self.picks.push(pick.clone());
            }
        }
    }

    /// Deselects everything.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Deselects documents by their ids.
    pub fn forget(&mut self, ids: &[&str]) {
        self.picks.retain(|pick| !ids.contains(&&*pick.id));
    }

    /// Returns how many of the documents on the page are selected.
    #[must_use]
    pub fn of(&self, shown: &[Pick]) -> Shown {
        match shown.iter().filter(|pick| self.has(&pick.id)).count() {
            0 => Shown::None,
            some if some < shown.len() => Shown::Some,
            _ => Shown::All,
        }
    }

    /// Says how many are selected, and how many of those are not shown; empty for none.
    #[must_use]
    pub fn words(&self, shown: &[Pick]) -> String {
        let here = shown.iter().filter(|pick| self.has(&pick.id)).count();
        match (self.len(), self.len().saturating_sub(here)) {
            (0, _) => String::new(),
            (all, 0) => format!("{all} selected"),
            (all, hidden) => format!("{all} selected, {hidden} not shown"),
        }
    }

    /// Returns the JSON that [`picks`] reads.
    #[must_use]
    pub fn json(&self) -> String {
        json(&self.picks)
    }
}

/// Returns the JSON that [`picks`] reads.
#[must_use]
pub fn json(picks: &[Pick]) -> String {
    let pick = |pick: &Pick| {
        let document = match pick.document {
            Some(DocumentKind::Oas) => "oas",
            Some(DocumentKind::Mcp) => "mcp",
            None => "",
        };
        let [id, name] = [&pick.id, &pick.name].map(|text| quote(text));
        format!("{{\"id\":{id},\"name\":{name},\"document\":\"{document}\"}}")
    };
    let picks: Vec<String> = picks.iter().map(pick).collect();
    format!("[{}]", picks.join(","))
}

/// Parses the output of [`Selected::json`].
#[must_use]
pub fn picks(json: &str) -> Vec<Pick> {
    let list = parse(json).ok();
    let pick = |value: &Value<'_>| Pick {
        id: value.str("id").unwrap_or_default().to_owned(),
        name: value.str("name").unwrap_or_default().to_owned(),
        document: match value.str("document") {
            Some("oas") => Some(DocumentKind::Oas),
            Some("mcp") => Some(DocumentKind::Mcp),
            _ => None,
        },
    };
    let items = list.as_ref().map(Value::items).unwrap_or_default();
    items.iter().map(pick).collect()
}
