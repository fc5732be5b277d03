//! The state of the view: which page, what is unfolded on it, which entries of a list.

use gatewright_model::json::quote;

/// What was folded and unfolded by hand.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Folds {
    open: Vec<String>,
    shut: Vec<String>,
}

impl Folds {
    pub(super) fn set(&mut self, pointer: &str, open: bool) {
        let (to, from) = if open {
            (&mut self.open, &mut self.shut)
        } else {
            (&mut self.shut, &mut self.open)
        };
        from.retain(|folded| folded != pointer);
        if !to.iter().any(|folded| folded == pointer) {
            to.push(pointer.to_owned());
        }
    }
}

/// Which entries of a list page are shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sheet {
    /// The page it applies to; it is ignored on any other one.
    pub(super) at: String,
    pub(super) from: usize,
    pub(super) filter: String,
}

impl Sheet {
    /// Returns the selection for a page.
    pub(super) fn on(&self, at: &str) -> Self {
        if self.at == at {
            self.clone()
        } else {
            Self {
                at: at.to_owned(),
                ..Self::default()
            }
        }
    }
}

/// Serialises the view for the module, see `View` of `web/src/editor/form.rs`.
pub(super) fn view_json(
    at: &str,
    folds: &Folds,
    from: usize,
    filter: &str,
    held: Option<(String, String)>,
    missing: &[String],
) -> String {
    let list = |pointers: &[String]| {
        let quoted: Vec<String> = pointers.iter().map(|pointer| quote(pointer)).collect();
        quoted.join(",")
    };
    let held = held.map_or_else(
        || "null".to_owned(),
        |(pointer, control)| format!("[{},{}]", quote(&pointer), quote(&control)),
    );
    format!(
        "{{\"at\":{},\"open\":[{}],\"shut\":[{}],\"from\":{from},\"filter\":{},\"held\":{held},\"missing\":[{}]}}",
        quote(at),
        list(&folds.open),
        list(&folds.shut),
        quote(filter),
        list(missing),
    )
}
