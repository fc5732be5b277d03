//! Files: reading those that the user chooses or drops, and saving texts as files.

use js_sys::{Array, Uint8Array};
use leptos::prelude::document;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, File, HtmlAnchorElement, Url};

use super::clock::bytes;
use super::import::{MAX_BYTES, Source};

/// Reads a file as a document to import.
///
/// # Errors
/// A sentence about a file that is too large or can't be read.
pub async fn read(file: File) -> Result<Source, String> {
    let name = file.name();
    // The size is a whole number below 2^53 (File API section 3.1).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates"
    )]
    let size = file.size() as u64;
    if size > MAX_BYTES as u64 {
        return Err(too_large(&name, size));
    }
    let text = JsFuture::from(file.text()).await.ok();
    match text.and_then(|text| text.as_string()) {
        Some(text) => Ok(Source::new(&text, &name, None)),
        None => Err(format!(
            "{name} can't be read. Is it a file, and is it still there?"
        )),
    }
}

/// Reads a file of at most `most` bytes.
///
/// # Errors
/// A sentence about a file that is too large or can't be read.
pub async fn contents(file: &File, most: u64) -> Result<Vec<u8>, String> {
    let name = file.name();
    // The size is a whole number below 2^53 (File API section 3.1).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "`as` saturates"
    )]
    let size = file.size() as u64;
    if size > most {
        return Err(format!(
            "{name} has {}; the limit is {}.",
            bytes(size),
            bytes(most)
        ));
    }
    let buffer = JsFuture::from(file.array_buffer()).await;
    let buffer = buffer
        .map_err(|_| format!("{name} can't be read. Is it a file, and is it still there?"))?;
    Ok(Uint8Array::new(&buffer).to_vec())
}

/// Returns the message about a document that is too long; the limit is the model's.
#[must_use]
pub fn too_large(name: &str, size: u64) -> String {
    let name = if name.is_empty() {
        "The document"
    } else {
        name
    };
    format!(
        "{name} has {}; the limit is {} ({MAX_BYTES} bytes). Leave out what the gateway doesn't need, such as examples.",
        bytes(size),
        bytes(MAX_BYTES as u64),
    )
}

/// Offers a text to the user as a download; returns whether the browser accepted it.
#[must_use]
pub fn save(name: &str, media: &str, text: &str) -> bool {
    let put = || -> Result<(), JsValue> {
        let options = BlobPropertyBag::new();
        options.set_type(media);
        let parts = Array::of1(&JsValue::from_str(text));
        let blob = Blob::new_with_str_sequence_and_options(&parts, &options)?;
        let url = Url::create_object_url_with_blob(&blob)?;
        let link = document()
            .create_element("a")?
            .unchecked_into::<HtmlAnchorElement>();
        link.set_href(&url);
        link.set_download(name);
        link.click();
        // The download keeps its own reference to the blob.
        Url::revoke_object_url(&url)
    };
    put().is_ok()
}
