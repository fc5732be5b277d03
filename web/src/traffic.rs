//! Starts the Gatewright console in the browser, with the reload, the batches, and what is between an API and its upstreams.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Traffic, app::traffic::page);
}
