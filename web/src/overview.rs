//! Starts the Gatewright console in the browser, with the pages about what is served.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Overview, app::overview::page);
}
