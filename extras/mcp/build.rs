//! A bound on the memory of the module: what asks for more traps, and gets a fresh instance next time.

fn main() {
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if target == "wasm32" {
        println!("cargo::rustc-cdylib-link-arg=--max-memory=67108864");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
