//! Link 14: user names with passwords, and HTTP signatures. Their rules are in the extra `auth`
//! (`extras/auth/src/basic.rs`, `signatures/`); this module adds what else they read of a request.

use super::proofs::Proof;
use crate::chain::{Compiler, Middleware, Need, Step};
use crate::exchange::{Body, Exchange};
use crate::facts::push_object;
use crate::failure::{Failure, Reply};
use crate::identity::Method;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::{Value, quote};
use gatewright_protocol::strangers::network;

/// Basic authentication.
#[derive(Debug)]
pub struct Basic {
    proof: Proof,
    /// Whether both may be in the body.
    reads_body: bool,
}

impl Middleware for Basic {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let body = from.definition.pointer("/basic_auth/extract_from_body");
        let reads_body = body.and_then(Value::as_bool) == Some(true);
        let proof = Proof::compile(from, Method::Basic, &["basic_auth"])?;
        Some(Self { proof, reads_body })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        if self.reads_body
            && !exchange.ignored
            && let Some(step) = unread(exchange)
        {
            return step;
        }
        self.proof.prove(exchange, |exchange| {
            let network = network(exchange.counted_address());
            let mut facts = format!(",\"network\":{}", quote(&network));
            if let (Body::Read(body), true) = (&exchange.body, self.reads_body) {
                facts.push_str(",\"body\":");
                facts.push_str(&quote(&String::from_utf8_lossy(body)));
            }
            facts
        })
    }
}

/// The step needed before the body of a request is available.
fn unread(exchange: &Exchange) -> Option<Step> {
    match &exchange.body {
        Body::Streamed => {
            let max = exchange.chain.settings.max_body_bytes;
            Some(Step::Need(Need::Body { max }))
        }
        Body::TooLarge => Some(Step::Reply(Reply::from(Failure::BodyOverLimit))),
        Body::Read(_) => None,
    }
}

/// Authentication by request signature.
#[derive(Debug)]
pub struct Signatures(Proof);

/// The header with a digest of the body (RFC 9530).
const DIGEST: &str = "content-digest";

/// The maximum number of words in a signature's description that are looked up as headers.
const WORDS: usize = 64;

impl Middleware for Signatures {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let members = ["hmac_allowed_algorithms", "hmac_allowed_clock_skew"];
        Proof::compile(from, Method::Hmac, &members).map(Self)
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let sent = self.0.sent(exchange);
        let described = described(exchange, sent.as_deref());
        let signs_body =
            described.contains(DIGEST) && exchange.request.headers.get(DIGEST).is_some();
        if signs_body
            && !exchange.ignored
            && let Some(step) = unread(exchange)
        {
            return step;
        }
        self.0
            .prove(exchange, |exchange| facts(exchange, &described))
    }
}

/// The description of a signature, in lower case: its words include the names of the signed headers.
fn described(exchange: &Exchange, sent: Option<&str>) -> String {
    let headers = &exchange.request.headers;
    let input = headers.get("signature-input").unwrap_or_default();
    format!("{} {input}", sent.unwrap_or_default()).to_ascii_lowercase()
}

/// What may have been signed (the headers whose names are words of the description), and whether the key may sign.
fn facts(exchange: &Exchange, described: &str) -> String {
    let request = &exchange.request;
    let mut facts = String::new();
    for (name, value) in [
        ("method", request.method.as_str()),
        ("scheme", request.scheme),
        ("authority", &request.authority),
        ("path", request.path.sent()),
        ("query", &request.query),
    ] {
        let is_there = name != "query" || request.has_bare_query || !value.is_empty();
        if is_there {
            facts.push_str(&format!(",\"{name}\":{}", quote(value)));
        }
    }
    let is_word =
        |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let mut names = vec!["date", "x-aux-date", "signature-input", "signature"];
    for word in described.split(|letter| !is_word(letter)).take(WORDS) {
        if !word.is_empty() && !names.contains(&word) {
            names.push(word);
        }
    }
    let headers = names.iter().filter_map(|name| {
        let value = request.headers.get(name)?;
        Some((*name, quote(&value)))
    });
    facts.push_str(",\"headers\":");
    push_object(&mut facts, headers);
    if let (Body::Read(body), true) = (&exchange.body, names.contains(&DIGEST)) {
        let body = BASE64_STANDARD.encode(body);
        facts.push_str(&format!(",\"body\":\"{body}\""));
    }
    // The flags with the policies applied; the secret is read from the stored session.
    let found = exchange.found.as_ref();
    if let Some(session) = found.and_then(|(_, known)| known.session.as_ref()) {
        facts.push_str(&format!(
            ",\"hmac_enabled\":{},\"enable_http_signature_validation\":{}",
            session.hmac_enabled, session.enable_http_signature_validation
        ));
    }
    facts
}

#[cfg(test)]
mod tests {
    use crate::chain::{Need, Settings, Step};
    use crate::exchange::Route;
    use crate::testing::{chain, exchange, request};
    use gatewright_model::json::parse;

    #[test]
    fn wrong_passwords_count_against_the_network_of_an_address() {
        let definition = r#"{"use_basic_auth":true}"#;
        let chain = chain(definition, &Settings::default());
        for (address, network) in [
            ("192.0.2.7", "192.0.2.7"),
            ("2001:db8:1:2:3::4", "2001:db8:1:2::"),
            ("2001:db8:1:2:9::9", "2001:db8:1:2::"),
        ] {
            let sent = [("Authorization", "Basic YW5uYTpzZWNyZXQ=")];
            let mut request = request("GET", "/", &sent);
            request.connection_address = address.into();
            let mut exchange = exchange(request, Route::default(), chain.clone());
            let mut links = chain.links.iter();
            let basic = links.find(|link| link.name() == "basic_auth").unwrap();
            let Step::Need(Need::Proof(call)) = basic.request(&mut exchange) else {
                unreachable!("a password is proved");
            };
            let facts = parse(&call.facts).unwrap();
            assert_eq!(facts.str("network"), Some(network));
        }
    }
}
