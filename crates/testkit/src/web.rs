//! Third parties' servers in memory.

use crate::contracts::servers::{Body, page_of};
use gatewright_controlplane::egress::destination;
use gatewright_controlplane::ports::{Egress, Fetched, Outgoing, Replied, Unfetched};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;

/// Servers that answer as a test has set, or as in [`crate::contracts::servers`]; all others are unreachable.
#[derive(Debug, Default)]
pub struct MemoryWeb {
    answers: RefCell<HashMap<String, Result<Fetched, Unfetched>>>,
    /// The addresses of the servers of the contracts, without a trailing slash.
    servers: RefCell<Vec<String>>,
    /// The addresses where nothing listens.
    down: RefCell<Vec<String>>,
    calls: RefCell<Vec<String>>,
    sent: RefCell<Vec<Outgoing>>,
    /// The last request to any of the servers.
    last: RefCell<Outgoing>,
    allows_private: Cell<bool>,
}

/// A response whose head has arrived.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartedResponse {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Rest,
}

/// The rest of the response.
#[derive(Clone, Debug)]
pub(crate) enum Rest {
    Whole(Vec<u8>),
    Endless,
    Stuck,
}

impl Default for Rest {
    fn default() -> Self {
        Self::Whole(Vec::new())
    }
}

impl MemoryWeb {
    /// Sets the answer of a URL.
    pub fn answer(&self, url: &str, answer: Result<Fetched, Unfetched>) {
        self.answers.borrow_mut().insert(url.to_owned(), answer);
    }

    /// Starts a server of the contracts at an address, `http://` and its host.
    pub fn serve(&self, address: &str) {
        self.servers.borrow_mut().push(address.to_owned());
    }

    /// Stops the server at an address.
    pub fn end(&self, address: &str) {
        self.down.borrow_mut().push(address.to_owned());
    }

    /// Allows or forbids private networks.
    pub fn allow_private(&self, allow: bool) {
        self.allows_private.set(allow);
    }

    /// Returns the requests sent since the last call of this function.
    pub fn take_sent(&self) -> Vec<Outgoing> {
        self.sent.take()
    }

    /// Returns the URLs called since the last call of this function.
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    /// Sends a request to the server at its URL; `None` if no test has set one.
    pub(crate) fn call(&self, outgoing: &Outgoing) -> Option<Result<StartedResponse, Unfetched>> {
        let url = &outgoing.url;
        let at = |address: &String| url.strip_prefix(address.as_str());
        if self
            .down
            .borrow()
            .iter()
            .any(|address| at(address).is_some())
        {
            return Some(Err(Unfetched::Unreachable));
        }
        if let Some(path) = self.servers.borrow().iter().find_map(at) {
            let before = self.last.replace(outgoing.clone());
            return Some(contract_response(path, &before));
        }
        let answer = self.answers.borrow().get(url).cloned()?;
        Some(answer.map(|fetched| {
            let media = ("content-type".to_owned(), fetched.content_type);
            let location = fetched.location.map(|to| ("location".to_owned(), to));
            StartedResponse {
                status: fetched.status,
                headers: [media].into_iter().chain(location).collect(),
                body: Rest::Whole(fetched.body),
            }
        }))
    }

    /// Sends a request under the rules for private addresses.
    fn ask(&self, outgoing: &Outgoing) -> Result<StartedResponse, Unfetched> {
        if destination(&outgoing.url, self.allows_private()).is_err() {
            return Err(Unfetched::Unreachable);
        }
        self.call(outgoing).unwrap_or(Err(Unfetched::Unreachable))
    }
}

/// Returns what a server of the contracts answers, whose previous request was `before`.
fn contract_response(path: &str, before: &Outgoing) -> Result<StartedResponse, Unfetched> {
    let page = page_of(path);
    let body = match page.body {
        Body::Text(text) | Body::Gzip(text) => Rest::Whole(text.as_bytes().to_vec()),
        Body::Bytes(bytes) => Rest::Whole(vec![b'x'; bytes]),
        Body::Seen => Rest::Whole(serde_json::to_vec(before).unwrap()),
        Body::Endless => Rest::Endless,
        Body::Stuck => Rest::Stuck,
        Body::Silent => return Err(Unfetched::TimedOut),
        Body::Reset => return Err(Unfetched::Unreachable),
    };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    Ok(StartedResponse {
        status: page.status,
        headers: page.headers.iter().map(owned).collect(),
        body,
    })
}

/// Returns the first value of a header.
fn header(response: &StartedResponse, name: &str) -> Option<String> {
    let found = response.headers.iter().find(|(own, _)| own == name);
    found.map(|(_, value)| value.clone())
}

/// Resolves a `Location` in the response of `url` (RFC 3986 section 5.2): absolute, from the root, or from the folder
/// of the URL's path.
fn resolved(url: &str, location: &str) -> String {
    if location.contains("://") {
        return location.to_owned();
    }
    let (scheme, rest) = url.split_once("://").unwrap();
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    let (to, query) = location.split_once('?').unwrap_or((location, ""));
    let mut folders: Vec<&str> = path.split(['?', '#']).next().unwrap().split('/').collect();
    folders.pop();
    let from = if to.starts_with('/') {
        Vec::new()
    } else {
        folders
    };
    let mut steps = from;
    for step in to.trim_start_matches('/').split('/') {
        match step {
            ".." => drop(steps.pop()),
            "." => {}
            step => steps.push(step),
        }
    }
    let query = location.contains('?').then(|| format!("?{query}"));
    format!(
        "{scheme}://{host}/{}{}",
        steps.join("/"),
        query.unwrap_or_default()
    )
}

impl Egress for MemoryWeb {
    fn allows_private(&self) -> bool {
        self.allows_private.get()
    }

    async fn get(&self, url: &str, max: usize) -> Result<Fetched, Unfetched> {
        self.calls.borrow_mut().push(url.to_owned());
        let outgoing = Outgoing {
            method: "GET".to_owned(),
            url: url.to_owned(),
            ..Outgoing::default()
        };
        let response = self.ask(&outgoing)?;
        let location = header(&response, "location").map(|to| resolved(url, &to));
        let content_type = header(&response, "content-type").unwrap_or_default();
        match response.body {
            Rest::Whole(body) if body.len() <= max => Ok(Fetched {
                status: response.status,
                location,
                content_type,
                body,
            }),
            Rest::Whole(_) | Rest::Endless => Err(Unfetched::TooLarge),
            Rest::Stuck => Err(Unfetched::TimedOut),
        }
    }

    async fn send(&self, outgoing: &Outgoing, max: usize) -> Result<Replied, Unfetched> {
        self.sent.borrow_mut().push(outgoing.clone());
        let response = self.ask(outgoing)?;
        let (content_type, length) = ("content-type", "content-length");
        let content_length = header(&response, length).and_then(|length| length.parse().ok());
        let content_type = header(&response, content_type).unwrap_or_default();
        let (mut body, ended) = match response.body {
            Rest::Whole(body) => (body, true),
            Rest::Endless => (vec![b'x'; max], false),
            Rest::Stuck => (Vec::new(), false),
        };
        let cut = !ended || body.len() > max;
        body.truncate(max);
        Ok(Replied {
            status: response.status,
            content_type,
            content_length,
            body,
            cut,
        })
    }
}
