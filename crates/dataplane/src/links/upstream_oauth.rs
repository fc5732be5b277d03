//! Part of link 25: authenticates the gateway to the upstream with a token (`upstream_auth.oauth`; RFC 6749
//! sections 4.3 and 4.4).
//!
//! The issuer is called by the API's object that caches tokens, once for all isolates; an isolate uses a token until
//! shortly before it expires, or until it does if no other can be obtained. It replaces whatever the client or a rule
//! has put into that header.

use super::servers::{self, Call};
use crate::chain::{Compiler, Middleware, Step};
use crate::exchange::Exchange;
use crate::failure::Failure;
use crate::links::upstream_auth::header_name;
use crate::upstreams::{Answer, Fetched, Lifetime};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use gatewright_model::json::{Value, parse};
use gatewright_model::text::percent::encode_query;
use std::rc::Rc;

/// The lifetime of a token that states none, in seconds.
const SECONDS: u64 = 300;
/// How long before its expiry a token is renewed at the earliest, in milliseconds.
const MARGIN_MS: u64 = 30_000;

/// How a token is requested, and where it is sent.
pub struct UpstreamOauth {
    flow: &'static str,
    url: String,
    /// The body of the token request, and the value of its `Authorization`; empty for none.
    form: String,
    authorization: String,
    /// The header that carries the token.
    header: String,
    /// Members of the response that become variables.
    metadata: Vec<String>,
}

impl std::fmt::Debug for UpstreamOauth {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("UpstreamOauth(…)")
    }
}

fn texts(value: Option<&Value<'_>>) -> Vec<String> {
    let items = value.map(Value::items).unwrap_or_default().iter();
    items.filter_map(Value::as_str).map(str::to_owned).collect()
}

impl Middleware for UpstreamOauth {
    fn compile(from: &mut Compiler<'_>) -> Option<Self> {
        let auth = from.definition.get("upstream_auth")?;
        let oauth = auth.get("oauth")?;
        let is_on = |value: &Value<'_>| value.bool("enabled") == Some(true);
        if !is_on(auth) || !is_on(oauth) {
            return None;
        }
        let named = texts(oauth.get("allowed_authorize_types"));
        let (member, flow, grant) = match named.first().map(String::as_str) {
            Some("password") => ("password", "password", "password"),
            _ => (
                "client_credentials",
                "clientCredentials",
                "client_credentials",
            ),
        };
        let settings = oauth.get(member)?;
        let text = |name: &str| settings.str(name).unwrap_or_default();
        let (client, secret) = (text("client_id"), text("client_secret"));
        let mut form = format!("grant_type={grant}");
        let mut put = |name: &str, value: &str| {
            if !value.is_empty() {
                form.push_str(&format!("&{name}={}", encode_query(value)));
            }
        };
        put("scope", &texts(settings.get("scopes")).join(" "));
        if member == "password" {
            put("username", text("username"));
            put("password", text("password"));
        }
        let mut authorization = String::new();
        // A client without a secret has nothing to authenticate with (RFC 6749 section 3.2.1).
        if text("method") == "client_secret_post" || secret.is_empty() {
            put("client_id", client);
            put("client_secret", secret);
        } else {
            // RFC 6749 section 2.3.1.
            let pair = format!("{}:{}", encode_query(client), encode_query(secret));
            authorization = format!("Basic {}", BASE64_STANDARD.encode(pair));
        }
        from.origin(format!("/upstream_auth/oauth/{member}"), flow);
        Some(Self {
            flow,
            url: text("token_url").to_owned(),
            form,
            authorization,
            header: header_name(settings.get("header")),
            metadata: texts(settings.get("extra_metadata")),
        })
    }

    fn request(&self, exchange: &mut Exchange) -> Step {
        let call = Call {
            kind: "token",
            url: &self.url,
            form: Some((self.form.as_str(), self.authorization.as_str())),
            always: false,
        };
        let token = match servers::ask(exchange, &call, &|fetched| self.read(fetched)) {
            Ok(token) => token,
            Err(step) => return step,
        };
        let Some(Answer::Token { value, variables }) = token.as_deref() else {
            return Step::Reply(Failure::UpstreamToken.into());
        };
        for (name, value) in variables {
            exchange.triggers.set(name.clone(), value.clone());
        }
        exchange.upstream_credential = Some(Rc::new((self.header.clone(), value.clone())));
        exchange.note(|| {
            format!(
                "the upstream gets a token of {} in {}",
                self.flow, self.header
            )
        });
        Step::Next
    }
}

impl UpstreamOauth {
    /// Reads the token from a response (RFC 6749 section 5.1), and its lifetime.
    fn read(&self, fetched: Fetched<'_>) -> Option<(Answer, Lifetime)> {
        let answer = parse(fetched.text).ok()?;
        let token = answer.str("access_token")?.trim();
        if token.is_empty() || token.contains(|letter: char| letter.is_ascii_control()) {
            return None;
        }
        let seconds = answer.get("expires_in");
        // Some servers write the number as a string.
        let seconds = seconds.and_then(|value| match value.as_str() {
            Some(text) => text.trim().parse::<u64>().ok(),
            None => value.as_int().and_then(|number| u64::try_from(number).ok()),
        });
        let holds = seconds.unwrap_or(SECONDS).saturating_mul(1000);
        let ends = fetched.at.saturating_add(holds);
        let margin = (holds / 10).min(MARGIN_MS);
        let variable = |name: &String| {
            let value = answer.get(name)?;
            let text = value.as_str();
            let text = text.unwrap_or_else(|| value.span.of(fetched.text));
            (!text.is_empty()).then(|| (name.clone(), text.to_owned()))
        };
        let token = Answer::Token {
            value: format!("Bearer {token}"),
            variables: self.metadata.iter().filter_map(variable).collect(),
        };
        let lifetime = Lifetime {
            at: fetched.at,
            fresh: ends.saturating_sub(margin),
            ends,
        };
        Some((token, lifetime))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::Need;
    use crate::chain::{Chain, Settings};
    use crate::exchange::Route;
    use crate::failure::Reply;
    use crate::testing::{NOW_MS, chain, exchange, request};

    const CLIENT: &str = r#""allowed_authorize_types":["clientCredentials"],"client_credentials":{"client_id":"me:1","client_secret":"s c","token_url":"https://idp/token""#;

    fn oauth(members: &str) -> Rc<Chain> {
        let text = format!(
            r#"{{"enable_context_vars":true,"upstream_auth":{{"enabled":true,"oauth":{{"enabled":true,{members}}}}}}}"#
        );
        chain(&text, &Settings::default())
    }

    fn begin(chain: &Rc<Chain>, before: Option<&Exchange>) -> Exchange {
        let mut exchange = exchange(
            request("GET", "/", &[("Authorization", "mine")]),
            Route::default(),
            Rc::clone(chain),
        );
        if let Some(before) = before {
            exchange.isolate = Rc::clone(&before.isolate);
        }
        exchange
    }

    /// The messages sent, and the final step.
    fn run(exchange: &mut Exchange, answers: &[Option<&str>]) -> (Vec<String>, Step) {
        let chain = Rc::clone(&exchange.chain);
        let mut asked = Vec::new();
        let link = chain
            .links
            .iter()
            .find(|link| link.name() == "upstream_oauth")
            .unwrap();
        let mut step = link.request(exchange);
        while let Step::Need(Need::Upstreams(message)) = step {
            let answer = answers.get(asked.len()).copied().flatten();
            exchange.upstreams_answer = Some(answer.map(str::to_owned));
            asked.push(message);
            step = link.request(exchange);
        }
        (asked, step)
    }

    fn answer(age_ms: u64, how: &str, token: &str) -> String {
        let at = NOW_MS.saturating_sub(age_ms);
        format!(
            r#"{at} {how}
{{"access_token":"{token}","token_type":"bearer","expires_in":100,"tenant":"t","level":3}}"#
        )
    }

    fn shown(exchange: &Exchange) -> Option<(String, String)> {
        exchange.upstream_credential.as_deref().cloned()
    }

    fn bearer(token: &str) -> Option<(String, String)> {
        Some(("authorization".to_owned(), format!("Bearer {token}")))
    }

    #[test]
    fn token_request_follows_the_flow() {
        let body = |members: &str| run(&mut begin(&oauth(members), None), &[]).0.remove(0);
        let basic = body(&format!(r#"{CLIENT},"scopes":["a","b c"]}}"#));
        let pair = BASE64_STANDARD.encode("me%3A1:s+c");
        let expected = format!(
            r#"{{"url":"https://idp/token","form":"grant_type=client_credentials&scope=a+b+c","authorization":"Basic {pair}"}}"#
        );
        assert_eq!(basic.split_once('\n').unwrap().1, expected);
        let posted = body(&format!(r#"{CLIENT},"method":"client_secret_post"}}"#));
        assert!(posted.ends_with(r#""form":"grant_type=client_credentials&client_id=me%3A1&client_secret=s+c","authorization":""}"#));
        let password = body(
            r#""allowed_authorize_types":["password"],"password":{"client_id":"c","username":"u&","password":"p","token_url":"https://idp/t"}"#,
        );
        assert!(password.ends_with(r#""form":"grant_type=password&username=u%26&password=p&client_id=c","authorization":""}"#));
    }

    #[test]
    fn a_token_is_used_until_shortly_before_its_end() {
        let chain = oauth(&format!(r#"{CLIENT}}}"#));
        let mut first = begin(&chain, None);
        let (asked, step) = run(&mut first, &[Some(&answer(0, "new", "one"))]);
        assert_eq!(
            (asked.len(), step, shown(&first)),
            (1, Step::Next, bearer("one"))
        );
        let mut second = begin(&chain, Some(&first));
        let (asked, step) = run(&mut second, &[]);
        assert_eq!(
            (asked.len(), step, shown(&second)),
            (0, Step::Next, bearer("one"))
        );
        // A cached token that expires soon is not used; a new one is.
        let mut third = begin(&chain, None);
        let (old, new) = (answer(90_000, "kept", "old"), answer(0, "new", "two"));
        let (asked, _) = run(&mut third, &[Some(&old), Some(&new)]);
        assert!(asked[1].starts_with(&format!("fetch token 0 {} ", NOW_MS - 90_000)));
        assert_eq!(shown(&third), bearer("two"));
        // There is no new one, and the old one is still valid for a while.
        let mut fourth = begin(&chain, None);
        let (_, step) = run(
            &mut fourth,
            &[Some(&answer(95_000, "old status 500", "old"))],
        );
        assert_eq!((step, shown(&fourth)), (Step::Next, bearer("old")));
    }

    #[test]
    fn without_a_token_the_request_is_refused() {
        let chain = oauth(&format!(r#"{CLIENT}}}"#));
        for refused in [
            None,
            Some("0 old status 401\n"),
            Some("5 new\n{}"),
            Some("5 new\nnothing"),
            Some(&*answer(0, "new", "")),
            Some(&*answer(0, "new", r"a\nb")),
            Some(&*answer(100_000, "old status 500", "ended")),
        ] {
            let mut exchange = begin(&chain, None);
            let (_, step) = run(&mut exchange, &[refused]);
            let expected = Step::Reply(Reply::from(Failure::UpstreamToken));
            assert_eq!((step, shown(&exchange)), (expected, None), "{refused:?}");
        }
    }

    #[test]
    fn members_of_the_answer_become_variables() {
        let chain = oauth(&format!(
            r#"{CLIENT},"extra_metadata":["tenant","level","none"],"header":{{"enabled":true,"name":"X-Token"}}}}"#
        ));
        let mut exchange = begin(&chain, None);
        run(&mut exchange, &[Some(&answer(0, "new", "one"))]);
        let expected = ("x-token".to_owned(), "Bearer one".to_owned());
        assert_eq!(shown(&exchange), Some(expected));
        let template = gatewright_protocol::variables::Template::parse(
            "$gateway_context.tenant/$gateway_context.level/$gateway_context.none",
        );
        let filled = exchange.fill(&template, gatewright_protocol::variables::Escape::None);
        assert_eq!(filled, "t/3/");
        assert_eq!(format!("{:?}", chain.links).matches("s c").count(), 0);
    }

    #[test]
    fn disabled_unless_both_switches_are_on() {
        for (outer, inner) in [(false, true), (true, false)] {
            let text = format!(
                r#"{{"upstream_auth":{{"enabled":{outer},"oauth":{{"enabled":{inner},{CLIENT}}}}}}}}}"#
            );
            let chain = chain(&text, &Settings::default());
            assert!(
                !chain
                    .links
                    .iter()
                    .any(|link| link.name() == "upstream_oauth")
            );
        }
    }
}
