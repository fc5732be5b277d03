//! Pagination.

use leptos::prelude::*;

use crate::components::each;

use crate::api::SummaryPage;
use crate::state::Memo;
use crate::state::filters::{Filters, PAGE_SIZES};

/// The range of APIs shown, and the links to the other pages.
#[component]
pub(super) fn Paging(
    found: SummaryPage,
    filters: Memo<Filters>,
    set_filters: Callback<Filters>,
) -> impl IntoView {
    let SummaryPage {
        apis,
        page,
        pages,
        total,
    } = found;
    let per_page = u64::from(filters.get_untracked().per_page);
    let before = u64::from(page.saturating_sub(1)).saturating_mul(per_page);
    let shown = u64::try_from(apis.len()).unwrap_or_default();
    let range = format!(
        "{}–{} of {total}",
        before.saturating_add(1),
        before.saturating_add(shown)
    );
    let (first, last) = (page <= 1, page >= pages);
    let go = move |page: u32| {
        set_filters.run(Filters {
            page,
            ..filters.get_untracked()
        })
    };
    let size = move |event| {
        let per_page = event_target_value(&event)
            .parse()
            .unwrap_or(crate::state::filters::PAGE_SIZE);
        set_filters.run(Filters {
            per_page,
            page: 1,
            ..filters.get_untracked()
        });
    };
    view! {
        <nav class="paging" aria-label="Paging">
            <p class="muted">{range}</p>
            <label class="page-size">
                <span class="muted">"Per page"</span>
                <select class="input input-small" prop:value=per_page.to_string() on:change=size>
                    {each(PAGE_SIZES, |size| view! { <option value=size.to_string() selected=u64::from(size) == per_page>{size}</option> }.into_any())}
                </select>
            </label>
            <div class="paging-steps">
                <button type="button" class="btn btn-small" disabled=first on:click=move |_| go(page.saturating_sub(1))>"Previous"</button>
                <span class="muted small">{format!("Page {page} of {}", pages.max(1))}</span>
                <button type="button" class="btn btn-small" disabled=last on:click=move |_| go(page.saturating_add(1))>"Next"</button>
            </div>
        </nav>
    }
}
