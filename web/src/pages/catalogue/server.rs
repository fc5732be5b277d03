//! Fetches what the server of a proxy lists. It is requested through the gateway as from *Try it*, with the stored
//! definition and without a key: so it covers everything that the server has, also before a reload.

use crate::api::debug::Debugged;
use crate::api::group::Group;
use crate::api::{Api, ApiError, written_path};
use crate::state::catalogue::{
    End, Offer, PAGES, list_methods, of_operations, source_of, unlocked,
};
use crate::state::mcp::{self, Listed, SESSION_HEADER};
use crate::state::trial::{Against, TokenLocation, Trial};

/// Fetches everything.
pub(super) async fn fetch(api: Api, id: &str) -> Result<Offer, ApiError> {
    let document = api.fetch(Group::McpProxies, id).await?.text;
    if let Some(source) = source_of(&document) {
        return operations(api, id, &source).await;
    }
    let definition = api.stored(&written_path(id)).await?.text;
    let unreadable = |_| ApiError::Unreadable {
        what: "the definition is not JSON".to_owned(),
        request_id: None,
    };
    let definition = unlocked(&definition).map_err(unreadable)?;
    let mut server = Server {
        api,
        definition,
        session: None,
    };
    server.all().await
}

/// Returns the tools that are operations of an API, without a request to a server.
async fn operations(api: Api, id: &str, source: &str) -> Result<Offer, ApiError> {
    let path = format!("{}?expand=true", Group::McpProxies.at(id));
    match api.stored(&path).await {
        Ok(document) => Ok(Offer::of_tools(of_operations(&document.text))),
        Err(ApiError::Refused(refused)) => Ok(Offer::refused(
            format!("The operations of {source} can't be its tools."),
            refused.message,
        )),
        Err(error) => Err(error),
    }
}

struct Server {
    api: Api,
    definition: String,
    session: Option<String>,
}

impl Server {
    /// Sends a message, and keeps the session that the response names.
    async fn send(&mut self, body: String) -> Result<Debugged, ApiError> {
        let trial = Trial {
            method: "POST".to_owned(),
            headers: mcp::headers(self.session.as_deref()),
            body,
            ..Trial::default()
        };
        let request = trial.to_json(Against::Text(&self.definition), &TokenLocation::default());
        let debugged = self.api.debug(&request).await?;
        let headers = debugged.answer.headers.iter();
        let mut named = headers.filter(|(name, _)| name.eq_ignore_ascii_case(SESSION_HEADER));
        if let Some(session) = named.next().and_then(|(_, values)| values.first()) {
            self.session = Some(session.clone());
        }
        Ok(debugged)
    }

    async fn all(&mut self) -> Result<Offer, ApiError> {
        // A server without sessions answers this too, or refuses it and answers the rest.
        let first = self.send(mcp::initialize()).await?;
        if first.answer.status >= 500 {
            let what = "The server can't be asked what it offers.".to_owned();
            return Ok(Offer::refused(what, why(&first)));
        }
        if self.session.is_some() {
            self.send(mcp::INITIALIZED.to_owned()).await?;
        }
        let mut offer = Offer::default();
        for (method, list) in list_methods() {
            let named = (list.member, list.name);
            let (listed, end) = self.list(method, named).await?;
            offer.take(list.category, method, listed, end);
        }
        Ok(offer)
    }

    /// Fetches the list of a method, page after page.
    async fn list(
        &mut self,
        method: &str,
        named: (&str, &str),
    ) -> Result<(Vec<Listed>, End), ApiError> {
        let mut all = Vec::new();
        let mut cursor = None::<String>;
        for _ in 0..PAGES {
            let debugged = self.send(mcp::ask(method, cursor.as_deref())).await?;
            if mcp::is_unknown_method(&debugged.answer.body) {
                return Ok((all, End::Complete));
            }
            match mcp::listed(&debugged.answer.body, named) {
                Ok((listed, next)) => {
                    all.extend(listed);
                    cursor = next;
                }
                Err(reason) => {
                    let why = format!("Status {}. {reason}", debugged.answer.status);
                    return Ok((all, End::Failed(why)));
                }
            }
            if cursor.is_none() {
                return Ok((all, End::Complete));
            }
        }
        Ok((all, End::TooLong))
    }
}

/// Returns why a request failed: the reason of the last step that did not let it through.
fn why(debugged: &Debugged) -> String {
    let steps = debugged.trace.iter().rev();
    let mut failed = steps.filter(|step| step.decision == "refused" || step.name == "upstream");
    let detail = failed
        .find(|step| !step.detail.is_empty())
        .map(|step| step.detail.as_str());
    format!(
        "Status {}. {}",
        debugged.answer.status,
        detail.unwrap_or_default()
    )
}
