//! The rows of long lists.

use std::time::Duration;

use leptos::prelude::*;

use super::{live, only};

/// How many rows fill a window of usual height.
const WINDOW: usize = 16;

/// Builds the rows of a list. What is shown first when a page opens are those that fill a window; the others follow once
/// these have been painted. Later changes are built at once, so that neither the position nor the focus is lost.
#[derive(Clone, Copy)]
pub struct Rows {
    opened: StoredValue<bool>,
}

impl Rows {
    /// Creates the rows of a page that is just being opened.
    pub fn opening() -> Self {
        Self {
            opened: StoredValue::new(false),
        }
    }

    /// Builds rows, each when it is asked for.
    pub fn of(self, rows: impl Iterator<Item = AnyView> + 'static) -> AnyView {
        self.built(Box::new(rows))
    }

    fn built(self, mut rows: Box<dyn Iterator<Item = AnyView>>) -> AnyView {
        if self.opened.get_value() {
            return rows.collect::<Vec<_>>().into_any();
        }
        self.opened.set_value(true);
        let first = rows.by_ref().take(WINDOW).collect::<Vec<_>>();
        let others = StoredValue::new_local(Some(rows));
        let painted = RwSignal::new(false);
        // A frame is painted after its callbacks.
        request_animation_frame(move || {
            let then = move || {
                let _ = painted.try_set(true);
            };
            set_timeout(then, Duration::ZERO);
        });
        let rest = move || {
            let rows = others.try_update_value(Option::take).flatten();
            rows.into_iter().flatten().collect::<Vec<_>>().into_any()
        };
        view! {
            {first}
            {live(move || only(painted.get(), rest))}
        }
        .into_any()
    }
}
