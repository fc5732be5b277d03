//! Starts the Gatewright console in the browser, with the pages of the administration API.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Gateway, app::gateway::page);
}
