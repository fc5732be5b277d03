//! Who uses the gateway: isolates that serve requests, with their memory, and those who administer keys.

mod requests;

use super::events::Promise;
use super::oracle::QUOTA;
use super::world::{Outcome, World};
use gatewright_protocol::asking;
use gatewright_protocol::backup::{Backup, Line, Place};
use gatewright_protocol::ledger::{Consume, Count, Limit, Verdict};
use gatewright_protocol::limits::QuotaLimit;
use gatewright_protocol::oauth::{
    ClientPart, OauthAsk, OauthClient, OauthCode, OauthGrant, OauthToken,
};
use gatewright_protocol::registry::{Command, Refusal, Reply, decode, encode};
use gatewright_protocol::sessions::{Act, Owner, REMEMBERED_MS, SessionAsk};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A month: no window ends.
const WINDOW_MS: u64 = 30 * 24 * 3_600_000;
const ISOLATES: u64 = 3;

/// What an isolate remembers.
#[derive(Debug, Default)]
struct Isolate {
    /// The life of the deployment that it belongs to.
    edge: u64,
    sessions: BTreeMap<String, u64>,
    /// Until when a token is taken for unknown, and how many crashes there were: a Ledger that starts again doesn't know
    /// whom the previous one has told that, and so nothing waits for it.
    strangers: BTreeMap<String, (u64, u64)>,
}

/// An export that was complete.
#[derive(Clone, Debug, Default)]
struct Export {
    lines: Vec<Line>,
    counters: Vec<(String, String)>,
    number: u64,
}

pub(super) struct Clients {
    world: Rc<World>,
    isolates: RefCell<Vec<Isolate>>,
    number: Cell<u64>,
    /// The ids of keys whose tokens somebody knows.
    known: RefCell<Vec<String>>,
    /// The refresh tokens that somebody has, each with the id of its access token.
    refreshes: RefCell<Vec<(String, String)>>,
    export: RefCell<Option<Export>>,
    is_migrating: Cell<bool>,
    pub(super) failed: Cell<u64>,
    pub(super) done: Cell<u64>,
}

type Replied = Outcome<(Reply, String)>;

fn name(id: &str) -> String {
    Owner::Key.ledger(id)
}

fn client() -> OauthClient {
    OauthClient {
        api: "x".to_owned(),
        id: "client".to_owned(),
        org: "default".to_owned(),
        ..OauthClient::default()
    }
}

impl Clients {
    pub(super) fn new(world: &Rc<World>) -> Rc<Self> {
        let isolates = (0..ISOLATES).map(|_| Isolate::default());
        Rc::new(Self {
            world: Rc::clone(world),
            isolates: RefCell::new(isolates.collect()),
            number: Cell::new(0),
            known: RefCell::new(["a", "b", "c"].map(str::to_owned).to_vec()),
            refreshes: RefCell::default(),
            export: RefCell::default(),
            is_migrating: Cell::new(false),
            failed: Cell::new(0),
            done: Cell::new(0),
        })
    }

    fn below(&self, most: u64) -> u64 {
        self.world.events.dice.below(most)
    }

    fn next(&self, prefix: &str) -> String {
        self.number.set(self.number.get() + 1);
        format!("{prefix}{}", self.number.get())
    }

    pub(super) fn known(&self) -> Vec<String> {
        self.known.borrow().clone()
    }

    fn learn(&self, id: &str) {
        let mut known = self.known.borrow_mut();
        if !known.iter().any(|it| it == id) {
            known.push(id.to_owned());
        }
    }

    /// Returns one of the keys that are known, rather a recent one.
    fn some(&self) -> String {
        let known = self.known.borrow();
        let recent = known.len().saturating_sub(6);
        let chosen = self.world.events.dice.pick(&known[..3]);
        let recent = self.world.events.dice.pick(&known[recent..]);
        if self.below(2) == 0 { chosen } else { recent }.unwrap()
    }

    fn spawn(self: &Rc<Self>, task: impl Future<Output = Outcome<()>> + 'static) -> Promise<()> {
        let clients = Rc::clone(self);
        let edge = self.world.edge.get();
        self.world.events.spawn(edge, async move {
            let done = task.await;
            let count = if done.is_ok() {
                &clients.done
            } else {
                &clients.failed
            };
            count.set(count.get() + 1);
            if let Err(error) = done {
                clients.world.note(|| format!("failed: {error}"));
                if clients.world.is_calm.get() {
                    clients.world.fail(format!("an operation fails: {error}"));
                }
            }
        })
    }

    /// Starts a random operation.
    pub(super) fn operate(self: &Rc<Self>) {
        let (it, id) = (Rc::clone(self), self.some());
        let chosen = ["a", "b", "c"][self.below(3) as usize].to_owned();
        match self.below(42) {
            0..=3 => self.spawn(async move { it.put(chosen, 0).await }),
            4..=6 => self.spawn(async move { it.put(it.next("g"), 1).await }),
            7..=9 => self.spawn(async move { it.put(id, 2).await }),
            10..=12 => self.spawn(async move { it.put(id, 3).await }),
            13..=15 => self.spawn(async move { it.remove(id).await }),
            16..=17 => self.spawn(async move { it.rotate(id).await }),
            18..=19 => self.spawn(async move { it.grant(None).await }),
            20..=21 => self.refresh(),
            22 => self.spawn(async move { it.read(id).await }),
            23 => self.spawn(async move { it.export().await }),
            24 => self.spawn(async move { it.migrate().await }),
            25..=26 => self.request(it.next("u")),
            _ => self.request(id),
        };
    }

    /// Carries out a command, as an isolate sends it.
    async fn send(&self, command: Command, text: &str) -> Replied {
        let message = encode(&command, text).unwrap();
        let called = match command.writes() {
            true => self.world.call_registry(|registry| registry.write(message)),
            false => self.world.call_registry(|registry| registry.call(message)),
        };
        let answer = called.await?;
        let (reply, text) = decode(&answer).unwrap();
        Ok((reply, text.to_owned()))
    }

    fn session(&self, more: &str) -> String {
        let alias = self.next("w");
        format!(
            r#"{{"alias":"{alias}",{more}"access_rights":{{"x":{{"api_id":"x"}}}},"quota_max":{QUOTA},"quota_renewal_rate":{}}}"#,
            WINDOW_MS / 1000
        )
    }

    /// Creates a key (0), generates one (1), updates one (2), or updates and resets one (3).
    async fn put(&self, id: String, how: u64) -> Outcome<()> {
        let ask = SessionAsk {
            act: Act::Put,
            ids: vec![id.clone()],
            update: how >= 2,
            reset: how != 2,
            generated: how == 1,
            ..SessionAsk::default()
        };
        let note = format!("put {id} {how}");
        self.world.note(|| note.clone());
        let (reply, _) = self.send(Command::Session(ask), &self.session("")).await?;
        self.world.note(|| format!("{note}: done"));
        match reply {
            Reply::Session { revision, .. } => {
                self.learn(&id);
                let mut oracle = self.world.oracle.borrow_mut();
                oracle.acknowledge(&name(&id), revision);
                Ok(())
            }
            Reply::Refused(Refusal::NotFound) if how >= 2 => Ok(()),
            reply => Err(format!("{reply:?}")),
        }
    }

    async fn remove(&self, id: String) -> Outcome<()> {
        let ask = SessionAsk {
            act: Act::Remove,
            ids: vec![id.clone()],
            ..SessionAsk::default()
        };
        self.world.note(|| format!("remove {id}"));
        let (reply, _) = self.send(Command::Session(ask), "").await?;
        if let Reply::Session { revision, .. } = reply {
            self.world.note(|| format!("removed {id}"));
            let mut oracle = self.world.oracle.borrow_mut();
            oracle.acknowledge_end(&name(&id), revision);
        }
        Ok(())
    }

    /// Rotates a key, unless somebody may create another one with its id at the same time: which of the two has the
    /// counters is open then.
    async fn rotate(&self, id: String) -> Outcome<()> {
        if id.len() == 1 {
            return Ok(());
        }
        let new = self.next("r");
        let ask = SessionAsk {
            act: Act::Rotate,
            ids: vec![id.clone(), new.clone()],
            ..SessionAsk::default()
        };
        self.world.note(|| format!("rotate {id} to {new}"));
        let (reply, _) = self.send(Command::Session(ask), "").await?;
        if let Reply::Session { revision, .. } = reply {
            self.world.note(|| format!("rotated {id} to {new}"));
            self.learn(&new);
            let mut oracle = self.world.oracle.borrow_mut();
            oracle.acknowledge(&name(&new), revision);
            // Its end has the number before.
            let states = oracle.states(&name(&id));
            let before = states
                .iter()
                .position(|it| it.is_gone && it.revision + 1 == revision);
            oracle.acknowledge_none(&name(&id), before.unwrap_or_default());
        }
        Ok(())
    }

    /// Issues a token, for a code or for the refresh token of another.
    async fn grant(&self, refreshed: Option<(String, String)>) -> Outcome<()> {
        let now = i64::try_from(self.world.events.now() / 1000).unwrap();
        let put = OauthAsk::PutClients {
            clients: vec![client()],
            is_new: true,
            part: ClientPart::Whole,
        };
        self.oauth(&put).await?;
        let (id, refresh, code) = (self.next("o"), self.next("refresh"), self.next("code"));
        let expires = now + 5 + i64::try_from(self.below(200)).unwrap();
        let mut grant = OauthGrant {
            token: OauthToken {
                access: id.clone(),
                refresh: refresh.clone(),
                api: "x".to_owned(),
                client: "client".to_owned(),
                expires,
                ..OauthToken::default()
            },
            client: client(),
            ..OauthGrant::default()
        };
        match &refreshed {
            Some((refresh, _)) => grant.refresh.clone_from(refresh),
            None => {
                let put = OauthAsk::PutCode(OauthCode {
                    code: code.clone(),
                    api: "x".to_owned(),
                    client: "client".to_owned(),
                    expires: now + 60,
                    ..OauthCode::default()
                });
                self.oauth(&put).await?;
                grant.code = code;
            }
        }
        let ask = SessionAsk {
            act: Act::Put,
            ids: vec![id.clone()],
            reset: true,
            generated: self.below(2) == 0,
            grant: serde_json::to_string(&grant).unwrap(),
            ..SessionAsk::default()
        };
        let text = self.session(&format!(
            r#""oauth_client_id":"client","expires":{expires},"#
        ));
        self.world.note(|| format!("grant {id} for {refreshed:?}"));
        let (reply, _) = self.send(Command::Session(ask), &text).await?;
        if let Reply::Session { revision, .. } = reply {
            self.world.note(|| format!("granted {id}"));
            self.learn(&id);
            self.refreshes.borrow_mut().push((refresh, id.clone()));
            let mut oracle = self.world.oracle.borrow_mut();
            oracle.acknowledge(&name(&id), revision);
            if let Some((_, old)) = refreshed {
                // Unless it had ended before.
                let states = oracle.states(&name(&old));
                if let Some(at) = states
                    .iter()
                    .rposition(|it| it.is_gone && it.revision == revision)
                {
                    oracle.acknowledge_none(&name(&old), at);
                }
            }
        }
        Ok(())
    }

    fn refresh(self: &Rc<Self>) -> Promise<()> {
        let refreshes = self.refreshes.borrow();
        let recent = &refreshes[refreshes.len().saturating_sub(3)..];
        let refreshed = self.world.events.dice.pick(recent);
        let it = Rc::clone(self);
        self.spawn(async move { it.grant(refreshed).await })
    }

    async fn oauth(&self, ask: &OauthAsk) -> Outcome<()> {
        let command = Command::Oauth {
            writes: ask.writes(),
        };
        let text = serde_json::to_string(ask).unwrap();
        self.send(command, &text).await.map(drop)
    }

    async fn read(&self, id: String) -> Outcome<()> {
        let floor = self.world.oracle.borrow().floor(&name(&id));
        let ask = SessionAsk::find(Owner::Key, vec![id.clone()]);
        let (reply, _) = self.send(Command::Session(ask), "").await?;
        let mut oracle = self.world.oracle.borrow_mut();
        match reply {
            Reply::Session { revision, .. } => oracle.acknowledge(&name(&id), revision),
            _ => oracle.acknowledge_none(&name(&id), floor),
        }
        Ok(())
    }

    async fn export(&self) -> Outcome<()> {
        let mut export = Export::default();
        let mut place = Some(Place::default());
        while let Some(at) = place {
            let read = Backup::Read {
                place: at,
                revisions: true,
                secrets: true,
            };
            let (Reply::Page(page), _) = self.send(Command::Backup(read), "").await? else {
                return Err("no page".to_owned());
            };
            for ledger in page.ledgers {
                let called = ledger.clone();
                let take = self
                    .world
                    .call_ledger(&ledger, |object| object.take(called));
                let taken = take.await?;
                if !taken.is_empty() {
                    export.counters.push((ledger, taken));
                }
            }
            export.lines.extend(page.lines);
            export.number = page.number;
            place = page.next;
        }
        self.world.note(|| "exported".to_owned());
        self.export.replace(Some(export));
        Ok(())
    }

    /// Removes everything, and imports what was exported last.
    async fn migrate(&self) -> Outcome<()> {
        let Some(export) = self.export.borrow().clone() else {
            return Ok(());
        };
        if self.is_migrating.replace(true) {
            return Ok(());
        }
        let done = self.import(export).await;
        self.is_migrating.set(false);
        done
    }

    async fn backup(&self, command: Backup) -> Outcome<bool> {
        let (reply, _) = self.send(Command::Backup(command), "").await?;
        self.world.note(|| format!("import: {reply:?}"));
        Ok(!matches!(reply, Reply::Refused(_)))
    }

    async fn import(&self, export: Export) -> Outcome<()> {
        let id = self.next("export");
        self.world.note(|| format!("import {id}"));
        let living = self.world.oracle.borrow().living(0);
        for (ledger, _) in living {
            let (_, id) = ledger.split_once(':').unwrap();
            self.remove(id.to_owned()).await?;
        }
        let remove = OauthAsk::RemoveClient {
            api: "x".to_owned(),
            id: "client".to_owned(),
        };
        self.oauth(&remove).await?;
        let begin = Backup::Begin {
            id: id.clone(),
            dry_run: false,
        };
        if !self.backup(begin).await? {
            self.backup(Backup::GiveUp).await?;
            return Ok(());
        }
        for (ledger, counters) in export.counters {
            let (called, put) = (ledger.clone(), counters.clone());
            let put = self
                .world
                .call_ledger(&ledger, |object| object.put(called, put));
            put.await?;
            let used = counters.split("\"used\":").nth(1).unwrap_or_default();
            let used = used.split([',', '}']).next().unwrap_or_default();
            let used = used.parse().unwrap_or(0);
            // Those of a session that has ended during the export belong to none, and are dropped.
            let is_over = counters.contains("\"reset\":0,");
            let mut oracle = self.world.oracle.borrow_mut();
            oracle
                .imported
                .insert(ledger, if is_over { 0 } else { used });
        }
        let lines = (0..).zip(export.lines).collect();
        let store = Backup::Store {
            id: id.clone(),
            lines,
        };
        let is_stored = self.backup(store).await?;
        if is_stored && self.below(3) > 0 {
            let end = Backup::End {
                id,
                number: export.number,
            };
            self.backup(end).await.map(drop)
        } else {
            self.backup(Backup::GiveUp).await.map(drop)
        }
    }

    /// Removes a key, for the end of a run.
    pub(super) fn end(self: &Rc<Self>, id: String) -> Promise<()> {
        let it = Rc::clone(self);
        self.spawn(async move { it.remove(id).await })
    }

    /// Updates a key, or rotates it.
    pub(super) fn touch(self: &Rc<Self>, id: String) -> Promise<()> {
        let it = Rc::clone(self);
        self.spawn(async move {
            match it.below(2) {
                0 => it.put(id, 2).await,
                _ => it.rotate(id).await,
            }
        })
    }
}
