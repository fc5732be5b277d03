//! Starts the Gatewright console in the browser, with the reload, batches, and the cache and the upstreams of an API.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Traffic, app::traffic::page);
}
