//! Starts the Gatewright console in the browser, with the pages of the dashboard API's documents.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Documents, app::documents::page);
}
