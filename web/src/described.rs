//! Starts the Gatewright console in the browser, with the pages of OpenAPI APIs and MCP proxies.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Described, app::described::page);
}
