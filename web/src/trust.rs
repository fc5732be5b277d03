//! Starts the Gatewright console in the browser, with the pages about authentication.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Trust, app::trust::page);
}
