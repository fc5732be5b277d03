//! Who may use which primitives of a proxy: the rights of policies and keys.

use gatewright_model::json::parse;
use gatewright_model::mcp::{Category, Reason, Rights};
use gatewright_model::policy::Policy;
use gatewright_model::session::Session;

use crate::state::access::rate_words;

/// The kind of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallerKind {
    /// Everyone with this policy.
    Policy,
    /// Everyone with this key.
    Key,
}

/// A policy or key with rights to a proxy.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Whether it is a policy or a key.
    pub kind: CallerKind,
    /// What people call it.
    pub name: String,
    /// The address of its page.
    pub url: String,
    /// Why all its requests are refused; empty if they aren't.
    pub refused: String,
    rights: Rights,
}

/// Whether a caller may use a primitive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Permission {
    /// It may, at these rates in addition to all others.
    Yes(Vec<String>),
    /// It may not, for this reason.
    No(String),
}

impl Caller {
    /// Reads the rights that a session or policy has at an API; `None` if it has none.
    #[must_use]
    pub fn of(kind: CallerKind, text: &str, api: &str) -> Option<Self> {
        let value = parse(text).ok()?;
        // The rights have the same format in both.
        let session = Session::read(text, &value);
        let access = session.access(api)?;
        let is_policy = kind == CallerKind::Policy;
        if is_policy && !Policy::read(&value).partitions.grants_access() {
            return None;
        }
        let refused = match kind {
            _ if !session.is_inactive => "",
            CallerKind::Policy => "It is inactive: keys with it are refused.",
            CallerKind::Key => "It is inactive.",
        };
        Some(Self {
            kind,
            name: String::new(),
            url: String::new(),
            refused: refused.to_owned(),
            rights: access.mcp.as_deref().map(Rights::new).unwrap_or_default(),
        })
    }

    /// Returns whether it may use a primitive of the proxy, and at what rates.
    #[must_use]
    pub fn may(&self, category: Category, name: &str) -> Permission {
        if !self.refused.is_empty() {
            return Permission::No(self.refused.clone());
        }
        let (method, word) = (category.method(), category.plural());
        let Some(reason) = self.rights.why_not(category, method, name) else {
            let written = self.rights.written.as_ref();
            let rates = written.map(|rights| rights.rates(method, Some((category, name))));
            let limited = rates.into_iter().flatten();
            let limited = limited.filter(|(_, rate)| rate.is_limited());
            return Permission::Yes(limited.map(|(_, rate)| rate_words(rate)).collect());
        };
        Permission::No(match reason {
            Reason::MethodBlocked => format!("Its rights block the method {method}."),
            Reason::MethodNotAllowed => {
                format!("Its rights allow other methods, but not {method}.")
            }
            Reason::Unreadable => {
                format!("An expression for blocked {word} can't be read: all are refused.")
            }
            Reason::Blocked => "Its rights block it.".to_owned(),
            Reason::NotAllowed => format!("Its rights allow other {word}, but not this one."),
        })
    }
}
