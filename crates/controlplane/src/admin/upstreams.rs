//! The upstreams of an API: where its requests go, which breakers are open, and the results of its uptime tests (beyond
//! the specification).

use super::replies::{error_of, unexpected};
use crate::error::Error;
use crate::ports::{Platform, UpstreamFacts};
use gatewright_api::message;
use gatewright_api::upstreams::{
    BreakerHealth, BreakerState, DiscoveredTargets, HostState, ListState, UpstreamHealth,
    UpstreamTarget, UptimeHealth,
};
use gatewright_model::json::{self, Value};
use gatewright_protocol::discovery::Discovery;
use gatewright_protocol::http::Response;
use gatewright_protocol::registry::{Command, Reply};
use gatewright_protocol::target::{host_of, without_user};
use gatewright_protocol::time::millis;

/// `GET /gateway/health/upstreams/{apiID}`: for the definition that is served, or else the stored one.
pub(super) async fn health<P: Platform>(platform: &P, id: &str) -> Result<Response, Error> {
    let facts = platform.upstreams(id).await?;
    let command = match facts.breakers {
        Some(_) => Command::ReadPublished { id: id.to_owned() },
        None => Command::Read { id: id.to_owned() },
    };
    let (reply, text) = platform.call(&command, "").await?;
    match reply {
        Reply::Document { .. } => {}
        // An object that somebody put into KV directly is no document either.
        Reply::Refused(_) => {
            return Err(Error::refused(404, message::HEALTH_API_NOT_FOUND));
        }
        reply => return Err(error_of(reply)),
    }
    let definition = json::parse(&text).map_err(|_| unexpected())?;
    let uptime = serde_json::from_str(&facts.uptime).map_err(|_| unexpected())?;
    let mut health = UpstreamHealth {
        api_id: id.to_owned(),
        at: millis(&platform.now()).unwrap_or_default() / 1000,
        uptime,
        ..UpstreamHealth::default()
    };
    describe(&mut health, &definition, &facts);
    remove_users(&mut health);
    Ok(Response::json(200, &health))
}

/// Combines the definition of an API with what other components know about its upstreams.
fn describe(health: &mut UpstreamHealth, definition: &Value<'_>, facts: &UpstreamFacts) {
    let Some(proxy) = definition.get("proxy") else {
        return;
    };
    let is_on = |value: &Value<'_>, name: &str| value.bool(name) == Some(true);
    health.load_balancing = is_on(proxy, "enable_load_balancing");
    const SKIPS: &str = "check_host_against_uptime_tests";
    health.skips_down = health.load_balancing && (is_on(proxy, SKIPS) || is_on(definition, SKIPS));
    let discovery = Discovery::read(proxy.get("service_discovery"));
    health.discovery = discovery.map(|discovery| discovered(&discovery, &facts.list));
    let Some(breakers) = &facts.breakers else {
        return;
    };
    health.loaded = true;
    let (of, lines) = breakers.split_once('\n').unwrap_or((breakers, ""));
    of.clone_into(&mut health.breakers_of);
    health.breakers = lines.lines().filter_map(breaker).collect();
    let named = health.discovery.as_ref().map(|found| found.targets.clone());
    let listed = proxy.get("target_list").filter(|_| health.load_balancing);
    let listed = listed.map(Value::items).unwrap_or_default().iter();
    let listed: Vec<String> = listed
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let own = proxy.str("target_url").map(str::to_owned);
    let candidates = [named.unwrap_or_default(), listed, own.into_iter().collect()];
    let urls = candidates.into_iter().find(|urls| !urls.is_empty());
    for url in urls.unwrap_or_default() {
        match health.targets.iter_mut().find(|target| target.url == url) {
            Some(target) => target.weight = target.weight.saturating_add(1),
            None => health.targets.push(target(url, &health.uptime)),
        }
    }
}

/// Removes user names and passwords from the addresses: this takes the right to read figures, not definitions.
fn remove_users(health: &mut UpstreamHealth) {
    let targets = health.targets.iter_mut().map(|target| &mut target.url);
    let tests = health.uptime.tests.iter_mut().map(|test| &mut test.url);
    let discovery = health.discovery.iter_mut();
    let listed = discovery.flat_map(|of| of.targets.iter_mut().chain([&mut of.endpoint]));
    for url in targets.chain(tests).chain(listed) {
        *url = without_user(url);
    }
}

fn target(url: String, uptime: &UptimeHealth) -> UpstreamTarget {
    let host = host_of(&url);
    let mut target = UpstreamTarget {
        url,
        weight: 1,
        ..UpstreamTarget::default()
    };
    for test in uptime.tests.iter().filter(|test| test.host == host) {
        let is_worse = match (target.state, test.state) {
            (_, HostState::Untested) | (HostState::Down, _) => false,
            (HostState::Untested, _) | (_, HostState::Down) => true,
            _ => false,
        };
        if is_worse {
            (target.state, target.since) = (test.state, test.since);
        }
    }
    target.host = host;
    target
}

fn discovered(discovery: &Discovery, list: &str) -> DiscoveredTargets {
    let (head, text) = list.split_once('\n').unwrap_or((list, ""));
    let (at, error) = head.split_once(' ').unwrap_or((head, ""));
    let at = at.parse::<u64>().ok().filter(|at| *at > 0);
    let targets = discovery.addresses(text);
    DiscoveredTargets {
        endpoint: discovery.endpoint.clone(),
        state: match (targets.is_empty(), error.is_empty(), at) {
            (true, true, None) => ListState::Unused,
            (true, ..) => ListState::Failed,
            (false, true, _) => ListState::Fresh,
            (false, false, _) => ListState::Stale,
        },
        fetched_at: at.map(|at| at / 1000),
        targets,
        error: error.to_owned(),
    }
}

/// Parses a line of [`UpstreamFacts::breakers`].
fn breaker(line: &str) -> Option<BreakerHealth> {
    let mut parts = line.splitn(8, ' ');
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (requests, failures, until) = (number()?, number()?, number()?);
    let (tries, samples, threshold) = (number()? == 1, number()?, number()?);
    #[expect(
        clippy::cast_precision_loss,
        reason = "a part of requests, in millionths"
    )]
    let threshold_percent = threshold as f64 / 1e6;
    Some(BreakerHealth {
        method: parts.next()?.to_owned(),
        path: parts.next()?.to_owned(),
        state: match (until, tries) {
            (0, _) => BreakerState::Closed,
            (_, false) => BreakerState::Open,
            (_, true) => BreakerState::HalfOpen,
        },
        until: (until > 0).then_some(until / 1000),
        requests,
        failures,
        samples,
        threshold_percent,
    })
}
