//! The state of the overview: its window, its API, and the filters of its failures. All of it is in the address.

use crate::api::figures::failures::FailureKind;
use crate::routes;
use crate::state::Memo;
use crate::state::address::Address;
use crate::state::failures::Narrowed;

/// The state.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) address: Address,
    pub(super) window: Memo<&'static str>,
    /// Empty for all APIs.
    pub(super) api_id: Memo<String>,
    pub(super) narrowed: Memo<Narrowed>,
}

impl Place {
    /// Changes the filters of the failures.
    pub(super) fn narrow(self, act: impl FnOnce(&mut Narrowed)) {
        let mut narrowed = self.narrowed.get_untracked();
        act(&mut narrowed);
        self.go(&self.api_id.get_untracked(), &narrowed);
    }

    /// Filters the failures by one kind, and the page by its API.
    pub(super) fn narrow_to(self, kind: &FailureKind) {
        let narrowed = self
            .narrowed
            .with_untracked(|narrowed| narrowed.to_kind(kind));
        self.go(&kind.api_id, &narrowed);
    }

    fn go(self, api_id: &str, narrowed: &Narrowed) {
        let place = routes::overview(self.window.get_untracked(), api_id);
        self.address.replace(&match narrowed.query() {
            query if query.is_empty() => place,
            query => format!("{place}&{query}"),
        });
    }
}
