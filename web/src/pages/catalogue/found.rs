//! What is stored about a proxy, and who has rights to it.

use futures_util::future::join_all;

use crate::api::access::KeyRow;
use crate::api::group::{Group, Page};
use crate::api::{Api, ApiError};
use crate::pages::find_api::short;
use crate::routes;
use crate::state::catalogue::{Caller, CallerKind, Proxy};
use crate::state::draft::plural;
use crate::state::query_string::encode;
use crate::state::rules::Reach;
use gatewright_model::json::parse;
use gatewright_model::openapi::stored;

/// Keys whose rights are read at once; the session of each is fetched.
pub(super) const KEYS: u32 = 100;

/// A proxy with its callers.
#[derive(Clone, Debug)]
pub(super) struct Found {
    name: String,
    pub(super) proxy: Proxy,
    /// Whether the proxy requires no key.
    pub(super) is_open: bool,
    pub(super) callers: Vec<Caller>,
    /// The keys that were read.
    keys: Keys,
    /// What could not be read.
    pub(super) notes: Vec<String>,
}

/// How many of the keys with rights to the proxy were read.
#[derive(Clone, Copy, Debug, Default)]
struct Keys {
    pages: u32,
    looked: u64,
    total: u64,
}

impl Found {
    pub(super) fn title(&self) -> String {
        match self.name.as_str() {
            "" => "Catalogue".to_owned(),
            name => format!("Catalogue of {name}"),
        }
    }

    /// Describes in words who may use the proxy.
    pub(super) fn summary(&self) -> String {
        if self.is_open {
            return "The proxy requires no key: whoever knows its address may use what it lets through.".to_owned();
        }
        let count = |kind| {
            self.callers
                .iter()
                .filter(|caller| caller.kind == kind)
                .count()
        };
        let (policies, keys) = (count(CallerKind::Policy), count(CallerKind::Key));
        let keys = match self.left() {
            0 => plural(keys, "key"),
            _ => format!("{} of {} keys", self.keys.looked, self.keys.total),
        };
        if self.callers.is_empty() {
            return "No policy and no key has rights to the proxy.".to_owned();
        }
        let policies = match policies {
            1 => "1 policy".to_owned(),
            many => format!("{many} policies"),
        };
        format!(
            "Checked: {policies} and {keys} with rights to the proxy, of their own or through policies."
        )
    }

    /// Returns how many keys with rights to the proxy were not read.
    pub(super) const fn left(&self) -> u64 {
        self.keys.total.saturating_sub(self.keys.looked)
    }

    /// Reads more keys.
    pub(super) async fn further(mut self, api: Api, id: &str) -> Result<Self, ApiError> {
        let page = self.keys.pages.saturating_add(1);
        let (callers, listed, total) = keys(api, id, page).await?;
        self.keys = Keys {
            pages: page,
            // A page that has become empty is the last one.
            looked: match listed {
                0 => total,
                _ => self.keys.looked.saturating_add(listed),
            },
            total,
        };
        // A key added earlier in the order shifts the others to later pages.
        let news = |caller: &Caller| !self.callers.iter().any(|known| known.url == caller.url);
        let news: Vec<Caller> = callers.into_iter().filter(news).collect();
        self.callers.extend(news);
        Ok(self)
    }
}

pub(super) async fn find(api: Api, id: &str) -> Result<Found, ApiError> {
    let text = api.fetch(Group::McpProxies, id).await?.text;
    let document = parse(&text).ok();
    let extension = document.as_ref().and_then(stored::extension);
    let name = extension.and_then(|(_, extension)| extension.pointer("/info/name")?.as_str());
    let reach = Reach::of(&text).unwrap_or_default();
    let mut found = Found {
        name: name.unwrap_or_default().to_owned(),
        proxy: Proxy::of(&text),
        is_open: reach.schemes.is_empty(),
        callers: Vec::new(),
        keys: Keys::default(),
        notes: Vec::new(),
    };
    match api.policies().await {
        Ok(policies) => {
            let callers = policies.iter().filter_map(|policy| {
                let mut caller = Caller::of(CallerKind::Policy, &policy.text, id)?;
                caller.name.clone_from(&policy.name);
                caller.url = routes::policy(&policy.id);
                Some(caller)
            });
            found.callers.extend(callers);
        }
        Err(error) => found
            .notes
            .push(format!("Policies could not be read: {error}")),
    }
    match found.clone().further(api, id).await {
        Ok(with_keys) => Ok(with_keys),
        Err(error) => {
            found.notes.push(format!("Keys could not be read: {error}"));
            Ok(found)
        }
    }
}

/// Fetches a page of the keys with rights to an API, with what their policies grant; also the number on that page, and
/// in all.
async fn keys(api: Api, id: &str, page: u32) -> Result<(Vec<Caller>, u64, u64), ApiError> {
    let query = format!("sort=alias&p={page}&per_page={KEYS}&api_id={}", encode(id));
    let page: Page<KeyRow> = api.listed(&query).await?;
    let listed = u64::try_from(page.documents.len()).unwrap_or_default();
    let total = page.total;
    let sessions = join_all(page.documents.into_iter().map(|row| async move {
        let session = api.fetch(Group::Keys, &encode(&row.hash)).await;
        (row, session)
    }));
    let mut callers = Vec::new();
    for (row, session) in sessions.await {
        let session = match session {
            Ok(session) => session,
            // It may have been deleted since it was listed.
            Err(ApiError::Missing(_)) => continue,
            Err(error) => return Err(error),
        };
        if let Some(mut caller) = Caller::of(CallerKind::Key, &session.text, id) {
            if row.state == "expired" {
                "It has expired.".clone_into(&mut caller.refused);
            }
            caller.url = routes::key(&row.hash);
            caller.name = match row.alias.trim() {
                "" => short(&row.hash),
                alias => alias.to_owned(),
            };
            callers.push(caller);
        }
    }
    Ok((callers, listed, total))
}
