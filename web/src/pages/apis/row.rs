//! One API of the list.

use leptos::prelude::*;

use super::actions::RowActions;
use super::face::{Face, kind_badge};
use super::{DELETED, pick};
use crate::api::Summary;
use crate::components::{
    Glyph, Menu, MenuItem, MenuLink, Selection, StateBadge, When, each, left_out, only,
};
use crate::routes;
use crate::state::use_console;

/// Tags shown in a row; the rest is a count.
const TAGS_SHOWN: usize = 2;

/// A row.
#[component]
pub(super) fn ApiRow(
    face: &'static Face,
    api: Summary,
    by_tag: Callback<String>,
    actions: RowActions,
    selection: Selection,
) -> impl IntoView {
    let name = api.title().to_owned();
    // A list of one kind needs no badge in each row.
    let kind = kind_badge(api.document.filter(|_| face.document.is_none()));
    let deleted = api.state == DELETED;
    let select = match deleted {
        true => view! { <td class="col-select"></td> }.into_any(),
        false => selection.cell(pick(&api)),
    };
    let href = if deleted {
        routes::revisions(&api.api_id)
    } else {
        routes::api_page(&api.api_id, api.document)
    };
    let domain = (!api.domain.is_empty())
        .then(|| view! { <code class="domain">{api.domain.clone()}</code> }.into_any());
    let warnings = (api.warnings > 0).then(|| {
        let text = if api.warnings == 1 {
            "1 warning".to_owned()
        } else {
            format!("{} warnings", api.warnings)
        };
        view! { <span class="warned">{text}</span> }.into_any()
    });
    view! {
        <tr class:gone=deleted>
            {select}
            <th scope="row" class="cell-name">
                <a href=href>{name}</a>
                <span class="cell-sub">
                    {kind}
                    <code class="api-id">{api.api_id.clone()}</code>
                    <Tags tags=api.tags.clone() by_tag=by_tag />
                </span>
            </th>
            <td data-label="Listen path" class="cell-path">
                <code>{api.listen_path.clone()}</code>
                {domain}
            </td>
            <td data-label="Target" class="cell-target">
                <code>{api.target_url.clone()}</code>
            </td>
            <td data-label="State" class="cell-state">
                <StateBadge state=api.state.clone() pending=api.pending.clone() problem=api.problem.clone() />
                {warnings}
            </td>
            <td data-label="Updated" class="cell-when">
                <When at=api.updated_at.clone() />
            </td>
            <td class="col-actions">
                <RowMenu api=api actions=actions />
            </td>
        </tr>
    }
}

#[component]
fn Tags(tags: Vec<String>, by_tag: Callback<String>) -> impl IntoView {
    let others = left_out(tags.get(TAGS_SHOWN..).unwrap_or_default());
    let tag = move |tag: String| {
        let (wanted, title) = (tag.clone(), format!("Show only APIs tagged {tag}"));
        view! {
            <button type="button" class="tag" title=title on:click=move |_| by_tag.run(wanted.clone())>
                {tag}
            </button>
        }
        .into_any()
    };
    let shown = each(tags.into_iter().take(TAGS_SHOWN), tag);
    view! {
        {shown}
        {others}
    }
}

#[component]
fn RowMenu(api: Summary, actions: RowActions) -> impl IntoView {
    let console = use_console();
    let label = format!("Actions for {}", api.title());
    let api = StoredValue::new(api);
    let items = move || {
        let shown = api.get_value();
        let writes = !console.only_reads();
        let with = move |act: Callback<Summary>| Callback::new(move |()| act.run(api.get_value()));
        if shown.state == DELETED {
            return view! {
                {only(writes, || view! { <MenuItem glyph=Glyph::History label="Restore" on_choose=with(actions.restore) /> }.into_any())}
                <MenuLink glyph=Glyph::Edit label="Revisions" href=routes::revisions(&shown.api_id) />
                <MenuItem glyph=Glyph::Copy label="Copy id" on_choose=with(actions.copy_id) />
            }
            .into_any();
        }
        let toggle = if shown.active {
            "Deactivate"
        } else {
            "Activate"
        };
        let export = only(shown.document.is_some(), || {
            view! { <MenuItem glyph=Glyph::Export label="Export" on_choose=with(actions.export) /> }
                .into_any()
        });
        let may_try = console.may_try();
        let try_it = only(may_try, || {
            view! { <MenuLink glyph=Glyph::Play label="Try it" href=routes::try_it(&shown.api_id) /> }.into_any()
        });
        let batch = only(may_try && shown.batch, || {
            view! { <MenuLink glyph=Glyph::Batch label="Run a batch" href=routes::batch(&shown.api_id) /> }.into_any()
        });
        view! {
            <MenuLink glyph=Glyph::Edit label=if writes { "Edit" } else { "Open" } href=routes::api_page(&shown.api_id, shown.document) />
            <MenuLink glyph=Glyph::History label="Revisions" href=routes::revisions(&shown.api_id) />
            {try_it}
            {batch}
            {export}
            <MenuItem glyph=Glyph::Copy label="Copy id" on_choose=with(actions.copy_id) />
            {only(writes, || view! {
                <MenuItem glyph=Glyph::Power label=toggle on_choose=with(actions.toggle) />
                <MenuItem glyph=Glyph::Trash label="Delete…" danger=true on_choose=with(actions.delete) />
            }.into_any())}
        }
        .into_any()
    };
    view! { <Menu label=label>{items()}</Menu> }
}
