//! A limit on the module's memory: a document of 16 MB takes most of it.

fn main() {
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    if target == "wasm32" {
        println!("cargo::rustc-cdylib-link-arg=--max-memory=402653184");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
