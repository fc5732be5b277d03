//! The Registry's data for the OAuth 2.0 server: clients, codes and tokens (reference 1.9). The session of an access
//! token is that of a key, and is written together with its token in one transaction ([`grant`]).

use super::commit::{Draft, commit};
use super::encoding::from_json;
use super::journal::AuditedWrite;
use super::rows::Change;
use super::sessions::SessionRow;
use super::{Replied, Turn, done, refuse};
use gatewright_api::dashboard::shape::Subject;
use gatewright_api::message::Action;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::oauth::{ClientPart, OauthAsk, OauthClient, OauthGrant, OauthToken};
use gatewright_protocol::registry::{Refusal, Reply, body};
use gatewright_protocol::sessions::Owner;
use serde::Serialize;

/// Carries out a command.
pub(super) fn carry_out(turn: &mut Turn<'_>, text: &str) -> Replied {
    let ask: OauthAsk = from_json("read OAuth command", text)?;
    let now = turn.now_seconds();
    match ask {
        OauthAsk::Clients { api } => found(&turn.rows.oauth_clients(&api)?),
        OauthAsk::Client { api, id } => one(turn.rows.oauth_client(&api, &id)?.as_ref()),
        OauthAsk::ClientsNamed { id, org } => found(&turn.rows.oauth_clients_named(&id, &org)?),
        OauthAsk::PutClients {
            clients,
            is_new,
            part,
        } => put(turn, clients, is_new, part),
        OauthAsk::RemoveClient { api, id } => remove(turn, &api, &id),
        OauthAsk::PutCode(code) => {
            turn.rows.commit(&[Change::OauthCode(&code)])?;
            turn.ends
                .note(code.expires.unsigned_abs().saturating_mul(1000));
            done()
        }
        OauthAsk::Code { code } => one(turn.rows.oauth_code(&code, now)?.as_ref()),
        OauthAsk::Token { access, refresh } => {
            let token = turn.rows.oauth_token(&access, &refresh)?;
            let token = token.filter(|token| token.expires > now || can_refresh(token, now));
            one(token.as_ref())
        }
        OauthAsk::Tokens { apis, client, page } => {
            found(&turn.rows.oauth_tokens((&client, &apis), page, now)?)
        }
        OauthAsk::EndRefresh { refresh } => {
            turn.rows.commit(&[Change::OauthRefreshEnded(&refresh)])?;
            done()
        }
        OauthAsk::EndClient { apis, client } => {
            let ended = apis.iter().map(|api| Change::OauthEnded {
                api,
                client: &client,
            });
            turn.rows.commit(&ended.collect::<Vec<_>>())?;
            done()
        }
        OauthAsk::Lapse => {
            turn.rows.lapse_oauth(now)?;
            done()
        }
    }
}

/// Whether its refresh token can be used at this time in Unix seconds.
const fn can_refresh(token: &OauthToken, now: i64) -> bool {
    let lasts = token.refresh_expires == 0 || token.refresh_expires > now;
    !token.refresh.is_empty() && lasts
}

fn found<T: Serialize>(found: &T) -> Replied {
    Ok((Reply::Json, body(found)?))
}

fn one<T: Serialize>(one: Option<&T>) -> Replied {
    one.map_or_else(|| refuse(Refusal::NotFound), found)
}

fn put(turn: &mut Turn<'_>, clients: Vec<OauthClient>, is_new: bool, part: ClientPart) -> Replied {
    let mut writes = Vec::new();
    for sent in clients {
        let known = turn.rows.oauth_client(&sent.api, &sent.id)?;
        let action = match is_new && known.is_none() {
            true => Action::Added,
            false => Action::Modified,
        };
        let client = match part {
            ClientPart::Whole => Some(sent),
            ClientPart::Secret => known.map(|known| with_secret_of(known, sent)),
            ClientPart::Settings => known.map(|known| with_secret_of(sent, known)),
        };
        writes.extend(client.map(|client| (client, action)));
    }
    if writes.is_empty() {
        return refuse(Refusal::NotFound);
    }
    let drafts = writes.iter();
    let drafts = drafts.map(|(client, action)| draft(client, *action, Change::OauthClient(client)));
    commit(turn, drafts.collect())?;
    done()
}

/// Returns a client with the secret of another.
fn with_secret_of(client: OauthClient, other: OauthClient) -> OauthClient {
    OauthClient {
        secret_hash: other.secret_hash,
        sealed: other.sealed,
        ..client
    }
}

/// Drafts a write of a client; the trail shows its API as the name.
fn draft<'a>(client: &'a OauthClient, action: Action, change: Change<'a>) -> Draft<'a> {
    let audited = AuditedWrite {
        org: &client.org,
        id: &client.id,
        name: &client.api,
        ..AuditedWrite::new(Subject::OauthClient, action)
    };
    Draft::new(audited, vec![change])
}

fn remove(turn: &mut Turn<'_>, api: &str, id: &str) -> Replied {
    let Some(client) = turn.rows.oauth_client(api, id)? else {
        return refuse(Refusal::NotFound);
    };
    let others = turn.rows.oauth_clients_named(id, &client.org)?;
    let mut others = others
        .iter()
        .filter(|other| other.made == client.made && other.api != api);
    let other = others.next().map(|other| other.api.as_str());
    let removed = Change::OauthClientRemoved { api, id, other };
    commit(turn, vec![draft(&client, Action::Deleted, removed)])?;
    done()
}

/// What is stored together with the session of an access token.
pub(super) struct Granted {
    grant: OauthGrant,
    /// The session of the access token it replaces.
    pub(super) replaced: Option<SessionRow>,
    /// The access token it replaces.
    ended: Option<String>,
}

/// Checks that what a token is issued for is still valid: of two requests with the same code or refresh token, one gets
/// a token.
pub(super) fn grant(
    turn: &Turn<'_>,
    grant: &str,
) -> Result<Result<Option<Granted>, Refusal>, StoreError> {
    if grant.is_empty() {
        return Ok(Ok(None));
    }
    let grant: OauthGrant = from_json("read OAuth grant", grant)?;
    let now = turn.now_seconds();
    let client = turn
        .rows
        .oauth_client(&grant.client.api, &grant.client.id)?;
    if client.as_ref() != Some(&grant.client) {
        return Ok(Err(Refusal::NotFound));
    }
    if !grant.code.is_empty() {
        let code = turn.rows.oauth_code(&grant.code, now)?;
        if code.is_none_or(|code| !code.used.is_empty()) {
            return Ok(Err(Refusal::NotFound));
        }
    }
    let mut granted = Granted {
        grant,
        replaced: None,
        ended: None,
    };
    if !granted.grant.refresh.is_empty() {
        let old = turn.rows.oauth_token(&[], &granted.grant.refresh)?;
        let Some(old) = old.filter(|old| can_refresh(old, now)) else {
            return Ok(Err(Refusal::NotFound));
        };
        granted.replaced = turn.ending(Owner::Key, &old.access)?;
        granted.ended = Some(old.access);
    }
    Ok(Ok(Some(granted)))
}

impl Granted {
    /// Returns the changes other than those to sessions.
    pub(super) fn changes(&self) -> Vec<Change<'_>> {
        let mut changes = Vec::new();
        let by = &self.grant.token;
        if !self.grant.code.is_empty() {
            let (code, access) = (&self.grant.code, &by.access);
            changes.push(Change::OauthCodeUsed { code, access });
        }
        let replaced = |access| Change::OauthTokenReplaced { access, by };
        changes.extend(self.ended.as_deref().map(replaced));
        changes.push(Change::OauthToken(by));
        changes
    }
}
