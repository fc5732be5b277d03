//! The plan of an action: what will happen to each document, and what can't be done and why; then the results.

use std::collections::BTreeSet;

use js_sys::Date;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::input::Input;
use super::report::Outcomes;
use super::run::{Run, each_of};
use super::users::Users;
use crate::api::Api;
use crate::components::{Dialog, Notice, Tint, each, live, only};
use crate::state::Memo;
use crate::state::bulk::change::named;
use crate::state::bulk::plan::{Line, Order, Plan, Seen, Step};
use crate::state::bulk::report::{Report, why};
use crate::state::bulk::selection::Pick;
use crate::state::bulk::verb::{Asks, Verb};
use crate::state::bulk::{Kind, read_path};
use crate::state::clock::unix_seconds;
use crate::state::task::Task;

/// What was read of each document, in order of arrival.
type Looked = Vec<(Pick, Result<Seen, String>)>;

/// What a plan is computed from, and its results.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    api: Api,
    pub(super) kind: Kind,
    pub(super) verb: Verb,
    pub(super) picks: StoredValue<Vec<Pick>>,
    looked: RwSignal<Looked>,
    /// What could not be read.
    unseen: RwSignal<Vec<String>>,
    input: RwSignal<String>,
    insists: RwSignal<bool>,
    /// Whether it has started.
    pub(super) begun: RwSignal<bool>,
    /// Whether it is being undone.
    pub(super) back: RwSignal<bool>,
    pub(super) run: Run,
    pub(super) task: Task,
    on_change: Callback<String>,
    pub(super) on_again: Callback<(Verb, Vec<Pick>)>,
    pub(super) on_close: Callback<()>,
}

impl Desk {
    fn total(self) -> usize {
        self.picks.with_value(Vec::len)
    }

    /// Whether everything has been read.
    fn ready(self) -> bool {
        self.looked.with(Vec::len) >= self.total()
    }

    fn order(self) -> Order {
        Order {
            verb: self.verb,
            kind: self.kind,
            input: self.input.get(),
            insists: self.insists.get(),
            now: now(),
        }
    }

    fn look(self) {
        let Self {
            api,
            kind,
            verb,
            looked,
            ..
        } = self;
        let picks = self.picks.get_value();
        if verb == Verb::Export {
            let seen = picks.into_iter().map(|pick| (pick, Ok(Seen::default())));
            return looked.set(seen.collect());
        }
        spawn_local(async move {
            let users = match Users::matter(kind, verb) {
                true => Some(Users::load(api, kind).await),
                false => None,
            };
            if let Some(users) = &users {
                self.unseen.try_set(users.unseen.clone());
            }
            let look = async |pick: Pick| {
                let seen = self.seen(&pick, users.as_ref()).await;
                looked
                    .try_update(|looked| looked.push((pick, seen)))
                    .is_some()
            };
            each_of(picks, look).await;
            // The results are in order of arrival; the plan is in order of selection.
            let order = self.picks.try_get_value().unwrap_or_default();
            looked.try_update(|looked| {
                let at = |(pick, _): &(Pick, _)| order.iter().position(|known| known == pick);
                looked.sort_by_cached_key(at);
            });
        });
    }

    /// Reads one document and what names it.
    async fn seen(self, pick: &Pick, users: Option<&Users>) -> Result<Seen, String> {
        let Self { api, kind, .. } = self;
        let document = api.stored(&read_path(kind, pick)).await;
        let document = document.map_err(|error| why(&error))?;
        let (users, unseen) = match users {
            Some(users) => users.of(api, kind, pick).await,
            None => (Vec::new(), None),
        };
        if let Some(why) = unseen {
            // As a rule it is the same for all of them.
            self.unseen.try_update(|known| {
                if !known.contains(&why) {
                    known.push(why);
                }
            });
        }
        Ok(Seen { document, users })
    }

    /// Carries out a plan.
    pub(super) fn carry_out(self, lines: Vec<Line>) {
        let passphrase = self.input.get_untracked();
        self.run.report.set(Report::begin(&lines));
        self.run.stop.set(false);
        self.begun.set(true);
        self.task.run(async move {
            if self.verb == Verb::Export {
                return self.run.export(lines, passphrase).await;
            }
            self.run.carry_out(lines).await;
            let deletes = self.verb == Verb::Delete && self.back.try_get_untracked() == Some(false);
            let gone = self.run.report.try_with_untracked(|report| {
                let gone: Vec<&str> = report.done().iter().map(|pick| &*pick.id).collect();
                if deletes {
                    gone.join("\n")
                } else {
                    String::new()
                }
            });
            self.on_change.try_run(gone.unwrap_or_default());
        });
    }
}

fn now() -> i64 {
    unix_seconds(Date::now()).unwrap_or_default()
}

/// The dialog, open as long as it is mounted.
#[component]
pub(super) fn PlanDialog(
    /// The client of both APIs.
    api: Api,
    /// The kind of the documents.
    kind: Kind,
    /// The action.
    verb: Verb,
    /// The documents.
    picks: Vec<Pick>,
    /// Runs after a change, with the ids of what was deleted.
    on_change: Callback<String>,
    /// Makes a new plan for some of the documents.
    on_again: Callback<(Verb, Vec<Pick>)>,
    /// Closes it.
    on_close: Callback<()>,
) -> impl IntoView {
    let title = verb.title(kind, picks.len());
    let desk = Desk {
        api,
        kind,
        verb,
        picks: StoredValue::new(picks),
        looked: RwSignal::new(Vec::new()),
        unseen: RwSignal::new(Vec::new()),
        input: RwSignal::new(String::new()),
        insists: RwSignal::new(false),
        begun: RwSignal::new(false),
        back: RwSignal::new(false),
        run: Run {
            api,
            kind,
            report: RwSignal::new(Report::default()),
            stop: RwSignal::new(false),
        },
        task: Task::new(),
        on_change,
        on_again,
        on_close,
    };
    desk.look();
    // What is running is stopped first, and then the report is shown.
    let close = Callback::new(move |()| {
        if desk.task.busy_untracked() {
            desk.run.stop.set(true);
        } else {
            on_close.run(());
        }
    });
    let body = move || {
        if desk.begun.get() {
            view! { <Outcomes desk=desk /> }.into_any()
        } else {
            view! { <Planned desk=desk /> }.into_any()
        }
    };
    view! {
        <Dialog title=title on_close=close class="wide">{live(body)}</Dialog>
    }
}

#[component]
fn Planned(desk: Desk) -> impl IntoView {
    let Desk {
        kind, verb, input, ..
    } = desk;
    let missing = move || verb.takes(&input.get(), now()).err();
    // The plan is only made once everything has been read.
    let plan = Memo::new(move |_| {
        let wanted = desk.ready() && missing().is_none();
        wanted.then(|| desk.looked.with(|looked| Plan::of(&desk.order(), looked)))
    });
    let count = move || plan.with(|plan| plan.as_ref().map_or(0, Plan::count));
    let holds = Memo::new(move |_| {
        let held = plan.with(|plan| plan.as_ref().is_some_and(Plan::holds));
        verb == Verb::Delete && (held || desk.insists.get())
    });
    let known = Memo::new(move |_| {
        let mut found = BTreeSet::new();
        // Not on every arrival: that would compute the plan once per document.
        if !desk.ready() {
            return found;
        }
        desk.looked.with(|looked| {
            for (pick, seen) in looked {
                let text = seen.as_ref().map(|seen| &*seen.document.text);
                found.extend(named(verb, pick, text.unwrap_or_default()));
            }
        });
        found
    });
    let state = move || match missing() {
        _ if !desk.ready() => format!(
            "Looking at what is stored: {} of {}",
            desk.looked.with(Vec::len),
            desk.total()
        ),
        Some(why) if verb.asks() != Asks::Nothing => why.to_owned(),
        _ => plan.with(|plan| plan.as_ref().map(Plan::words).unwrap_or_default()),
    };
    let insist = move || {
        view! {
            <label class="check">
                <input
                    type="checkbox"
                    role="switch"
                    prop:checked=move || desk.insists.get()
                    on:change=move |event| desk.insists.set(event_target_checked(&event))
                />
                <span>"Also delete what is used elsewhere"</span>
            </label>
        }
        .into_any()
    };
    let unseen =
        |why: String| view! { <Notice tint=Tint::Amber><span>{why}</span></Notice> }.into_any();
    let lines = move || {
        plan.with(|plan| {
            each(plan.iter().flat_map(|plan| &plan.lines), |planned| {
                line(planned)
            })
        })
    };
    let go = move |_| {
        let plan = plan.get_untracked().unwrap_or_default();
        desk.carry_out(plan.lines);
    };
    let label = move || desk.order().button(count());
    let class = if verb.is_danger() {
        "btn btn-danger"
    } else {
        "btn btn-primary"
    };
    view! {
        <div class="dialog-body">
            <p class="muted">{verb.means(kind)}</p>
            <Input api=desk.api verb=verb input=input known=known />
            {live(move || each(desk.unseen.get(), unseen))}
            {live(move || only(holds.get(), insist))}
            <p role="status" class="bulk-words">{live(state)}</p>
            <ul class="bulk-lines" aria-label="What will happen">{live(lines)}</ul>
        </div>
        <footer class="dialog-foot">
            <button type="button" class="btn" autofocus={verb.is_danger()} on:click=move |_| desk.on_close.run(())>"Cancel"</button>
            <button type="button" class=class disabled=move || count() == 0 on:click=go>{live(label)}</button>
        </footer>
    }
}

fn line(line: &Line) -> AnyView {
    let class = match line.step {
        Step::Cannot => "bulk-line bulk-bad",
        Step::Held => "bulk-line bulk-held",
        Step::Already => "bulk-line bulk-idle",
        Step::Send(..) | Step::Export => "bulk-line",
    };
    let name = line.pick.name.clone();
    let says = line.says.clone();
    view! { <li class=class><strong>{name}</strong><span>{says}</span></li> }.into_any()
}
