//! Starts the Gatewright console in the browser.

fn main() {
    gatewright_web::start();
}
