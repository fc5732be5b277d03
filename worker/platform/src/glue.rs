//! The functions of `glue.js`, typed.

use js_sys::{Array, JsString, Object, Uint8Array};
use wasm_bindgen::prelude::*;
use worker::Env;
use worker::worker_sys::DurableObjectStorage;

// Not a snippet of wasm-bindgen: `entry.js` imports the same file, and the bundle needs it only once.
#[wasm_bindgen(raw_module = "./glue.js")]
extern "C" {
    /// Returns `{method} {url}`.
    pub fn head(request: &web_sys::Request) -> String;

    /// Returns the client's address.
    #[wasm_bindgen(js_name = clientAddress)]
    pub fn client_address(request: &web_sys::Request, trusted_header: Option<&str>) -> String;

    /// Returns a text as UTF-8.
    #[wasm_bindgen(js_name = bytesOf)]
    pub fn bytes_of(text: &JsString) -> Vec<u8>;

    /// Waits for some milliseconds.
    pub async fn wait(ms: f64);

    /// Calls a method of the Ledger of this name: `consume`, `hold` or `release`.
    #[wasm_bindgen(catch, js_name = callLedger)]
    pub async fn call_ledger(
        env: &Env,
        name: &str,
        method: &str,
        message: &str,
    ) -> Result<JsValue, JsValue>;

    /// Calls `take` or `put` of the Ledgers whose names are on the lines of `names`, with the messages on the lines of
    /// the other text; the replies have one line each, too.
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

    /// Makes that object look for changed tests.
    #[wasm_bindgen(js_name = wakeUptime)]
    pub fn wake_uptime(env: &Env);

    /// Calls a method of the object that stores what servers have answered for an API: `look`.
    #[wasm_bindgen(catch, js_name = callAnswers)]
    pub async fn call_answers(
        env: &Env,
        api_id: &str,
        method: &str,
        message: &str,
    ) -> Result<JsValue, JsValue>;

    /// Reads the body; resolves to one byte more than `max` if it is longer than that.
    #[wasm_bindgen(catch, js_name = readBody)]
    pub async fn read_body(request: &web_sys::Request, max: f64) -> Result<JsValue, JsValue>;

    /// Parses a form into an array of alternating names and texts; undefined if the bytes are not a form.
    #[wasm_bindgen(js_name = readForm)]
    pub async fn read_form(bytes: &Uint8Array, content_type: &str) -> JsValue;

    /// Fetches a text from an external server; resolves to a [`TextAnswer`].
    #[wasm_bindgen(catch, js_name = getText)]
    pub async fn get_text(
        env: &Env,
        url: &str,
        allow_private: bool,
        max: f64,
        ms: u32,
    ) -> Result<JsValue, JsValue>;

    /// Fetches a file that was built with this release; resolves to a response.
    #[wasm_bindgen(catch, js_name = fetchAsset)]
    pub async fn fetch_asset(env: &Env, path: &str) -> Result<JsValue, JsValue>;

    /// Resolves to the text of such a file; null if it doesn't exist.
    #[wasm_bindgen(catch, js_name = assetText)]
    pub async fn asset_text(env: &Env, path: &str) -> Result<JsValue, JsValue>;

    /// Calls KV's `get` or `delete`.
    #[wasm_bindgen(catch, js_name = callKv)]
    pub async fn call_kv(env: &Env, method: &str, key: &str) -> Result<JsValue, JsValue>;

    /// Writes a key to KV.
    #[wasm_bindgen(catch, js_name = putKv)]
    pub async fn put_kv(
        env: &Env,
        key: &str,
        value: &str,
        metadata: Option<&str>,
    ) -> Result<JsValue, JsValue>;

    /// Lists all of KV's keys with a prefix; resolves to an array of alternating names and metadata.
    #[wasm_bindgen(catch, js_name = listKv)]
    pub async fn list_kv(env: &Env, prefix: &str) -> Result<JsValue, JsValue>;

    /// Sends a request to an external server; `headers` has alternating names and values, one per line. Resolves to a
    /// [`SentAnswer`] with at most `max` bytes of the body.
    #[wasm_bindgen(catch, js_name = sendOut)]
    pub async fn send_out(
        env: &Env,
        method: &str,
        url: &str,
        headers: &str,
        body: Option<&str>,
        allow_private: bool,
        ms: u32,
        max: u32,
    ) -> Result<JsValue, JsValue>;

    /// Returns a response that streams what the Registry sends for this message, or a text with the limit if too many
    /// streams are open: in total, or of this credential, which is empty for a stream that ends by itself.
    #[wasm_bindgen(catch, js_name = openStream)]
    pub async fn open_stream(
        env: &Env,
        headers: &str,
        message: &str,
        credential: &str,
    ) -> Result<JsValue, JsValue>;

    /// Opens a response whose body is written in parts: an object with `response` and `writer`.
    #[wasm_bindgen(catch, js_name = openBody)]
    pub fn open_body(status: u16, headers: &str) -> Result<JsValue, JsValue>;

    /// Writes a part of such a body once the previous one has been consumed. Without a part it ends the body, as one
    /// that was cut off or as a complete one.
    #[wasm_bindgen(catch, js_name = writePart)]
    pub async fn write_part(
        writer: &Object,
        part: Option<&str>,
        broke_off: bool,
    ) -> Result<JsValue, JsValue>;

    /// Returns a reader of a request's body; undefined if there is no body.
    #[wasm_bindgen(js_name = bodyReader)]
    pub fn body_reader(request: &web_sys::Request) -> JsValue;

    /// Resolves to the next part of a body; undefined after the last one.
    #[wasm_bindgen(catch, js_name = readPart)]
    pub async fn read_part(reader: &JsValue) -> Result<JsValue, JsValue>;

    /// Reads and discards the rest of a body.
    pub async fn drain(reader: &JsValue);

    /// Derives a key from a passphrase and a salt.
    #[wasm_bindgen(catch, js_name = openVault)]
    pub async fn open_vault(passphrase: &str, salt: &str) -> Result<JsValue, JsValue>;

    /// Derives a key for one purpose from a secret of high entropy.
    #[wasm_bindgen(catch, js_name = ownVault)]
    pub async fn own_vault(secret: &str, purpose: &str) -> Result<JsValue, JsValue>;

    /// Encrypts a text and binds it to a name.
    #[wasm_bindgen(catch)]
    pub async fn seal(key: &JsValue, name: &str, text: &str) -> Result<JsValue, JsValue>;

    /// Decrypts what was sealed under a name; undefined if that fails.
    pub async fn unseal(key: &JsValue, name: &str, sealed: &str) -> JsValue;

    /// Sets the alarm, in Unix milliseconds, in the current turn; `None` deletes it.
    #[wasm_bindgen(js_name = setAlarm)]
    pub fn set_alarm(storage: &DurableObjectStorage, at: Option<f64>);

    /// Makes sure that the alarm fires at this time or earlier.
    #[wasm_bindgen(js_name = setAlarmBy)]
    pub fn set_alarm_by(storage: &DurableObjectStorage, at: f64);

    /// Returns the values of the headers named on the lines of `names`, one per line; an absent header has an empty
    /// one.
    #[wasm_bindgen(js_name = headerLines)]
    pub fn header_lines(request: &web_sys::Request, names: &str) -> String;

    /// Builds a response; `headers` has alternating names and values, one per line.
    #[wasm_bindgen(catch)]
    pub fn respond(
        status: u16,
        headers: &str,
        body: Option<&str>,
    ) -> Result<web_sys::Response, JsValue>;

    /// Runs a statement with these values and returns its rows, each an array.
    #[wasm_bindgen(catch, js_name = querySql)]
    pub fn query_sql(
        storage: &DurableObjectStorage,
        statement: &str,
        values: &Array,
    ) -> Result<Array, JsValue>;

    /// Returns the size of an object's database, in bytes.
    #[wasm_bindgen(catch, js_name = databaseSize)]
    pub fn database_size(storage: &DurableObjectStorage) -> Result<f64, JsValue>;

    /// Calls a method of the single Registry, such as `call`, `write` or `ping`.
    #[wasm_bindgen(catch, js_name = callRegistry)]
    pub async fn call_registry(env: &Env, method: &str, message: &str) -> Result<JsValue, JsValue>;

    /// Calls a method of the single Registry that publishes.
    #[wasm_bindgen(catch, js_name = callRegistry)]
    pub async fn publish(
        env: &Env,
        method: &str,
        message: &str,
        client: &str,
    ) -> Result<JsValue, JsValue>;

    /// Runs a transaction, which is rolled back if `run` returns false.
    #[wasm_bindgen(catch, js_name = transactionSync)]
    pub fn transaction_sync(
        storage: &DurableObjectStorage,
        run: &mut dyn FnMut() -> bool,
    ) -> Result<(), JsValue>;

    /// Returns 128 random bits as 32 hexadecimal digits.
    #[wasm_bindgen(js_name = randomId)]
    pub fn random_id() -> String;

    /// Returns 32 hexadecimal digits: the time in milliseconds, then 80 random bits.
    #[wasm_bindgen(js_name = timedId)]
    pub fn timed_id() -> String;

    /// Returns a random UUID (RFC 9562 section 5.4).
    #[wasm_bindgen(js_name = randomUuid)]
    pub fn random_uuid() -> String;

    /// Returns 256 random bits as base64url without padding.
    #[wasm_bindgen(js_name = randomToken)]
    pub fn random_token() -> String;

    /// What [`get_text`] resolves to.
    #[wasm_bindgen(extends = Object)]
    pub type TextAnswer;

    /// The status code.
    #[wasm_bindgen(method, getter, js_name = status)]
    pub fn text_status(this: &TextAnswer) -> u16;

    /// The `Location` of a redirect.
    #[wasm_bindgen(method, getter)]
    pub fn location(this: &TextAnswer) -> Option<String>;

    /// The `Content-Type`, empty if there was none.
    #[wasm_bindgen(method, getter, js_name = contentType)]
    pub fn content_type(this: &TextAnswer) -> String;

    /// The body; null if it is too large.
    #[wasm_bindgen(method, getter, js_name = body)]
    pub fn text_body(this: &TextAnswer) -> Option<Uint8Array>;

    /// What [`send_out`] resolves to.
    #[wasm_bindgen(extends = Object)]
    pub type SentAnswer;

    /// The status code.
    #[wasm_bindgen(method, getter, js_name = status)]
    pub fn sent_status(this: &SentAnswer) -> u16;

    /// The `Content-Type`, empty if there was none.
    #[wasm_bindgen(method, getter, js_name = contentType)]
    pub fn sent_type(this: &SentAnswer) -> String;

    /// The `Content-Length`, if there was one.
    #[wasm_bindgen(method, getter, js_name = length)]
    pub fn sent_length(this: &SentAnswer) -> Option<String>;

    /// The beginning of the body.
    #[wasm_bindgen(method, getter, js_name = body)]
    pub fn sent_body(this: &SentAnswer) -> Uint8Array;

    /// Whether the body goes on.
    #[wasm_bindgen(method, getter)]
    pub fn cut(this: &SentAnswer) -> bool;
}

/// Returns the message of a JavaScript error.
#[must_use]
pub fn text(error: &JsValue) -> String {
    match error.dyn_ref::<js_sys::Error>() {
        Some(error) => String::from(error.message()),
        None => error.as_string().unwrap_or_else(|| format!("{error:?}")),
    }
}
