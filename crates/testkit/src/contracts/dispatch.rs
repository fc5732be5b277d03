//! The contract of [`Dispatch`], checked by running batches over it.

use super::servers::TEXT;
use super::{Case, Outcome, abbreviated, cases, ensure, ensure_eq};
use gatewright_controlplane::ports::Outgoing;
use gatewright_dataplane::batch::{self, Answer, Base, Budget, Dispatch, Item, Scope};
use gatewright_dataplane::chain::Settings;
use gatewright_dataplane::config::BatchLimits;
use gatewright_dataplane::driver::Run;
use gatewright_dataplane::failure::Failure;
use gatewright_dataplane::isolate::Isolate;
use gatewright_dataplane::snapshot::{Api, Snapshot};
use gatewright_model::json;
use serde_json::json as value;
use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;

/// A dispatcher and what batches need besides. Their timeouts are short, so that no case waits long.
pub struct Batches<D> {
    /// The dispatcher.
    pub dispatch: D,
    /// The isolate it runs in.
    pub isolate: Rc<dyn Isolate>,
    /// How its chains are configured.
    pub settings: Settings,
    /// The address of an upstream that answers as in [`super::servers`], without a trailing slash.
    pub server: String,
    /// An address where nothing listens.
    pub nobody: String,
}

impl<D> fmt::Debug for Batches<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batches")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}

/// Returns every case.
#[must_use]
pub fn cases<D: Dispatch>() -> Vec<Case<Batches<D>>> {
    cases![
        an_answer_comes_with_status_headers_and_body,
        a_header_that_stands_twice_stays_twice,
        a_compressed_body_is_decoded_and_no_longer_called_so,
        an_item_is_sent_with_its_method_query_headers_and_body,
        an_answer_of_the_chain_itself_needs_no_upstream,
        a_redirect_is_an_answer,
        an_answer_within_the_budget_is_whole,
        what_lies_beyond_the_budget_of_an_item_is_cut,
        what_lies_beyond_the_budget_of_all_items_is_cut,
        an_answer_without_end_is_cut,
        an_upstream_that_does_not_run_is_the_runs_failure,
        an_upstream_that_hangs_up_is_the_runs_failure,
        an_upstream_that_is_silent_is_given_up,
    ]
}

/// The result of one item.
struct Ended {
    answer: Answer,
    failure: Option<Failure>,
}

impl Ended {
    fn values(&self, name: &str) -> Vec<&str> {
        let fields = self.answer.headers.iter();
        let named = fields.filter(|(own, _)| own == name);
        named.map(|(_, value)| value.as_str()).collect()
    }

    fn body(&self) -> String {
        String::from_utf8_lossy(&self.answer.body).into_owned()
    }
}

/// Records what the dispatcher answers, before it becomes the response of a batch.
struct Noted<'a, D> {
    dispatch: &'a D,
    ended: RefCell<Vec<Ended>>,
    lost: RefCell<bool>,
}

impl<D: Dispatch> Dispatch for Noted<'_, D> {
    async fn run(&self, run: Run, item: &Item, budget: &Budget) -> (Option<Run>, Answer) {
        let (run, answer) = self.dispatch.run(run, item, budget).await;
        if run.is_none() {
            self.lost.replace(true);
        }
        self.ended.borrow_mut().push(Ended {
            answer: answer.clone(),
            failure: run.as_ref().and_then(|run| run.failure),
        });
        (run, answer)
    }
}

impl<D: Dispatch> Batches<D> {
    fn api(&self, target: &str) -> Result<Api, String> {
        let definition = value!({
            "name": "contract", "api_id": "contract", "active": true, "use_keyless": true,
            "enable_batch_request_support": true,
            "proxy": { "listen_path": "/contract/", "target_url": target, "strip_listen_path": true },
            "version_data": { "not_versioned": true, "versions": { "Default": {
                "name": "Default", "use_extended_paths": true,
                "extended_paths": { "mock_response": [
                    { "path": "/mocked", "method": "GET", "code": 203, "body": "mocked",
                      "headers": { "X-Mock": "1" } },
                ] },
            } } },
        });
        let text = definition.to_string();
        let value = json::parse(&text).map_err(|issues| abbreviated(&issues))?;
        Ok(Api::read(&value, 1, &self.settings))
    }

    /// Runs items one after the other.
    async fn run(
        &self,
        target: &str,
        limits: &BatchLimits,
        items: &[serde_json::Value],
    ) -> Result<Vec<Ended>, String> {
        let mut snapshot = Snapshot::empty(1, self.settings.clone());
        let api = snapshot.add(self.api(target)?);
        let scope = Scope {
            snapshot: &Rc::new(snapshot),
            isolate: &self.isolate,
            api: &api,
            base: &Base::listening(&api),
            scheme: "http",
            authority: "gateway.example",
            connection_address: "192.0.2.7".into(),
            client_address: "192.0.2.7".into(),
        };
        let body = value!({ "requests": items, "suppress_parallel_execution": true });
        let noted = Noted {
            dispatch: &self.dispatch,
            ended: RefCell::default(),
            lost: RefCell::default(),
        };
        let answer = batch::run(&scope, limits, body.to_string().as_bytes(), &noted).await;
        ensure_eq("the status of the batch", answer.status, 200)?;
        ensure("a run was lost", !noted.lost.take())?;
        let ended = noted.ended.take();
        ensure_eq("how many answers there are", ended.len(), items.len())?;
        Ok(ended)
    }

    async fn one(&self, item: serde_json::Value) -> Result<Ended, String> {
        let (limits, items) = (BatchLimits::default(), [item]);
        let mut ended = self.run(&self.server, &limits, &items).await?;
        ended.pop().ok_or_else(|| "no answer".to_owned())
    }

    async fn get(&self, path: &str) -> Result<Ended, String> {
        self.one(value!({ "relative_url": path, "method": "GET" }))
            .await
    }

    /// Runs a GET for an upstream that isn't running.
    async fn get_of_nobody(&self, path: &str) -> Result<Ended, String> {
        let item = value!({ "relative_url": path, "method": "GET" });
        let (limits, items) = (BatchLimits::default(), [item]);
        let mut ended = self.run(&self.nobody, &limits, &items).await?;
        ended.pop().ok_or_else(|| "no answer".to_owned())
    }
}

async fn an_answer_comes_with_status_headers_and_body<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let ended = batches.get("text").await?;
    ensure_eq("the failure", ended.failure, None)?;
    ensure_eq("the status", ended.answer.status, 200)?;
    let media = ended.values("content-type");
    ensure_eq("the type", media, ["application/json; charset=utf-8"])?;
    ensure_eq("the body", ended.body(), TEXT)?;
    ensure("it is cut", !ended.answer.cut)?;
    for (path, status) in [("unavailable", 503), ("nothing", 204), ("elsewhere", 404)] {
        let ended = batches.get(path).await?;
        ensure_eq(path, (ended.answer.status, ended.failure), (status, None))?;
    }
    Ok(())
}

async fn a_header_that_stands_twice_stays_twice<D: Dispatch>(batches: &Batches<D>) -> Outcome {
    let ended = batches.get("headers").await?;
    let cookies = ended.values("set-cookie");
    ensure_eq("the cookies", cookies, ["a=1; Path=/", "b=2, with comma"])?;
    ensure_eq("another header", ended.values("x-own"), ["1"])
}

async fn a_compressed_body_is_decoded_and_no_longer_called_so<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let item = value!({
        "relative_url": "gzip", "method": "GET", "headers": { "Accept-Encoding": "gzip" },
    });
    let ended = batches.one(item).await?;
    ensure_eq("the body", ended.body(), TEXT)?;
    ensure_eq(
        "its encoding",
        ended.values("content-encoding"),
        Vec::<&str>::new(),
    )?;
    ensure_eq(
        "its length",
        ended.values("content-length"),
        Vec::<&str>::new(),
    )
}

async fn an_item_is_sent_with_its_method_query_headers_and_body<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    for method in ["POST", "PUT", "DELETE"] {
        let item = value!({
            "relative_url": "text?a=%20&b=1", "method": method, "body": TEXT,
            "headers": { "X-Own": "a, \"b\"", "Content-Type": "text/plain" },
        });
        ensure_eq(method, batches.one(item).await?.answer.status, 200)?;
        let seen = batches.get("seen").await?;
        let seen: Outgoing = serde_json::from_slice(&seen.answer.body)
            .map_err(|error| format!("{error}: {}", seen.body()))?;
        ensure_eq("the method", seen.method.as_str(), method)?;
        let url = format!("{}/text?a=%20&b=1", batches.server);
        ensure_eq("the address", seen.url.as_str(), url.as_str())?;
        ensure_eq("the body", seen.body.as_deref(), Some(TEXT))?;
        for (name, text) in [("x-own", "a, \"b\""), ("content-type", "text/plain")] {
            let field = (name.to_owned(), text.to_owned());
            let sent = seen.headers.contains(&field);
            ensure(
                format!("{name} is missing: {}", abbreviated(&seen.headers)),
                sent,
            )?;
        }
    }
    Ok(())
}

async fn an_answer_of_the_chain_itself_needs_no_upstream<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let ended = batches.get_of_nobody("mocked").await?;
    let status = ended.answer.status;
    ensure_eq(
        "the answer",
        (status, ended.body().as_str()),
        (203, "mocked"),
    )?;
    ensure_eq("its header", ended.values("x-mock"), ["1"])
}

async fn a_redirect_is_an_answer<D: Dispatch>(batches: &Batches<D>) -> Outcome {
    let ended = batches.get("absolute").await?;
    ensure_eq("the status", ended.answer.status, 302)?;
    let location = ended.values("location");
    ensure_eq(
        "where it leads",
        location,
        ["http://elsewhere.example/x?y=1"],
    )
}

fn limits(response_bytes: usize, total_bytes: usize) -> BatchLimits {
    BatchLimits {
        response_bytes,
        total_bytes,
        ..BatchLimits::default()
    }
}

/// Runs the same item `count` times, under limits for one response and for all.
async fn thousands<D: Dispatch>(
    batches: &Batches<D>,
    count: usize,
    limits: &BatchLimits,
) -> Result<Vec<bool>, String> {
    let item = value!({ "relative_url": "thousand", "method": "GET" });
    let ended = batches
        .run(&batches.server, limits, &vec![item; count])
        .await?;
    Ok(ended.iter().map(|ended| ended.answer.cut).collect())
}

async fn an_answer_within_the_budget_is_whole<D: Dispatch>(batches: &Batches<D>) -> Outcome {
    let cut = thousands(batches, 2, &limits(1000, 2000)).await?;
    ensure_eq("which are cut", cut, [false, false])
}

async fn what_lies_beyond_the_budget_of_an_item_is_cut<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let cut = thousands(batches, 1, &limits(999, 2000)).await?;
    ensure_eq("which are cut", cut, [true])
}

async fn what_lies_beyond_the_budget_of_all_items_is_cut<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let cut = thousands(batches, 3, &limits(1000, 2999)).await?;
    ensure_eq("which are cut", cut, [false, false, true])
}

async fn an_answer_without_end_is_cut<D: Dispatch>(batches: &Batches<D>) -> Outcome {
    let item = value!({ "relative_url": "endless", "method": "GET" });
    let ended = batches
        .run(&batches.server, &limits(1000, 2000), &[item])
        .await?;
    ensure("it is whole", ended.iter().all(|ended| ended.answer.cut))
}

async fn an_upstream_that_does_not_run_is_the_runs_failure<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let ended = batches.get_of_nobody("text").await?;
    ensure_eq("the failure", ended.failure, Some(Failure::UpstreamRefused))?;
    let wanted = Failure::UpstreamRefused.status();
    ensure_eq("the status", ended.answer.status, wanted)
}

async fn an_upstream_that_hangs_up_is_the_runs_failure<D: Dispatch>(
    batches: &Batches<D>,
) -> Outcome {
    let ended = batches.get("reset").await?;
    ensure_eq("the failure", ended.failure, Some(Failure::UpstreamRefused))
}

async fn an_upstream_that_is_silent_is_given_up<D: Dispatch>(batches: &Batches<D>) -> Outcome {
    let ended = batches.get("silent").await?;
    ensure_eq("the failure", ended.failure, Some(Failure::UpstreamTimeout))?;
    let wanted = Failure::UpstreamTimeout.status();
    ensure_eq("the status", ended.answer.status, wanted)
}
