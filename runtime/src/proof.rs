//! The proof of a decision: a digest that anyone who has the state can make again.

use crate::program::{Outcome, Program};
use crate::state::State;
use helixor_playbook::canonical::{self, Style};
use helixor_playbook::{Digest, Node};

/// SHA-256 of `<pack_id>:<action>:<verdict>:<normal state>`, the state as canonical JSON in spaced
/// style.
pub(crate) fn proof(program: &Program, state: &State, outcome: &Outcome) -> Digest {
    let playbook = program.playbook();
    let action = playbook
        .actions
        .get(outcome.action)
        .map_or("", |action| action.as_str());
    Digest::of(
        format!(
            "{}:{action}:{}:{}",
            playbook.pack_id,
            outcome.verdict,
            state_json(program, state)
        )
        .as_bytes(),
    )
}

fn state_json(program: &Program, state: &State) -> String {
    let fields = &program.playbook().fields;
    let entries = fields
        .iter()
        .zip(state.values())
        .map(|(f, v)| (f.name.as_str(), Node::from(v)));
    // A normal state holds only finite numbers, so there is always a JSON form.
    canonical::write(&Node::map(entries), Style::Spaced).unwrap_or_default()
}
