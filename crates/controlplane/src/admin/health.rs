//! Liveness and readiness in the shape that probes for this family expect (reference 1.1).

use crate::error::Error;
use crate::ports::Platform;
use gatewright_api::SPECIFICATION_VERSION;
use gatewright_api::message::NOT_LOADED;
use gatewright_api::shape::{ComponentHealth, Health};
use gatewright_protocol::http::Response;
use std::collections::BTreeMap;

const DESCRIPTION: &str = "Gatewright GW";

/// Reports the components. The status is always 200; the body says `warn` if some component fails, `fail` if all do.
pub(super) async fn hello<P: Platform>(platform: &P) -> Response {
    let (status, details) = components(platform).await;
    Response::json(200, &body(status, DESCRIPTION, details))
}

/// Responds 200 once this isolate has a set of APIs to serve and its storage responds.
pub(super) async fn ready<P: Platform>(platform: &P) -> Result<Response, Error> {
    let (status, details) = components(platform).await;
    if !platform.loaded() {
        return Err(Error::refused(503, NOT_LOADED));
    }
    if status != "pass" {
        return Err(Error::refused(503, "Storage is not available"));
    }
    Ok(Response::json(
        200,
        &body(status, "Gatewright GW Ready", details),
    ))
}

fn body(status: &str, description: &str, details: BTreeMap<String, ComponentHealth>) -> Health {
    Health {
        status: status.to_owned(),
        version: format!("v{SPECIFICATION_VERSION}"),
        gatewright_version: concat!("v", env!("CARGO_PKG_VERSION")).to_owned(),
        description: description.to_owned(),
        details,
    }
}

async fn components<P: Platform>(
    platform: &P,
) -> (&'static str, BTreeMap<String, ComponentHealth>) {
    let components = platform.components().await;
    let failing = components
        .iter()
        .filter(|component| component.failure.is_some())
        .count();
    let status = match failing {
        0 => "pass",
        some if some < components.len() => "warn",
        _ => "fail",
    };
    let now = platform.now();
    let mut details = BTreeMap::new();
    for component in components {
        let status = match component.failure {
            Some(_) => "fail",
            None => "pass",
        };
        let health = ComponentHealth {
            status: status.to_owned(),
            component_type: "datastore".to_owned(),
            time: now.clone(),
        };
        details.insert(component.name.to_owned(), health);
    }
    (status, details)
}
