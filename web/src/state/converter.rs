//! Runs the import in the worker of `web/editor/openapi.js`: texts in, texts out, one import at a time.

use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{HtmlMetaElement, MessageEvent, Worker, WorkerOptions, WorkerType};

/// An import that takes longer than this is aborted for a newer text.
const PATIENCE_MS: f64 = 2_000.0;

/// An import to run: the text, unless it is that of the last one, and options as JSON.
#[derive(Clone, Debug, Default)]
struct Job {
    text: Option<String>,
    options: String,
}

/// The worker and its results.
#[derive(Clone, Copy)]
pub struct Converter {
    worker: StoredValue<Option<Worker>, LocalStorage>,
    /// The number of the running import and when it started.
    running: StoredValue<Option<(u32, f64)>>,
    waiting: StoredValue<Option<Job>>,
    /// The text that the worker has.
    known: StoredValue<String>,
    next: StoredValue<u32>,
    /// The result of the last import.
    pub imported: RwSignal<Option<String>>,
    /// The result of the last merge, with its number.
    pub united: RwSignal<Option<(u32, String)>>,
    /// Whether an import is running.
    pub busy: RwSignal<bool>,
    /// Whether the worker can't be loaded.
    pub broken: RwSignal<bool>,
}

impl Converter {
    /// Creates a converter whose worker starts with the first request and ends with the page.
    #[must_use]
    pub fn new() -> Self {
        let converter = Self {
            worker: StoredValue::new_local(None),
            running: StoredValue::new(None),
            waiting: StoredValue::new(None),
            known: StoredValue::new(String::new()),
            next: StoredValue::new(1),
            imported: RwSignal::new(None),
            united: RwSignal::new(None),
            busy: RwSignal::new(false),
            broken: RwSignal::new(false),
        };
        on_cleanup(move || converter.end());
        converter
    }

    /// Imports a text. Of the requests that arrive while one is running, only the last is carried out.
    pub fn import(self, text: &str, options: String) {
        let news = self.known.with_value(|known| known != text);
        if news {
            self.known.set_value(text.to_owned());
        }
        let skipped = self.waiting.try_update_value(Option::take).flatten();
        let unsent = skipped.is_some_and(|job| job.text.is_some());
        let mut job = Job {
            text: (news || unsent).then(|| text.to_owned()),
            options,
        };
        self.busy.set(true);
        if let Some((_, began)) = self.running.get_value() {
            if !news || now() - began < PATIENCE_MS {
                return self.waiting.set_value(Some(job));
            }
            self.end();
            self.known.set_value(text.to_owned());
            job.text = Some(text.to_owned());
        }
        self.send(job);
    }

    /// Updates a stored definition with parts of an imported one; returns the number that the result will have.
    pub fn unite(self, stored: &str, imported: &str, parts: &str) -> u32 {
        let number = self.number();
        self.post(
            number,
            "update",
            [Some(stored), Some(imported), Some(parts)],
        );
        number
    }

    fn send(self, job: Job) {
        let number = self.number();
        self.running.set_value(Some((number, now())));
        self.broken.set(false);
        let values = [job.text.as_deref(), Some(&job.options), None];
        self.post(number, "import", values);
    }

    fn number(self) -> u32 {
        let number = self.next.get_value();
        self.next.set_value(number.wrapping_add(1).max(1));
        number
    }

    fn post(self, number: u32, call: &str, values: [Option<&str>; 3]) {
        let text = |text: Option<&str>| text.map_or(JsValue::NULL, JsValue::from_str);
        let message = Array::of2(&text(Some(&number.to_string())), &text(Some(call)));
        for value in values {
            message.push(&text(value));
        }
        if self.worker.with_value(Option::is_none) {
            self.worker.set_value(self.start());
        }
        // Fails only for values that can't be cloned; texts can.
        let sent = self
            .worker
            .with_value(|worker| worker.as_ref()?.post_message(&message).ok());
        if sent.is_none() {
            self.fail();
        }
    }

    fn start(self) -> Option<Worker> {
        let options = WorkerOptions::new();
        options.set_type(WorkerType::Module);
        let worker = Worker::new_with_options(&script()?, &options).ok()?;
        let receive = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let answer = Array::from(&event.data());
            let number = answer
                .get(0)
                .as_string()
                .and_then(|number| number.parse().ok());
            if let (Some(number), Some(text)) = (number, answer.get(1).as_string()) {
                self.receive(number, text);
            }
        });
        let failed = Closure::<dyn FnMut()>::new(move || self.fail());
        // Both closures live as long as the worker; the browser collects them together.
        worker.set_onmessage(Some(receive.into_js_value().unchecked_ref()));
        worker.set_onerror(Some(failed.into_js_value().unchecked_ref()));
        Some(worker)
    }

    fn receive(self, number: u32, text: String) {
        let running = self.running.try_get_value().flatten();
        if number == 0 {
            self.fail();
        } else if running.is_some_and(|(own, _)| own == number) {
            self.running.set_value(None);
            self.imported.set(Some(text));
            match self.waiting.try_update_value(Option::take).flatten() {
                Some(job) => self.send(job),
                None => self.busy.set(false),
            }
        } else {
            self.united.try_set(Some((number, text)));
        }
    }

    fn fail(self) {
        self.end();
        self.broken.try_set(true);
        self.busy.try_set(false);
    }

    /// Terminates the worker, whatever it is doing.
    fn end(self) {
        if let Some(Some(worker)) = self.worker.try_update_value(Option::take) {
            worker.terminate();
        }
        self.running.try_update_value(|running| *running = None);
        self.known.try_update_value(String::clear);
    }
}

impl Default for Converter {
    fn default() -> Self {
        Self::new()
    }
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

/// Returns the address of the script, which the build wrote into the page.
fn script() -> Option<String> {
    let meta = document().query_selector("meta[name=gatewright-openapi]");
    let content = meta.ok()??.dyn_into::<HtmlMetaElement>().ok()?.content();
    (!content.is_empty()).then_some(content)
}
