//! Who is signed in, and what they have access to: the administration API with the gateway secret, the dashboard API
//! with a token.
//!
//! Access is granted by a cookie that no script can read, shared by all tabs of this browser. What is stored here only
//! says whose cookie it is: `web/boot/connect.js` requests it when a page is loaded, and signing in and out notifies
//! the other tabs.

use gatewright_model::json::parse;
use leptos::ev;
use leptos::prelude::*;

use super::listen::listen;
use super::storage;
use crate::api::dashboard::credentials::{Accesses, GROUPS, OF_DASHBOARD, accesses};
use crate::routes::rights::{Access, Right, right};
use std::ops::Range;

/// One of the two keys to an API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// The gateway secret, for the administration API under `/gateway`.
    Secret,
    /// A dashboard token, for the dashboard API under `/api`.
    Token,
}

impl Key {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Secret, Self::Token];
}

/// The storage key for who is signed in. The value gives no access to anything.
const STORED: &str = "gatewright.session";

/// Who is signed in, and at which gateway: `GET /console/session`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Identity {
    /// Whether the gateway secret was presented.
    pub gateway: bool,
    /// Whether a dashboard token was presented.
    pub dashboard: bool,
    /// `gateway`, `dashboard` or `credential`.
    pub kind: String,
    /// The display name of whoever is signed in.
    pub name: String,
    /// When they signed in, RFC 3339.
    pub since: String,
    /// The name of the gateway; empty for none.
    pub environment: String,
    /// The colour of that name.
    pub color: String,
    /// The gateway's version.
    pub version: String,
    /// The level of access, in the order of [`GROUPS`].
    pub access: Accesses,
}

impl Identity {
    /// Parses the response; if it is malformed, nobody is signed in.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let Ok(value) = parse(text) else {
            return Self::default();
        };
        let text = |name: &str| value.str(name).unwrap_or_default().to_owned();
        let flag = |name: &str| value.bool(name).unwrap_or_default();
        let environment = value.get("environment");
        let of_environment = |name: &str| {
            let found = environment.and_then(|environment| environment.str(name));
            found.unwrap_or_default().to_owned()
        };
        Self {
            gateway: flag("gateway"),
            dashboard: flag("dashboard"),
            kind: text("kind"),
            name: text("name"),
            since: text("signed_in_at"),
            environment: of_environment("name"),
            color: of_environment("color"),
            version: text("version"),
            access: value.get("rights").map(accesses).unwrap_or_default(),
        }
    }

    fn may_any(&self, of: Range<usize>) -> bool {
        let some = self.access.get(of).unwrap_or_default();
        some.iter()
            .any(|access| matches!(access.as_str(), "read" | "write"))
    }

    fn may(&self, index: usize, wanted: Access) -> bool {
        let known = self.access.get(index).map(String::as_str);
        match wanted {
            Access::Read => matches!(known, Some("read" | "write")),
            Access::Write => known == Some("write"),
        }
    }

    /// Says what is missing for access to the page at an address.
    #[must_use]
    pub fn lacks(&self, path: &str) -> Option<String> {
        let (may, key) = match right(path) {
            Right::Nothing => return None,
            Right::Secret => (self.gateway, None),
            Right::Dashboard => (self.may_any(0..OF_DASHBOARD), Some(Key::Token)),
            Right::Of(index, access) => {
                let key = match index < OF_DASHBOARD {
                    true => Key::Token,
                    false => Key::Secret,
                };
                let may = self.may(index, access);
                let (_, label) = GROUPS.get(index)?;
                if self.has(key) && !may {
                    let verb = access.verb();
                    return Some(format!("Requires the right to {verb} {label}"));
                }
                (may, Some(key))
            }
        };
        let wanted = match key {
            Some(Key::Token) => "Requires a dashboard token",
            _ => "Requires the gateway secret",
        };
        (!may || key.is_some_and(|key| !self.has(key))).then(|| wanted.to_owned())
    }

    /// Whether the page at an address is accessible, but read-only.
    #[must_use]
    pub fn only_reads(&self, path: &str) -> bool {
        let Right::Of(index, _) = right(path) else {
            return false;
        };
        self.access
            .get(index)
            .is_some_and(|access| access == "read")
    }

    /// Whether what the page at an address shows may be changed.
    #[must_use]
    pub fn may_write(&self, path: &str) -> bool {
        self.lacks(path).is_none() && !self.only_reads(path)
    }

    /// Whether there is this key, or one with at least some of its rights.
    #[must_use]
    pub fn has(&self, key: Key) -> bool {
        match key {
            Key::Secret => self.gateway || self.may_any(OF_DASHBOARD..GROUPS.len()),
            Key::Token => self.dashboard,
        }
    }
}

/// The page's own copy takes precedence: it exists only if the browser stores nothing.
fn stored() -> Identity {
    let text = storage::page_get(STORED).or_else(|| storage::browser_get(STORED));
    Identity::read(&text.unwrap_or_default())
}

/// Stores who is signed in, in the browser or, if that fails, for this page only.
fn keep(answer: Option<&str>) {
    storage::browser_set(STORED, answer);
    let kept = storage::browser_get(STORED).as_deref() == answer;
    storage::page_set(STORED, answer.filter(|_| !kept));
}

/// Who is signed in.
#[derive(Clone, Copy)]
pub struct Session {
    identity: RwSignal<Identity>,
    secret_rejected: RwSignal<bool>,
    token_rejected: RwSignal<bool>,
    connections: RwSignal<u32>,
    /// Whether the dialog for signing out is open; true for everywhere.
    pub leaving: RwSignal<Option<bool>>,
}

impl Session {
    /// Starts with who is signed in when the page loads.
    #[must_use]
    pub fn load() -> Self {
        let session = Self {
            identity: RwSignal::new(stored()),
            secret_rejected: RwSignal::new(false),
            token_rejected: RwSignal::new(false),
            connections: RwSignal::new(0),
            leaving: RwSignal::new(None),
        };
        // Going back may restore the page as it was left, although the sign-in may have changed since.
        listen(ev::pageshow, move |event| {
            if event.persisted() {
                session.set(stored());
            }
        });
        listen(ev::storage, move |event| {
            if event.key().is_some_and(|key| key == STORED) {
                storage::page_set(STORED, None);
                session.changed_elsewhere(stored());
            }
        });
        session
    }

    const fn refused(self, key: Key) -> RwSignal<bool> {
        match key {
            Key::Secret => self.secret_rejected,
            Key::Token => self.token_rejected,
        }
    }

    fn set(self, identity: Identity) {
        if self.identity.with_untracked(|known| *known == identity) {
            return;
        }
        self.identity.set(identity);
        for key in Key::ALL {
            self.refused(key).set(false);
        }
        self.again();
    }

    /// Makes everything on the page load again.
    pub fn again(self) {
        self.connections
            .update(|count| *count = count.wrapping_add(1));
    }

    /// Handles a change made by another tab. If that signed out, this page asks for the key again without losing
    /// anything.
    fn changed_elsewhere(self, identity: Identity) {
        let lost = |key: &Key| {
            self.identity.with_untracked(|known| known.has(*key)) && !identity.has(*key)
        };
        let lost: Vec<Key> = Key::ALL.into_iter().filter(lost).collect();
        match lost.is_empty() {
            true => self.set(identity),
            false => lost.into_iter().for_each(|key| self.reject(key)),
        }
    }

    /// Reads again what another module of the console has stored; no key counts as refused any more.
    pub fn refresh(self) {
        self.set(stored());
        for key in Key::ALL {
            self.refused(key).set(false);
        }
    }

    /// Whether there is any key; it may have been refused since.
    #[must_use]
    pub fn connected(self) -> bool {
        Key::ALL.into_iter().any(|key| self.has(key))
    }

    /// Whether there is this key; it may have been refused since.
    #[must_use]
    pub fn has(self, key: Key) -> bool {
        self.identity.with(|identity| identity.has(key))
    }

    /// Like [`Self::has`], without making the caller depend on it.
    #[must_use]
    pub fn has_untracked(self, key: Key) -> bool {
        self.identity.with_untracked(|identity| identity.has(key))
    }

    /// Returns who is signed in.
    #[must_use]
    pub fn identity(self) -> Identity {
        self.identity.get()
    }

    /// Identifies the sign-in that gives access to an API, without making the caller depend on it.
    #[must_use]
    pub fn opened_by(self, key: Key) -> Option<String> {
        self.identity.with_untracked(|identity| {
            let by = || format!("{} {}", identity.since, identity.name);
            identity.has(key).then(by)
        })
    }

    /// Whether the edge has refused this key.
    #[must_use]
    pub fn rejected(self, key: Key) -> bool {
        self.refused(key).get()
    }

    /// Records who the edge has signed in, and notifies the other tabs.
    pub fn accept(self, answer: &str) {
        keep(Some(answer));
        self.refresh();
    }

    /// Makes the caller depend on who is signed in: it runs again when that changes.
    pub fn track(self) {
        self.connections.track();
    }

    /// Records that the edge has refused a key.
    pub fn reject(self, key: Key) {
        if self.has_untracked(key) && !self.refused(key).get_untracked() {
            self.refused(key).set(true);
        }
    }

    /// Drops a key for this page only.
    pub fn drop_key(self, key: Key) {
        self.refused(key).set(false);
        self.identity.update(|identity| match key {
            Key::Secret => {
                identity.gateway = false;
                identity
                    .access
                    .iter_mut()
                    .skip(OF_DASHBOARD)
                    .for_each(String::clear);
            }
            Key::Token => identity.dashboard = false,
        });
    }

    /// Forgets who was signed in, here and in the other tabs. The gateway's name stays known.
    pub fn forget(self) {
        keep(None);
        let known = self.identity.get_untracked();
        self.set(Identity {
            environment: known.environment,
            color: known.color,
            ..Identity::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn signed_in_user_is_read_from_response() {
        let read = Identity::read(
            r#"{"kind":"credential","name":"anna","gateway":true,"dashboard":true,"version":"v1",
                "signed_in_at":"2026","environment":{"name":"production","color":"red"}}"#,
        );
        assert!(read.has(Key::Secret) && read.has(Key::Token));
        assert_eq!(
            (read.name.as_str(), read.kind.as_str()),
            ("anna", "credential")
        );
        assert_eq!(
            (read.environment.as_str(), read.color.as_str()),
            ("production", "red")
        );
    }

    #[test]
    fn credential_reads_more_than_it_writes() {
        let read = Identity::read(
            r#"{"kind":"credential","name":"anna","gateway":false,"dashboard":true,
                "rights":{"hooks":"read","gateway":{"apis":"read","keys":"write"}}}"#,
        );
        assert!(read.has(Key::Secret) && read.has(Key::Token));
        assert_eq!(read.lacks("/console/apis/a"), None);
        assert_eq!(read.lacks("/console/audit"), None);
        assert_eq!(
            read.lacks("/console/policies").as_deref(),
            Some("Requires the right to read Policies")
        );
        assert_eq!(
            read.lacks("/console/credentials").as_deref(),
            Some("Requires the gateway secret")
        );
        let pages = ["apis", "keys", "webhooks", "audit"].map(|page| format!("/console/{page}"));
        let only_reads = [true, false, true, false];
        assert_eq!(
            pages.each_ref().map(|page| read.only_reads(page)),
            only_reads
        );
        let may_write = [false, true, false, true];
        assert_eq!(pages.each_ref().map(|page| read.may_write(page)), may_write);
        assert!(
            !read.may_write("/console/policies/new"),
            "it may not even be seen"
        );
    }

    #[test]
    fn write_only_page_requires_write_permission() {
        let of = |access: &str| {
            Identity::read(&format!(
                r#"{{"kind":"credential","rights":{{"gateway":{{"oauth":"{access}","tools":"{access}"}}}}}}"#
            ))
        };
        let lacks = |access: &str, path: &str| of(access).lacks(path);
        assert_eq!(
            lacks("read", "/console/batch").as_deref(),
            Some("Requires the right to write Try it, batch")
        );
        assert_eq!(
            lacks("read", "/console/oauth/a/clients/b").as_deref(),
            Some("Requires the right to write OAuth clients")
        );
        assert_eq!(lacks("read", "/console/oauth"), None);
        for path in ["batch", "try/a", "oauth/a"] {
            assert_eq!(lacks("write", &format!("/console/{path}")), None, "{path}");
        }
    }

    fn hear(event: &str) {
        let event = web_sys::Event::new(event).unwrap();
        js_sys::Reflect::set(&event, &"key".into(), &STORED.into()).unwrap();
        window().dispatch_event(&event).unwrap();
    }

    #[test]
    fn signed_out_session_ignores_events() {
        let owner = Owner::new();
        let session = owner.with(Session::load);
        keep(Some(r#"{"gateway":true,"name":"anna"}"#));
        hear("storage");
        assert!(owner.with(|| session.has_untracked(Key::Secret)));
        let broken = std::rc::Rc::new(std::cell::Cell::new(false));
        let notes = broken.clone();
        let watch = window_event_listener_untyped("error", move |event| {
            event.prevent_default();
            notes.set(true);
        });
        owner.cleanup();
        drop(owner);
        hear("storage");
        watch.remove();
        keep(None);
        assert!(!broken.get(), "it reads signals that are gone");
    }

    #[test]
    fn sign_in_works_without_browser_storage() {
        let owner = Owner::new();
        owner.with(|| {
            let session = Session::load();
            // A full browser storage can't store a value this long.
            let name = "n".repeat(20_000_000);
            session.accept(&format!(r#"{{"gateway":true,"name":"{name}"}}"#));
            assert_eq!(storage::browser_get(STORED), None);
            assert!(session.has_untracked(Key::Secret));
            assert!(Session::load().has_untracked(Key::Secret));
            session.forget();
            assert!(!Session::load().has_untracked(Key::Secret));
        });
        owner.cleanup();
    }

    #[test]
    fn other_responses_sign_nobody_in() {
        let out = Identity::read(r#"{"status":"error","environment":{"name":"p","color":"red"}}"#);
        assert!(!out.has(Key::Secret) && !out.has(Key::Token));
        assert_eq!(out.environment, "p");
        for text in ["", "<html>", "[]", r#"{"gateway":"true"}"#] {
            assert_eq!(Identity::read(text), Identity::default(), "{text}");
        }
    }
}
