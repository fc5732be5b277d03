//! The functions of `glue.js`, typed.

use js_sys::{Array, Object, Uint8Array};
use wasm_bindgen::prelude::*;
use worker::Env;
use worker::worker_sys::DurableObjectStorage;

// Not a snippet of wasm-bindgen: `entry.js` imports the same file, and the bundle needs it once.
#[wasm_bindgen(raw_module = "./glue.js")]
extern "C" {
    /// `{method} {url}`.
    pub fn head(request: &web_sys::Request) -> String;

    /// The client's address.
    #[wasm_bindgen(js_name = clientAddress)]
    pub fn client_address(request: &web_sys::Request, trusted_header: Option<&str>) -> String;

    /// Lets milliseconds pass.
    pub async fn wait(ms: f64);

    /// Calls a method of the Ledger of this name: `consume`, `hold` or `release`.
    #[wasm_bindgen(catch, js_name = callLedger)]
    pub async fn call_ledger(
        env: &Env,
        name: &str,
        method: &str,
        message: &str,
    ) -> Result<JsValue, JsValue>;

    /// Calls `take` or `put` of the Ledgers whose names are on the lines of `names`, with messages on the lines of
    /// the other; so are the answers.
    #[wasm_bindgen(catch, js_name = callLedgers)]
    pub async fn call_ledgers(
        env: &Env,
        method: &str,
        names: &str,
        messages: &str,
    ) -> Result<JsValue, JsValue>;

    /// Calls a method of the Meter: `add`, `read` or `failures`.
    #[wasm_bindgen(catch, js_name = callMeter)]
    pub async fn call_meter(env: &Env, method: &str, message: &str) -> Result<JsValue, JsValue>;

    /// Calls a method of the object that tests upstreams: `read`.
    #[wasm_bindgen(catch, js_name = callUptime)]
    pub async fn call_uptime(env: &Env, method: &str, message: &str) -> Result<JsValue, JsValue>;

    /// Lets it look for other tests.
    #[wasm_bindgen(js_name = wakeUptime)]
    pub fn wake_uptime(env: &Env);

    /// Calls a method of the object that keeps what servers have answered for an API: `look`.
    #[wasm_bindgen(catch, js_name = callAnswers)]
    pub async fn call_answers(
        env: &Env,
        api_id: &str,
        method: &str,
        message: &str,
    ) -> Result<JsValue, JsValue>;

    /// The body, or one byte more than `max` if it is longer.
    #[wasm_bindgen(catch, js_name = readBody)]
    pub async fn read_body(request: &web_sys::Request, max: f64) -> Result<JsValue, JsValue>;

    /// The parts of a form as an array of names and texts in turn; undefined if it is no form.
    #[wasm_bindgen(js_name = readForm)]
    pub async fn read_form(bytes: &Uint8Array, content_type: &str) -> JsValue;

    /// Gets a text from a server of somebody else; resolves to a [`TextAnswer`].
    #[wasm_bindgen(catch, js_name = getText)]
    pub async fn get_text(
        env: &Env,
        url: &str,
        allow_private: bool,
        max: f64,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// Fetches a file that was built with this software; resolves to a response.
    #[wasm_bindgen(catch, js_name = fetchAsset)]
    pub async fn fetch_asset(env: &Env, path: &str) -> Result<JsValue, JsValue>;

    /// The text of such a file; null if there is none.
    #[wasm_bindgen(catch, js_name = assetText)]
    pub async fn asset_text(env: &Env, path: &str) -> Result<JsValue, JsValue>;

    /// Calls `get` or `delete` of KV.
    #[wasm_bindgen(catch, js_name = callKv)]
    pub async fn call_kv(env: &Env, method: &str, key: &str) -> Result<JsValue, JsValue>;

    /// Sets a key of KV.
    #[wasm_bindgen(catch, js_name = putKv)]
    pub async fn put_kv(
        env: &Env,
        key: &str,
        value: &str,
        metadata: Option<&str>,
    ) -> Result<JsValue, JsValue>;

    /// All keys of KV with a prefix; resolves to an array of names and metadata in turn.
    #[wasm_bindgen(catch, js_name = listKv)]
    pub async fn list_kv(env: &Env, prefix: &str) -> Result<JsValue, JsValue>;

    /// Sends a request to a server of somebody else; `headers` has names and values in turn, each on
    /// a line. Resolves to the response, whose body is not read.
    #[wasm_bindgen(catch, js_name = sendOut)]
    pub async fn send_out(
        env: &Env,
        method: &str,
        url: &str,
        headers: &str,
        body: Option<&str>,
        allow_private: bool,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// A response whose body is what the Registry's stream of this message sends; nothing if there are as many
    /// of them as there may be.
    #[wasm_bindgen(catch, js_name = openStream)]
    pub async fn open_stream(env: &Env, headers: &str, message: &str) -> Result<JsValue, JsValue>;

    /// A response whose body is written part by part: an object with `response` and `writer`.
    #[wasm_bindgen(catch, js_name = openBody)]
    pub fn open_body(status: u16, headers: &str) -> Result<JsValue, JsValue>;

    /// Writes a part of such a body once the one before has been taken; none ends it, as one that broke off or
    /// as a whole one.
    #[wasm_bindgen(catch, js_name = writePart)]
    pub async fn write_part(
        writer: &Object,
        part: Option<&str>,
        broke_off: bool,
    ) -> Result<JsValue, JsValue>;

    /// What reads the body of a request part by part; undefined where there is none.
    #[wasm_bindgen(js_name = bodyReader)]
    pub fn body_reader(request: &web_sys::Request) -> JsValue;

    /// The next part of a body; undefined behind the last one.
    #[wasm_bindgen(catch, js_name = readPart)]
    pub async fn read_part(reader: &JsValue) -> Result<JsValue, JsValue>;

    /// Reads the rest of a body for nothing.
    pub async fn drain(reader: &JsValue);

    /// The key that a passphrase and a salt make.
    #[wasm_bindgen(catch, js_name = openVault)]
    pub async fn open_vault(passphrase: &str, salt: &str) -> Result<JsValue, JsValue>;

    /// The key that a secret of many random bits makes for one purpose.
    #[wasm_bindgen(catch, js_name = ownVault)]
    pub async fn own_vault(secret: &str, purpose: &str) -> Result<JsValue, JsValue>;

    /// Seals a text under a name.
    #[wasm_bindgen(catch)]
    pub async fn seal(key: &JsValue, name: &str, text: &str) -> Result<JsValue, JsValue>;

    /// What was sealed under a name; undefined if it was not.
    pub async fn unseal(key: &JsValue, name: &str, sealed: &str) -> JsValue;

    /// Sets the alarm, in milliseconds since 1970, in this very turn; none deletes it.
    #[wasm_bindgen(js_name = setAlarm)]
    pub fn set_alarm(storage: &DurableObjectStorage, at: Option<f64>);

    /// Sees to it that the alarm rings at a time or before.
    #[wasm_bindgen(js_name = setAlarmBy)]
    pub fn set_alarm_by(storage: &DurableObjectStorage, at: f64);

    /// The values of the headers named on the lines of `names`, line by line; empty for none.
    #[wasm_bindgen(js_name = headerLines)]
    pub fn header_lines(request: &web_sys::Request, names: &str) -> String;

    /// Makes a response; `headers` has names and values in turn, each on a line.
    #[wasm_bindgen(catch)]
    pub fn respond(
        status: u16,
        headers: &str,
        body: Option<&str>,
    ) -> Result<web_sys::Response, JsValue>;

    /// The rows that a statement over values finds, each an array of its values.
    #[wasm_bindgen(catch, js_name = querySql)]
    pub fn query_sql(
        storage: &DurableObjectStorage,
        statement: &str,
        values: &Array,
    ) -> Result<Array, JsValue>;

    /// The bytes of an object's database.
    #[wasm_bindgen(catch, js_name = databaseSize)]
    pub fn database_size(storage: &DurableObjectStorage) -> Result<f64, JsValue>;

    /// Calls a method of the one Registry: `call`, `write`, `publish` or `ping`.
    #[wasm_bindgen(catch, js_name = callRegistry)]
    pub async fn call_registry(env: &Env, method: &str, message: &str) -> Result<JsValue, JsValue>;

    /// Runs a transaction that is rolled back if `run` answers false.
    #[wasm_bindgen(catch, js_name = transactionSync)]
    pub fn transaction_sync(
        storage: &DurableObjectStorage,
        run: &mut dyn FnMut() -> bool,
    ) -> Result<(), JsValue>;

    /// 128 random bits as 32 hexadecimal digits.
    #[wasm_bindgen(js_name = randomId)]
    pub fn random_id() -> String;

    /// 128 random bits as a UUID (RFC 9562 section 5.4).
    #[wasm_bindgen(js_name = randomUuid)]
    pub fn random_uuid() -> String;

    /// 256 random bits as base64url without padding.
    #[wasm_bindgen(js_name = randomToken)]
    pub fn random_token() -> String;

    /// What [`get_text`] resolves to.
    #[wasm_bindgen(extends = Object)]
    pub type TextAnswer;

    /// The status code.
    #[wasm_bindgen(method, getter, js_name = status)]
    pub fn text_status(this: &TextAnswer) -> u16;

    /// Where a redirect leads to.
    #[wasm_bindgen(method, getter)]
    pub fn location(this: &TextAnswer) -> Option<String>;

    /// The `Content-Type`, empty if there was none.
    #[wasm_bindgen(method, getter, js_name = contentType)]
    pub fn content_type(this: &TextAnswer) -> String;

    /// Missing if the answer is too large.
    #[wasm_bindgen(method, getter, js_name = body)]
    pub fn text_body(this: &TextAnswer) -> Option<Uint8Array>;
}

/// What a JavaScript error says.
#[must_use]
pub fn text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
