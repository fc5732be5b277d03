//! Starts the Gatewright console in the browser, with the pages that send many requests at once and those of what is behind them.

use gatewright_web::{app, routes};

fn main() {
    gatewright_web::start(routes::Area::Traffic, app::traffic::page);
}
