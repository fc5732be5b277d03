//! A limit on the module's memory: exceeding it traps, and the next call gets a fresh instance.

fn main() {
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if target == "wasm32" {
        println!("cargo::rustc-cdylib-link-arg=--max-memory=67108864");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
