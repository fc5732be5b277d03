//! Starts the Gatewright console in the browser, with the overview and the page that tries an API.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Overview, app::overview::page);
}
