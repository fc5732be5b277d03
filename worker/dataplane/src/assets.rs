//! The console's files, on the console's own origin and under a policy that admits nothing else.

use crate::Visit;
use gatewright_dataplane::path::{self, RequestPath};
use gatewright_worker_platform::glue;
use gatewright_worker_platform::respond;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Headers, ResponseInit};

/// The path of the console.
const HOME: &str = "/console/";

/// No inline scripts, no styles except files, no other origins. Browsers require `wasm-unsafe-eval` to compile
/// WebAssembly; the editor's images are `data:` URLs.
const POLICY: &str = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; \
    img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'; object-src 'none'";

const HEADERS: &[(&str, &str)] = &[
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    (
        "permissions-policy",
        "camera=(), geolocation=(), microphone=()",
    ),
    // Ignored without https (RFC 6797 section 8.1), so harmless on a developer's machine.
    ("strict-transport-security", "max-age=31536000"),
];

/// Serves a path of the console's origin that doesn't belong to the administration.
pub(crate) async fn serve(visit: &Visit<'_>) -> Result<web_sys::Response, JsValue> {
    if !matches!(visit.method, "GET" | "HEAD") {
        return refuse(405, "Method not supported", &[("allow", "GET, HEAD")]);
    }
    // The runtime does not resolve dot segments, but the file service does.
    let Ok(path) = RequestPath::parse(visit.url.path) else {
        return refuse(404, "Not found", &[]);
    };
    let path = path.decoded();
    // However else the file service could read the path, it stays in the console's folder.
    if path::readings(path)
        .iter()
        .any(|reading| !reading.starts_with(HOME))
    {
        return refuse(404, "Not found", &[]);
    }
    if matches!(path, "/" | "/console") {
        return refuse(302, "", &[("location", HOME)]);
    }
    if !path.starts_with(HOME) {
        return refuse(404, "Not found", &[]);
    }
    if let Some(kind) = content_type(path) {
        let response = fetch(visit, &path::encode(path)).await?;
        return if response.status() == 200 {
            file(&response, kind, is_hashed(path))
        } else {
            refuse(404, "Not found", &[])
        };
    }
    // Any other path is a page of the console, which does its own routing.
    let response = fetch(visit, "/console/index.html").await?;
    if response.status() == 200 {
        file(&response, "text/html; charset=utf-8", false)
    } else {
        refuse(
            404,
            "The console has not been built: run cargo xtask build",
            &[],
        )
    }
}

/// Refuses a host other than the console's on the console's own socket: a name that somebody else points here must not
/// be able to read what the console's pages can (attack A13).
pub(crate) fn misdirected() -> Result<web_sys::Response, JsValue> {
    let text = "This host is not the console's; name it in CONSOLE_HOST if it is to be";
    refuse(421, text, &[])
}

async fn fetch(visit: &Visit<'_>, path: &str) -> Result<web_sys::Response, JsValue> {
    Ok(glue::fetch_asset(visit.env, path).await?.unchecked_into())
}

fn file(found: &web_sys::Response, kind: &str, hashed: bool) -> Result<web_sys::Response, JsValue> {
    let headers = Headers::new()?;
    for (name, value) in HEADERS {
        headers.set(name, value)?;
    }
    headers.set("content-type", kind)?;
    let cache = if hashed {
        "public, max-age=31536000, immutable"
    } else {
        "no-cache"
    };
    headers.set("cache-control", cache)?;
    for name in ["content-length", "etag", "last-modified"] {
        if let Some(value) = found.headers().get(name)? {
            headers.set(name, &value)?;
        }
    }
    let init = ResponseInit::new();
    init.set_headers(&JsValue::from(headers));
    let body = found.body();
    web_sys::Response::new_with_opt_readable_stream_and_init(body.as_ref(), &init)
}

fn refuse(status: u16, text: &str, more: &[(&str, &str)]) -> Result<web_sys::Response, JsValue> {
    let mut headers = HEADERS.to_vec();
    headers.push(("content-type", "text/plain; charset=utf-8"));
    headers.extend_from_slice(more);
    respond::response(status, &headers, text)
}

/// Returns the media type of a file name; `None` if it isn't the name of a file.
fn content_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit('/').next()?.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "json" | "webmanifest" => "application/json",
        "woff2" => "font/woff2",
        "txt" => "text/plain; charset=utf-8",
        _ => return None,
    })
}

/// Whether the build derived the name from the file's content, so that the file never changes.
fn is_hashed(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let run = |part: &str| part.len() >= 8 && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    name.split(['-', '.', '_']).any(run)
}
