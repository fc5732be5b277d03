//! Exports and imports as streams: neither body is ever completely in memory.

use crate::Visit;
use crate::isolate::Isolate;
use crate::platform::Edge;
use crate::requests::log;
use gatewright_api::endpoint::Operation;
use gatewright_controlplane::admin::{self, backup};
use gatewright_controlplane::error::Error;
use gatewright_controlplane::ports::Vault;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::http::{Request, Response};
use gatewright_worker_platform::{glue, respond};
use js_sys::{Object, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use worker::{Context, console_error};

/// Seals the secrets of an export, with a key of the platform's cryptography.
#[derive(Clone, Debug)]
pub(crate) struct KeyVault(JsValue);

impl KeyVault {
    /// Opens the gateway's own vault.
    pub(crate) async fn own(secret: &str) -> Result<Self, StoreError> {
        let key = glue::own_vault(secret, "secrets of OAuth clients").await;
        key.map(Self)
            .map_err(|error| StoreError::new("derive a key", glue::text(&error)))
    }

    /// Opens the vault for a passphrase and a salt.
    pub(crate) async fn open(passphrase: &str, salt: &str) -> Result<Self, StoreError> {
        let key = glue::open_vault(passphrase, salt).await;
        key.map(Self)
            .map_err(|error| StoreError::new("derive a key", glue::text(&error)))
    }
}

impl Vault for KeyVault {
    async fn seal(&self, name: &str, text: &str) -> Result<String, StoreError> {
        match glue::seal(&self.0, name, text).await {
            Ok(sealed) => Ok(sealed.as_string().unwrap_or_default()),
            Err(error) => Err(StoreError::new("seal", glue::text(&error))),
        }
    }

    async fn open(&self, name: &str, sealed: &str) -> Option<String> {
        glue::unseal(&self.0, name, sealed).await.as_string()
    }
}

/// Answers a request that [`backup::streams`]; `None` for any other.
pub(crate) async fn answer(
    visit: &Visit<'_>,
    context: JsValue,
    request: &Request,
) -> Option<Result<web_sys::Response, JsValue>> {
    let response = match backup::streams(&Edge { visit }, request)? {
        Operation::Export => export(visit, context, request.clone()).await,
        _ => import(visit, request).await,
    };
    Some(response)
}

/// Finishes a response that isn't streamed.
fn finish(
    request: &Request,
    answer: Result<Response, Error>,
) -> Result<web_sys::Response, JsValue> {
    let (response, error) = admin::settle(request, answer);
    if let Some(Error::Store(error)) = error {
        log(request, &error);
    }
    respond::administration(&response)
}

async fn export(
    visit: &Visit<'_>,
    context: JsValue,
    request: Request,
) -> Result<web_sys::Response, JsValue> {
    let mut export = match backup::Export::begin(&Edge { visit }, &request).await {
        Ok(export) => export,
        Err(error) => return finish(&request, Err(error)),
    };
    let (response, _) = admin::settle(&request, Ok(export.head()));
    let headers = respond::lines(&respond::pairs(&response));
    let opened = glue::open_body(response.status, &headers)?;
    let member = |name: &str| Reflect::get(&opened, &name.into());
    let (response, writer) = (member("response")?, member("writer")?);
    let writer: Object = writer.unchecked_into();
    let sent = AsRef::<JsValue>::as_ref(visit.request).clone();
    let (sent, env) = (sent.unchecked_into::<web_sys::Request>(), visit.env.clone());
    // It continues after this function has returned, as fast as the client reads.
    Context::new(context.clone().unchecked_into()).wait_until(async move {
        let line = glue::head(&sent);
        let (context, isolate) = (Context::new(context.unchecked_into()), Isolate::get(&env));
        let visit = Visit::new(&sent, &line, &env, &context, &isolate);
        let edge = Edge { visit: &visit };
        loop {
            let part = match export.next(&edge).await {
                Ok(part) => part,
                Err(error) => {
                    // The file then lacks its last line, by which a reader notices.
                    console_error!("{} export: {error:?}", request.request_id);
                    glue::write_part(&writer, None, true).await.ok();
                    return;
                }
            };
            let ended = part.is_none();
            // If the client has disconnected, the export stops.
            if glue::write_part(&writer, part.as_deref(), false)
                .await
                .is_err()
                || ended
            {
                return;
            }
        }
    });
    Ok(response.unchecked_into())
}

async fn import(visit: &Visit<'_>, request: &Request) -> Result<web_sys::Response, JsValue> {
    let reader = glue::body_reader(visit.request);
    let answer = run_import(visit, request, &reader).await;
    if answer.is_err() {
        // Closing a connection on which the client is still sending would reset it.
        glue::drain(&reader).await;
    }
    finish(request, answer)
}

async fn run_import(
    visit: &Visit<'_>,
    request: &Request,
    reader: &JsValue,
) -> Result<Response, Error> {
    let edge = Edge { visit };
    let mut import = backup::Import::begin(request)?;
    loop {
        let part = glue::read_part(reader).await;
        let part = part.map_err(|_| Error::Refused(400, UNREADABLE.to_owned()))?;
        if part.is_undefined() {
            return import.end(&edge).await;
        }
        let bytes = part.unchecked_into::<Uint8Array>().to_vec();
        import.feed(&edge, &bytes).await?;
    }
}

const UNREADABLE: &str = "The body broke off, or is not compressed as its Content-Encoding says; nothing of it is \
                          served, send the whole file again";
