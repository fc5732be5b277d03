//! What is stored about a proxy, and who has rights at it.

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

/// Keys whose rights are looked at; a session of each is read.
const KEYS: u32 = 20;

/// A proxy with its callers.
#[derive(Clone, Debug)]
pub(super) struct Found {
    name: String,
    pub(super) proxy: Proxy,
    /// Whether nobody is asked for a key.
    pub(super) is_open: bool,
    pub(super) callers: Vec<Caller>,
    /// What could not be looked at, or was not.
    pub(super) notes: Vec<String>,
}

impl Found {
    pub(super) fn title(&self) -> String {
        match self.name.as_str() {
            "" => "Catalogue".to_owned(),
            name => format!("Catalogue of {name}"),
        }
    }

    /// Who may use the proxy, in words.
    pub(super) fn said(&self) -> String {
        if self.is_open {
            return "The proxy asks for no key: whoever knows its address may use what it lets through.".to_owned();
        }
        let count = |kind| {
            self.callers
                .iter()
                .filter(|caller| caller.kind == kind)
                .count()
        };
        let (policies, keys) = (count(CallerKind::Policy), count(CallerKind::Key));
        if self.callers.is_empty() {
            return "No policy and no key has rights at the proxy: nobody may use it by them."
                .to_owned();
        }
        let policies = match policies {
            1 => "1 policy".to_owned(),
            many => format!("{many} policies"),
        };
        format!(
            "{policies} and {} with rights at the proxy are looked at.",
            plural(keys, "key")
        )
    }
}

pub(super) async fn find(api: Api, id: &str) -> Result<Found, ApiError> {
    let text = api.fetch(Group::McpProxies, id).await?.text;
    let document = parse(&text).ok();
    let extension = document.as_ref().and_then(stored::extension);
    let name = extension.and_then(|(_, said)| said.pointer("/info/name")?.as_str());
    let reach = Reach::of(&text).unwrap_or_default();
    let mut found = Found {
        name: name.unwrap_or_default().to_owned(),
        proxy: Proxy::of(&text),
        is_open: reach.schemes.is_empty(),
        callers: Vec::new(),
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
            .push(format!("Policies could not be looked at: {error}")),
    }
    match keys(api, id).await {
        Ok((callers, rest)) => {
            found.callers.extend(callers);
            if rest > 0 {
                let rest = usize::try_from(rest).unwrap_or(usize::MAX);
                let rest = plural(rest, "more key");
                found.notes.push(format!(
                    "{rest} with rights of its own or by policies are not looked at."
                ));
            }
        }
        Err(error) => found
            .notes
            .push(format!("Keys could not be looked at: {error}")),
    }
    Ok(found)
}

/// The first keys with rights at an API, with what their policies give them, and how many there are beside those.
async fn keys(api: Api, id: &str) -> Result<(Vec<Caller>, u64), ApiError> {
    let query = format!("sort=alias&p=1&per_page={KEYS}&api_id={}", encode(id));
    let page: Page<KeyRow> = api.listed(&query).await?;
    let rest = page
        .total
        .saturating_sub(u64::try_from(page.documents.len()).unwrap_or_default());
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
    Ok((callers, rest))
}
