//! Starts the Gatewright console in the browser, with the reference.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Reference, app::reference::page);
}
