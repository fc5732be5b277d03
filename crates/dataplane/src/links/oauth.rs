//! Link 14: access tokens of the API's own OAuth 2.0 server (reference 1.9 and 3.2). A token is a key whose session
//! says which client it was issued to, and which APIs know that client.

use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::Exchange;
use crate::failure::{Failure, Reply};
use crate::identity::{Credential, Identity, Key, Method};
use crate::token_source::TokenSource;

/// Authentication by access token.
#[derive(Debug)]
pub struct Oauth {
    source: TokenSource,
}

impl Middleware for Oauth {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        if !Method::Oauth.is_on(from.definition) {
            return None;
        }
        from.origin(Method::Oauth.switch(), "");
        Some(Self {
            source: TokenSource::read(from.definition, Method::Oauth),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if exchange.ignored || exchange.has_passed(Method::Oauth) {
            return Step::Next;
        }
        match self.token(exchange) {
            Ok(step) => step,
            Err(failure) => Step::Reply(Reply::from(failure)),
        }
    }
}

impl Oauth {
    fn token(&self, exchange: &mut Exchange) -> Result<Step, Failure> {
        let credential = self.credential(exchange)?;
        match exchange.look_for(&credential) {
            Key::Ask(hashes) => Ok(Step::Need(Need::Session { hashes })),
            Key::Unknown => Err(Failure::OauthUnknown),
            Key::Known(known) => {
                let api = &exchange.api.definition.api_id;
                let of_client = known
                    .session
                    .as_ref()
                    .is_some_and(|session| session.oauth_apis.contains(api));
                if !of_client {
                    return Err(Failure::OauthClientUnknown);
                }
                exchange.identify(Identity {
                    method: Method::Oauth,
                    credential,
                    known,
                    client: None,
                });
                Ok(Step::Next)
            }
        }
    }

    /// The credential in a request: a scheme and a token; anything after them is ignored.
    fn credential(&self, exchange: &Exchange) -> Result<Credential, Failure> {
        if let Some(hash) = &exchange.request.sent_as {
            return Ok(Credential::Hash(hash.clone()));
        }
        let sent = exchange.sent_carrier(|carrier| self.source.search(carrier));
        let sent = sent.map(|(_, text)| text).unwrap_or_default();
        // Only the first of repeated headers counts; the runtime joins them.
        let sent = sent.split(", ").next().unwrap_or_default();
        let mut words = sent.split(' ');
        let (Some(scheme), Some(token)) = (words.next(), words.next()) else {
            return Err(Failure::OauthMissing);
        };
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Failure::OauthMalformed);
        }
        Ok(Credential::Token(token.to_owned()))
    }
}
