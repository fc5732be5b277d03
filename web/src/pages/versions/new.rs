//! Creates a version: a copy of an existing one, with a name of its own.

use gatewright_model::json::parse;
use gatewright_model::openapi::stored;
use leptos::ev::SubmitEvent;
use leptos::prelude::*;

use super::Desk;
use crate::api::ApiError;
use crate::api::versions::NewVersion;
use crate::components::{
    Dialog, Failure, Notice, Shown, TextField, Tint, button, each, live, maybe, task_label,
};
use crate::routes;
use crate::state::task::Task;
use crate::state::versions::{copied, path_beside};

/// What the dialog is opened with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Started {
    /// The index of the version that it is copied from.
    from: usize,
}

impl Desk {
    /// Opens the dialog, for a copy of this version or of the first one that can be copied.
    pub(super) fn start(self, from: Option<usize>) {
        let first = untrack(|| self.good()).and_then(|found| found.source());
        if let Some(from) = from.or(first) {
            self.making.set(Some(Started { from }));
        }
    }
}

/// Why it was not stored.
#[derive(Clone)]
enum Trouble {
    Api(ApiError),
    Copy(String),
}

/// The fields of the dialog.
#[derive(Clone, Copy)]
struct Form {
    desk: Desk,
    from: RwSignal<usize>,
    name: RwSignal<String>,
    base_name: RwSignal<String>,
    /// The listen path; `None` until one is typed: then it follows the name.
    path: RwSignal<Option<String>>,
    is_default: RwSignal<bool>,
    trouble: RwSignal<Option<Trouble>>,
    task: Task,
}

impl Form {
    fn text(self) -> String {
        let found = self.desk.good();
        let member = found
            .as_ref()
            .and_then(|found| found.members.get(self.from.get()));
        member
            .and_then(|member| member.document())
            .unwrap_or_default()
            .to_owned()
    }

    fn path(self) -> String {
        if let Some(path) = self.path.get() {
            return path;
        }
        let text = self.text();
        let document = parse(&text).ok();
        let extension = document.as_ref().and_then(stored::extension);
        let listen =
            extension.and_then(|(_, value)| value.pointer("/server/listenPath/value")?.as_str());
        path_beside(listen.unwrap_or_default(), &self.name.get())
    }

    /// Whether the base has no name among its versions yet.
    fn names_base(self) -> bool {
        let found = self.desk.good();
        let chooser = found.as_ref().and_then(|found| found.chooser.as_ref());
        chooser.is_none_or(|chooser| chooser.own_name.is_empty())
    }

    fn ready(self) -> bool {
        let filled = |text: &String| !text.trim().is_empty();
        self.name.with(filled)
            && (!self.names_base() || self.base_name.with(filled))
            && !self.path().is_empty()
    }

    async fn store(self) {
        let Some(found) = untrack(|| self.desk.good()) else {
            return;
        };
        let console = self.desk.console;
        let name = self.name.get_untracked().trim().to_owned();
        let base_name = match untrack(|| self.names_base()) {
            true => self.base_name.get_untracked().trim().to_owned(),
            false => String::new(),
        };
        let new = NewVersion {
            base: found.base.clone(),
            base_name,
            is_default: self.is_default.get_untracked(),
            name,
        };
        let copy = untrack(|| copied(&self.text(), &new.name, self.path().trim()));
        let stored = match copy {
            Ok(text) => console
                .api
                .add_version(&text, &new)
                .await
                .map_err(Trouble::Api),
            Err(error) => Err(Trouble::Copy(error.to_string())),
        };
        match stored {
            Ok(created) => {
                console.board.again();
                console
                    .toasts
                    .good(format!("Saved {} as a version.", new.name));
                console.address.go(&routes::openapi(&created.id));
            }
            Err(trouble) => drop(self.trouble.try_set(Some(trouble))),
        }
    }
}

/// The dialog.
#[component]
pub(super) fn NewVersionDialog(desk: Desk, started: Started) -> impl IntoView {
    let form = Form {
        desk,
        from: RwSignal::new(started.from),
        name: RwSignal::new(String::new()),
        base_name: RwSignal::new("v1".to_owned()),
        path: RwSignal::new(None),
        is_default: RwSignal::new(false),
        trouble: RwSignal::new(None),
        task: Task::new(),
    };
    let close = Callback::new(move |()| desk.making.set(None));
    let submit = move |event: SubmitEvent| {
        event.prevent_default();
        if untrack(|| form.ready()) {
            form.trouble.set(None);
            form.task.run(form.store());
        }
    };
    let trouble = move || maybe(form.trouble.get(), trouble_view);
    let path = Signal::derive(move || form.path());
    view! {
        <Dialog title="New version" on_close=close>
            <form class="dialog-form" on:submit=submit novalidate>
                <div class="dialog-body">
                    {live(trouble)}
                    <Source form=form />
                    <TextField needed=true label="Name of the version" hint="The value in a request that selects it." value=form.name on_text=Callback::new(move |text| form.name.set(text)) />
                    <Shown when=move || form.names_base()>
                        <TextField needed=true label="Name of the base" hint="The value in a request that selects the current API." value=form.base_name on_text=Callback::new(move |text| form.base_name.set(text)) />
                    </Shown>
                    <TextField needed=true label="Listen path" hint="Its own address, besides that of the base." value=path on_text=Callback::new(move |text| form.path.set(Some(text))) />
                    <label class="check">
                        <input type="checkbox" role="switch" prop:checked=form.is_default on:change=move |event| form.is_default.set(event_target_checked(&event)) />
                        "Requests that name no version get it"
                    </label>
                </div>
                <footer class="dialog-foot">
                    <span class="foot-note">"Saved at once, served from the next reload."</span>
                    {button("btn", "Cancel", move || close.run(()))}
                    <button type="submit" class="btn btn-primary" disabled=move || form.task.busy() || !form.ready()>
                        {task_label(form.task, "Save", "Saving…")}
                    </button>
                </footer>
            </form>
        </Dialog>
    }
}

fn trouble_view(trouble: Trouble) -> AnyView {
    match trouble {
        Trouble::Api(error) => view! { <Failure error=error /> }.into_any(),
        Trouble::Copy(text) => {
            view! { <Notice tint=Tint::Red><span role="alert">{format!("It can't be copied: {text}.")}</span></Notice> }.into_any()
        }
    }
}

/// The version that the new one is copied from.
#[component]
fn Source(form: Form) -> impl IntoView {
    let found = untrack(|| form.desk.good());
    let members = found
        .iter()
        .flat_map(|found| found.members.iter().enumerate());
    let known = members.filter(|(_, member)| member.document().is_some());
    let known: Vec<(usize, String)> = known
        .map(|(at, member)| (at, member.called().to_owned()))
        .collect();
    let option = move |(at, name): (usize, String)| {
        let selected = form.from.get_untracked() == at;
        view! { <option value=at.to_string() selected=selected>{name}</option> }.into_any()
    };
    let choose = move |event| {
        if let Ok(at) = event_target_value(&event).parse() {
            form.from.set(at);
        }
    };
    view! {
        <label class="field">
            <span>"Copied from"</span>
            <select class="input" on:change=choose>{each(known, option)}</select>
        </label>
    }
}
