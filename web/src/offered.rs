//! Starts the Gatewright console in the browser, with the other pages of OpenAPI APIs and MCP proxies: versions, catalogues,
//! documents as YAML.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Offered, app::offered::page);
}
