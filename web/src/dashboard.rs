//! Starts the Gatewright console in the browser, with the pages of the dashboard API.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Dashboard, app::dashboard::page);
}
