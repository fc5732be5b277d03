//! Makes documents of OpenAPI APIs as the administration does.

use gatewright_model::json::{edit, laid_out, parse, quote};
use gatewright_model::openapi::administered::{self, EXTENSION, Parameters};
use gatewright_model::openapi::{Import, Options, stored};

/// Turns a plain OpenAPI document into that of an OpenAPI API, as the gateway's own import does; the chosen options
/// take precedence over the document. If it has an extension already, that is kept.
///
/// # Errors
/// A sentence that says why it can't be done.
pub(super) fn imported(
    text: &str,
    options: &Options,
    open: bool,
    import: &Import,
) -> Result<String, String> {
    let asks = !import.summary.schemes.is_empty() && !open;
    let parameters = Parameters {
        allow_list: options.allow_list.then_some(true),
        validate_request: options.validate_requests.then_some(true),
        mock_response: options.mock_responses.then_some(true),
        authentication: asks.then_some(true),
        ..Parameters::default()
    };
    let has_extension = parse(text).is_ok_and(|value| stored::extension(&value).is_some());
    let made = match has_extension {
        true => administered::patched(
            text,
            text,
            &Parameters {
                authentication: None,
                ..parameters
            },
        ),
        false => administered::imported(text, &parameters),
    };
    let mut made = made.map_err(|administered::DocumentError(message)| message)?;
    // The texts are used as typed, even if incomplete: checking them is left to the document's validation.
    let definition = parse(&import.definition).ok();
    let of_definition = |pointer: &str| {
        let value = definition.as_ref()?.pointer(pointer)?.as_str()?;
        (!value.is_empty() && !has_extension).then(|| value.to_owned())
    };
    let listen_path = options
        .listen_path
        .clone()
        .or_else(|| of_definition("/proxy/listen_path"));
    let upstream = options
        .upstream_url
        .clone()
        .or_else(|| of_definition("/proxy/target_url"));
    let id = options.api_id.clone().filter(|id| !id.is_empty());
    let name = parse(&made)
        .ok()
        .and_then(|value| Some(stored::extension(&value)?.0))
        .unwrap_or(EXTENSION);
    for (pointer, chosen) in [
        ("/info/id", id),
        ("/info/name", options.name.clone()),
        ("/server/listenPath/value", listen_path),
        ("/upstream/url", upstream),
        ("/server/customDomain/name", options.domain.clone()),
    ] {
        let Some(chosen) = chosen else { continue };
        let pointer = format!("/{name}{pointer}");
        made = edit::set(&made, &pointer, &quote(&chosen)).map_err(|error| error.to_string())?;
    }
    Ok(laid_out(&made).unwrap_or(made))
}
