//! The Durable Object that owns the documents: it loads, lets the engine decide, and answers.

use crate::isolate::default_org;
use crate::kv::KvNamespace;
use crate::platform::now;
use crate::rows::SqlRows;
use futures_util::lock::Mutex;
use gatewright_api::shape::ReloadState;
use gatewright_engine::error::StoreError;
use gatewright_engine::registry::Registry as Documents;
use gatewright_engine::registry::protocol::{self, Reply};
use gatewright_engine::registry::publish::{self, Published};
use std::cell::{Cell, RefCell};
use std::time::Duration;
use wasm_bindgen::prelude::*;
use worker::{DurableObject, Env, Request, Response, Result, State, console_error, durable_object};

/// When a reload that did not end is tried again: after a crash, and after a failure of KV.
const RETRY: Duration = Duration::from_secs(10);
/// When files that a large reload has left are written.
const SOON: Duration = Duration::from_millis(200);

/// The owner of every administered document.
#[durable_object(alarm)]
pub struct Registry {
    state: State,
    env: Env,
    documents: RefCell<Documents<SqlRows>>,
    /// Held by the one reload that is under way.
    turn: Mutex<()>,
    /// Counts the calls for a reload, so that those which wait are served by the next one together.
    asked: Cell<u64>,
    /// Up to which call the last reload counts, and how it ended.
    done: RefCell<Option<(u64, std::result::Result<Published, StoreError>)>>,
    reloading: Cell<bool>,
}

impl DurableObject for Registry {
    fn new(state: State, env: Env) -> Self {
        let rows = SqlRows::new(state.storage());
        let documents = Documents::new(rows, &default_org(&env));
        Self {
            state,
            env,
            documents: RefCell::new(documents),
            turn: Mutex::new(()),
            asked: Cell::new(0),
            done: RefCell::new(None),
            reloading: Cell::new(false),
        }
    }

    /// Nobody sends it requests: `entry.js` calls the methods below.
    async fn fetch(&self, _: Request) -> Result<Response> {
        Response::error("Not found", 404)
    }

    async fn alarm(&self) -> Result<Response> {
        let unfinished = self.documents.borrow_mut().is_unfinished();
        let answer = match unfinished {
            Ok(true) => self
                .publish_in_turn()
                .await
                .map(|published| published.files_left),
            Ok(false) => self.write_files().await,
            Err(error) => Err(error),
        };
        if let Err(error) = answer {
            console_error!("registry alarm: {error}");
            self.state.storage().set_alarm(RETRY).await?;
        }
        Response::empty()
    }
}

/// What isolates call (Workers RPC, through the class of the same name in `entry.js`).
#[wasm_bindgen]
impl Registry {
    /// Carries out a command of [`protocol`].
    ///
    /// # Errors
    /// If the rows can't be read or written; nothing has changed then.
    pub fn call(&self, message: &str) -> std::result::Result<String, JsError> {
        self.carry_out(message).map_err(|error| told(&error))
    }

    /// Publishes what is stored and answers a [`Published`] as JSON.
    ///
    /// # Errors
    /// If KV or the rows fail; what was published before still is.
    pub async fn publish(&self) -> std::result::Result<String, JsError> {
        let published = self.publish_in_turn().await.map_err(|error| told(&error))?;
        Ok(serde_json::to_string(&published)?)
    }

    /// Answers if the rows can be read.
    ///
    /// # Errors
    /// If they can't.
    pub fn ping(&self) -> std::result::Result<(), JsError> {
        self.documents.borrow().ping().map_err(|error| told(&error))
    }
}

/// Logs an error where its cause is, and hands its text to the caller, which is this worker.
fn told(error: &StoreError) -> JsError {
    console_error!("registry: {error}");
    JsError::new(&error.to_string())
}

impl Registry {
    /// One turn without an `await`: nothing can come between reading and writing, and the answer
    /// waits in the output gate until what was written is durable
    /// (<https://blog.cloudflare.com/durable-objects-easy-fast-correct-choose-three/>).
    fn carry_out(&self, message: &str) -> std::result::Result<String, StoreError> {
        let (command, text) = protocol::decode(message)?;
        let (mut reply, text) = self.documents.borrow_mut().handle(&command, text, &now())?;
        if let Reply::Status(status) = &mut reply
            && self.reloading.get()
        {
            status.state = ReloadState::Reloading;
        }
        protocol::encode(&reply, &text)
    }

    async fn publish_in_turn(&self) -> std::result::Result<Published, StoreError> {
        let ticket = self.asked.get().saturating_add(1);
        self.asked.set(ticket);
        let turn = self.turn.lock().await;
        if let Some((covered, ended)) = &*self.done.borrow()
            && *covered >= ticket
        {
            return ended.clone();
        }
        let covers = self.asked.get();
        self.reloading.set(true);
        let ended = self.publish_now().await;
        self.reloading.set(false);
        self.done.replace(Some((covers, ended.clone())));
        drop(turn);
        ended
    }

    async fn publish_now(&self) -> std::result::Result<Published, StoreError> {
        let kv = KvNamespace::open(&self.env)?;
        // Rings if this turn is cut off, so that a half-written reload never stays one.
        self.set_alarm(RETRY).await?;
        let published = publish::publish(&self.documents, &kv, &now()).await?;
        if published.files_left {
            self.set_alarm(SOON).await?;
        } else {
            let failed = |error: worker::Error| StoreError::new("delete alarm", error.to_string());
            self.state.storage().delete_alarm().await.map_err(failed)?;
        }
        Ok(published)
    }

    async fn write_files(&self) -> std::result::Result<bool, StoreError> {
        let turn = self.turn.lock().await;
        let left = publish::sync_files(&self.documents, &KvNamespace::open(&self.env)?).await?;
        drop(turn);
        if left {
            self.set_alarm(SOON).await?;
        }
        Ok(left)
    }

    async fn set_alarm(&self, after: Duration) -> std::result::Result<(), StoreError> {
        let failed = |error: worker::Error| StoreError::new("set alarm", error.to_string());
        self.state.storage().set_alarm(after).await.map_err(failed)
    }
}
