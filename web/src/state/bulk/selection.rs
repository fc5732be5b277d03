//! What is selected in a list. It outlives pages and filters: what is not shown stays selected.

use gatewright_model::json::{Value, parse, quote};
use gatewright_model::openapi::DocumentKind;

/// A document that is selected.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pick {
    /// Its id.
    pub id: String,
    /// What it is called on screen.
    pub name: String,
    /// What an API is administered as; none for a classic definition.
    pub document: Option<DocumentKind>,
}

/// How much of what is shown is selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shown {
    /// Nothing.
    None,
    /// A part of it.
    Some,
    /// All of it.
    All,
}

/// What is selected, in the order in which it was.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selected {
    picks: Vec<Pick>,
    /// What was pressed last: where a range begins.
    anchor: Option<String>,
}

impl Selected {
    /// Whether a document is selected.
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        self.picks.iter().any(|pick| pick.id == id)
    }

    /// How many are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.picks.len()
    }

    /// Whether nothing is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.picks.is_empty()
    }

    /// Selects a document of what is shown, or no longer; with `range` all from the one that was pressed last.
    pub fn press(&mut self, shown: &[Pick], id: &str, on: bool, range: bool) {
        let at = |id: &str| shown.iter().position(|pick| pick.id == id);
        let from = self.anchor.as_deref().filter(|_| range).and_then(at);
        let Some(to) = at(id) else { return };
        let from = from.unwrap_or(to);
        let pressed = shown.get(from.min(to)..=from.max(to)).unwrap_or_default();
        self.set(pressed, on);
        self.anchor = Some(id.to_owned());
    }

    /// Selects all of some documents, or none of them.
    pub fn set(&mut self, picks: &[Pick], on: bool) {
        for pick in picks {
            if !on {
                self.picks.retain(|known| known.id != pick.id);
            } else if !self.has(&pick.id) {
                self.picks.push(pick.clone());
            }
        }
    }

    /// Nothing is selected.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// No longer selects documents by their ids.
    pub fn forget(&mut self, ids: &[&str]) {
        self.picks.retain(|pick| !ids.contains(&&*pick.id));
    }

    /// How much of what is shown is selected.
    #[must_use]
    pub fn of(&self, shown: &[Pick]) -> Shown {
        match shown.iter().filter(|pick| self.has(&pick.id)).count() {
            0 => Shown::None,
            some if some < shown.len() => Shown::Some,
            _ => Shown::All,
        }
    }

    /// How much is selected, and how much of it nobody sees; empty for nothing.
    #[must_use]
    pub fn words(&self, shown: &[Pick]) -> String {
        let here = shown.iter().filter(|pick| self.has(&pick.id)).count();
        match (self.len(), self.len().saturating_sub(here)) {
            (0, _) => String::new(),
            (all, 0) => format!("{all} selected"),
            (all, hidden) => format!("{all} selected, {hidden} not shown"),
        }
    }

    /// As [`picks`] reads it.
    #[must_use]
    pub fn json(&self) -> String {
        json(&self.picks)
    }
}

/// As [`picks`] reads it.
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

/// What [`Selected::json`] has written.
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
