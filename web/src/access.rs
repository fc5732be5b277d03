//! Starts the Gatewright console in the browser, with the pages about who may use APIs.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Access, app::access::page);
}
