//! Starts the Gatewright console in the browser, with the pages about what OpenAPI APIs and MCP proxies
//! offer, and of their documents as YAML.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Offered, app::offered::page);
}
