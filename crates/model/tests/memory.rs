//! How much memory hostile texts take: a refusal takes next to none, anything else a bounded multiple of the text.
#![cfg(not(target_arch = "wasm32"))]
#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    unsafe_code,
    reason = "a test, which counts what is allocated"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use gatewright_model::shape::Root;
use gatewright_model::{IssueCode, assist, diff, document, json, lines, merge, openapi};

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
/// Tests run in parallel; only one may be measured at a time.
static ALONE: Mutex<()> = Mutex::new(());

struct Counting;

// SAFETY: every call is forwarded unchanged to the system's allocator; only sizes are added up.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(now, Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller upholds the same contract.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Returns the result, and the peak number of bytes allocated while it was computed.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed) - before)
}

const KB: usize = 1024;
const MB: usize = 1024 * KB;

fn nested() -> String {
    format!("{}{}", "[".repeat(MB), "]".repeat(MB))
}

fn many_members(count: usize) -> String {
    let members: Vec<String> = (0..count).map(|n| format!("\"m{n}\":0")).collect();
    format!("{{{}}}", members.join(","))
}

#[test]
fn oversized_or_deep_documents_are_refused_immediately() {
    let _alone = ALONE.lock().unwrap();
    let string = format!("\"{}\"", "x".repeat(10 * MB));
    let members = many_members(100_000);
    let nested = nested();
    for text in [&nested, &string, &members] {
        for root in Root::ALL {
            let (issues, bytes) = measured(|| document::validate(root, text));
            assert_eq!(issues.len(), 1);
            assert_eq!(issues[0].code, IssueCode::TooLarge, "{}", issues[0]);
            assert!(bytes < 4 * KB, "{bytes}");
        }
    }
    let (issues, bytes) = measured(|| json::parse(&nested).unwrap_err());
    assert_eq!(issues[0].code, IssueCode::TooDeep);
    assert!(bytes < 64 * KB, "{bytes}");
    let (value, bytes) = measured(|| json::parse(&string).is_ok());
    assert!(value && bytes < 4 * KB, "{bytes}");
}

#[test]
fn memory_is_proportional_to_text_for_large_objects() {
    let _alone = ALONE.lock().unwrap();
    // As many as fit the limit of a definition.
    let text = many_members(85_000);
    assert!(text.len() < MB);
    let (issues, bytes) = measured(|| document::validate(Root::ApiDefinition, &text));
    assert_eq!(
        issues.last().unwrap().code,
        IssueCode::TooLarge,
        "the rest is counted only"
    );
    assert!(issues.len() < 2100);
    assert!(bytes < 24 * MB, "{bytes}");
    let other = text.replace("\"m7\":0", "\"n7\":1");
    let works: [(&str, &dyn Fn() -> usize); 7] = [
        ("merge", &|| merge::merge(&text, &other).unwrap().len()),
        ("merge patch", &|| {
            diff::merge_patch(&text, &other).unwrap().len()
        }),
        ("changes", &|| diff::changes(&text, &other).unwrap().len()),
        ("lines", &|| lines::line_diff(&text, &other).len()),
        ("complete", &|| {
            assist::complete(Root::ApiDefinition.into(), &text, text.len() / 2, &|_| {
                Vec::new()
            })
            .len()
        }),
        ("hover", &|| {
            usize::from(assist::hover(Root::ApiDefinition.into(), &text, 5).is_some())
        }),
        ("fixes", &|| {
            assist::fixes(Root::ApiDefinition, &text, &issues[0]).len()
        }),
    ];
    for (name, work) in works {
        let (_, bytes) = measured(work);
        assert!(bytes < 40 * MB, "{name}: {bytes}");
    }
}

#[test]
fn imports_are_bounded_too() {
    let _alone = ALONE.lock().unwrap();
    let options = openapi::Options {
        allow_list: true,
        ..openapi::Options::default()
    };
    let (issues, bytes) = measured(|| openapi::import(&"x".repeat(9 * MB), &options).unwrap_err());
    assert_eq!(issues[0].code, IssueCode::TooLarge);
    assert!(bytes < 9 * MB + 64 * KB, "{bytes}");
    let paths: Vec<String> = (0..20_000)
        .map(|n| format!("\"/p{n}\":{{\"get\":{{\"security\":[{{\"s{n}\":[]}}]}}}}"))
        .collect();
    let text = format!(
        "{{\"openapi\":\"3.0.0\",\"info\":{{\"title\":\"a\"}},\"paths\":{{{}}}}}",
        paths.join(",")
    );
    let begun = std::time::Instant::now();
    let (import, bytes) = measured(|| openapi::import(&text, &options).unwrap());
    assert!(import.definition.len() > text.len() / 2);
    assert!(bytes < 48 * MB, "{bytes}");
    // It takes well below a second, and minutes if one step were quadratic.
    assert!(begun.elapsed().as_secs() < 20);
}

/// Returns an OpenAPI document with this many operations, about 1 kB each, in JSON or YAML.
fn large_document(operations: usize, yaml: bool) -> String {
    let paths = (0..operations).map(|n| {
        let text = "what it does and for whom, in a sentence of an ordinary length. ".repeat(5);
        if yaml {
            format!(
                "  /path{n}/{{id}}:\n    get:\n      operationId: op{n}\n      description: {text}\n      parameters:\n        - {{name: id, in: path, required: true, schema: {{type: integer}}}}\n      responses:\n        '200': {{description: ok, content: {{application/json: {{schema: {{type: object, properties: {{a: {{type: string}}, b: {{type: integer}}}}}}}}}}}}\n"
            )
        } else {
            format!(
                r#""/path{n}/{{id}}":{{"get":{{"operationId":"op{n}","description":"{text}","parameters":[{{"name":"id","in":"path","required":true,"schema":{{"type":"integer"}}}}],"responses":{{"200":{{"description":"ok","content":{{"application/json":{{"schema":{{"type":"object","properties":{{"a":{{"type":"string"}},"b":{{"type":"integer"}}}}}}}}}}}}}}}}}}"#
            )
        }
    });
    if yaml {
        let paths: String = paths.collect();
        return format!(
            "openapi: 3.0.3\ninfo: {{title: a, version: '1'}}\nx-gateway-api-gateway:\n  info: {{name: a, state: {{active: true}}}}\n  upstream: {{url: http://up}}\n  server: {{listenPath: {{value: /a/}}}}\npaths:\n{paths}"
        );
    }
    let paths: Vec<String> = paths.collect();
    format!(
        r#"{{"openapi":"3.0.3","info":{{"title":"a","version":"1"}},"x-gateway-api-gateway":{{"info":{{"name":"a","state":{{"active":true}}}},"upstream":{{"url":"http://up"}},"server":{{"listenPath":{{"value":"/a/"}}}}}},"paths":{{{}}}}}"#,
        paths.join(",")
    )
}

#[test]
fn writing_a_document_takes_a_few_times_its_text() {
    let _alone = ALONE.lock().unwrap();
    // On 64 bits, where a parsed document takes twice the memory that it takes in a module.
    for (yaml, most) in [(false, 19), (true, 34)] {
        if yaml && !cfg!(feature = "yaml") {
            continue;
        }
        let sent = large_document(3000, yaml);
        let call = openapi::task::Call::Make(openapi::task::Task {
            act: openapi::task::Act::Store,
            format: match yaml {
                true => openapi::task::Format::Yaml,
                false => openapi::task::Format::Json,
            },
            kind: openapi::DocumentKind::Oas,
            id: "a".to_owned(),
            origin: "http://gateway.example".to_owned(),
            parameters: openapi::administered::Parameters::default(),
            version: None,
        });
        let ((report, text), bytes) = measured(|| openapi::task::run(&call, "", &sent));
        assert!(text.len() > sent.len(), "{report:?}");
        let times = bytes / sent.len();
        assert!(times <= most, "{times} times {} bytes", sent.len());
    }
}
