//! Generates the JavaScript around a wasm module.

fn main() -> std::process::ExitCode {
    match wasm_bindgen_cli::wasm_bindgen::run_cli_with_args(std::env::args_os()) {
        Ok(()) => std::process::ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:?}");
            std::process::ExitCode::FAILURE
        }
    }
}
