//! Exports, and the writes of bulk actions, which are plain values.

use gloo_net::http::Method;
use js_sys::{Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::ReadableStreamDefaultReader;

use super::{Api, ApiError, Call};
use crate::state::bulk::{Guard, Write};

impl Api {
    /// Sends a write and returns the entity tag of what is stored afterwards.
    ///
    /// # Errors
    /// [`ApiError::Stale`] if its guard does not hold; otherwise as for every call.
    pub async fn carry_out(self, write: &Write) -> Result<String, ApiError> {
        let method = match write.method {
            "PUT" => Method::PUT,
            "DELETE" => Method::DELETE,
            _ => Method::POST,
        };
        let call = Call::new(method, write.path.clone());
        let call = match &write.guard {
            Guard::Stored(etag) => call.header("If-Match", etag),
            Guard::Nothing => call.header("If-None-Match", "*"),
        };
        let call = match &write.body {
            Some(body) => call.json(body),
            None => call,
        };
        Ok(self.send(call).await?.etag)
    }

    /// Reads an export without counters, line by line as it arrives. Secrets are sealed with the passphrase, or left
    /// out if it is empty.
    ///
    /// # Errors
    /// [`ApiError::Unreachable`] if the stream breaks off; otherwise as for every call.
    pub async fn export(
        self,
        passphrase: &str,
        mut line: impl FnMut(String),
    ) -> Result<(), ApiError> {
        let mut call = Call::get("/gateway/export?counters=false");
        if !passphrase.is_empty() {
            call = call.header("X-Gateway-Passphrase", passphrase);
        }
        let (response, _abort) = self.open(call).await?;
        let body = response.body().ok_or(ApiError::Unreachable)?;
        let body: ReadableStreamDefaultReader = body.get_reader().unchecked_into();
        let mut rest = Vec::new();
        while let Some(bytes) = next(&body).await? {
            let mut parts = bytes.split(|byte| *byte == b'\n');
            rest.extend_from_slice(parts.next().unwrap_or_default());
            for part in parts {
                let complete = std::mem::replace(&mut rest, part.to_vec());
                line(String::from_utf8(complete).map_err(|_| ApiError::Unreachable)?);
            }
        }
        Ok(())
    }
}

/// Returns the next bytes of a stream, or `None` at its end.
async fn next(body: &ReadableStreamDefaultReader) -> Result<Option<Vec<u8>>, ApiError> {
    let chunk = JsFuture::from(body.read()).await;
    let chunk = chunk.map_err(|_| ApiError::Unreachable)?;
    let bytes = Reflect::get(&chunk, &"value".into()).map_err(|_| ApiError::Unreachable)?;
    Ok((!bytes.is_undefined()).then(|| Uint8Array::new(&bytes).to_vec()))
}
