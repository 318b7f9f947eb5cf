//! "Is it my pack?": what a client accepts and refuses, one row per reason.

use crate::packs::{PACKS, playbook};
use helixor_playbook::{
    ActionId, Digest, FieldKind, FieldName, Interface, InterfaceField, Node, PackId, RuleId, Value,
};

/// One client's interface document held against a pack.
#[derive(Clone, Debug)]
pub struct Row {
    /// What is special about the client.
    pub name: &'static str,
    /// The pack, one of [`PACKS`].
    pub pack: &'static str,
    /// Its interface.
    pub client: Interface,
    /// Whether the client takes a pack of other content but the same interface.
    pub accept_same_interface: bool,
    /// What the PACK_MISMATCH must say; empty: the pack must be accepted.
    pub says: &'static str,
}

impl Row {
    pub(crate) fn to_node(&self) -> Node {
        Node::map([
            ("name", self.name.into()),
            ("pack", self.pack.into()),
            ("client", self.client.to_json().into()),
            ("accept_same_interface", self.accept_same_interface.into()),
            ("says", self.says.into()),
        ])
    }
}

const LOAN_DESK: &str = "loan_desk";
const EVERY_FIELD: &str = "every_field";

/// The interface of a pack.
fn own(name: &str) -> Interface {
    let pack = PACKS.iter().find(|pack| pack.name == name);
    let playbook = pack.and_then(|pack| playbook(pack.source).ok());
    #[expect(
        clippy::expect_used,
        reason = "a file of this crate, valid by its tests"
    )]
    Interface::from(&playbook.expect("the playbook is valid"))
}

fn field<'i>(interface: &'i mut Interface, name: &str) -> &'i mut InterfaceField {
    #[expect(clippy::expect_used, reason = "rows name fields of the pack")]
    interface
        .fields
        .iter_mut()
        .find(|field| field.name.as_str() == name)
        .expect("a field")
}

/// The rows: most begin at the pack's own interface.
pub fn rows() -> Vec<Row> {
    let row_of = |pack, name, says, change: fn(&mut Interface)| {
        let mut client = own(pack);
        change(&mut client);
        Row {
            name,
            pack,
            client,
            accept_same_interface: false,
            says,
        }
    };
    let row = |name, says, change| row_of(LOAN_DESK, name, says, change);
    let mut rows = vec![
        row("the very interface", "", |_| {}),
        row("every list reversed", "", |i| {
            i.fields.reverse();
            i.actions.reverse();
            i.rules.reverse();
        }),
        row("tied to no playbook", "", |i| i.raw_pack_sha256 = None),
        row("another version", "", |i| {
            i.pack_version = Some("0.0.1".into())
        }),
        row("no version, a command", "", |i| {
            i.pack_version = None;
            i.regenerate = Some("make sdk".into());
        }),
        row("a bound as a float", "", |i| {
            field(i, "age").max_value = Some(Value::Number(130.0))
        }),
        row(
            "another pack id",
            "pack id: the client has `acme.loan_desk.v2`",
            |i| {
                i.pack_id = PackId::new("acme.loan_desk.v2").unwrap_or_else(|_| i.pack_id.clone());
            },
        ),
        row(
            "a field too many",
            "field `extra` is in the client but not in the pack",
            |i| {
                let mut extra = field(i, "age").clone();
                if let Ok(name) = FieldName::new("extra") {
                    extra.name = name;
                }
                i.fields.push(extra);
            },
        ),
        row(
            "a field too few",
            "field `points` is in the pack but not in the client",
            |i| {
                i.fields.retain(|f| f.name.as_str() != "points");
            },
        ),
        row(
            "another type",
            "type of field `points`: the client has number, the pack has integer",
            |i| {
                field(i, "points").kind = FieldKind::Number;
            },
        ),
        row(
            "not required",
            "`required` of field `age`: the client has false, the pack has true",
            |i| {
                field(i, "age").required = false;
            },
        ),
        row(
            "another lower bound",
            "`min_value` of field `age`: the client has 1, the pack has 0",
            |i| {
                field(i, "age").min_value = Some(Value::Integer(1));
            },
        ),
        row(
            "no lower bound",
            "`min_value` of field `amount`: the client has none, the pack has 0",
            |i| {
                field(i, "amount").min_value = None;
            },
        ),
        row(
            "another upper bound",
            "`max_value` of field `age`: the client has 130.5, the pack has 130",
            |i| {
                field(i, "age").max_value = Some(Value::Number(130.5));
            },
        ),
        row(
            "an upper bound too many",
            "`max_value` of field `amount`: the client has 9, the pack has none",
            |i| {
                field(i, "amount").max_value = Some(Value::Integer(9));
            },
        ),
        row(
            "an action too many",
            "action `panic` is in the client but not in the pack",
            |i| {
                i.actions.extend(ActionId::new("panic"));
            },
        ),
        row(
            "an action too few",
            "action `hide_score` is in the pack but not in the client",
            |i| {
                i.actions.retain(|a| a.as_str() != "hide_score");
            },
        ),
        row(
            "a rule too many",
            "hard rule `NEW` is in the client but not in the pack",
            |i| {
                i.rules.extend(RuleId::new("NEW"));
            },
        ),
        row(
            "a rule too few",
            "hard rule `MINOR` is in the pack but not in the client",
            |i| {
                i.rules.retain(|r| r.as_str() != "MINOR");
            },
        ),
        row(
            "allowed values the pack lacks",
            "`allowed_values` of field `age`",
            |i| {
                field(i, "age").allowed_values = Some(vec!["a".into()]);
            },
        ),
        row("another playbook", "same interface, other content", |i| {
            i.raw_pack_sha256 = Some(Digest::of(b"another"));
        }),
        row(
            "every difference is told",
            "action `panic` is in the client but not in the pack; hard rule",
            |i| {
                i.actions.extend(ActionId::new("panic"));
                i.rules.retain(|r| r.as_str() != "MINOR");
            },
        ),
        row(
            "regenerate is told",
            "(client: pack `acme.loan_desk.v1` version 2.1.0",
            |i| {
                i.raw_pack_sha256 = Some(Digest::of(b"another"));
                i.regenerate = Some("make sdk".into());
            },
        ),
    ];
    let mut accepting = row("another playbook, accepted", "", |i| {
        i.raw_pack_sha256 = Some(Digest::of(b"another"));
    });
    accepting.accept_same_interface = true;
    rows.push(accepting);
    let mut accepting = row(
        "another interface is never accepted",
        "`required` of field `age`",
        |i| {
            field(i, "age").required = false;
        },
    );
    accepting.accept_same_interface = true;
    rows.push(accepting);
    let row = |name, says, change| row_of(EVERY_FIELD, name, says, change);
    rows.extend([
        row("every kind of field", "", |_| {}),
        row("a closed set in another order", "", |i| {
            let tier = field(i, "tier");
            tier.allowed_values.iter_mut().for_each(|set| set.reverse());
        }),
        row("a closed set that the client does not know", "", |i| {
            field(i, "tier").allowed_values = None;
        }),
        row(
            "a smaller closed set",
            "`allowed_values` of field `tier_default`: the client has {\"gold\"}, the pack has {\"gold\", \"silver\"}",
            |i| field(i, "tier_default").allowed_values = Some(vec!["gold".into()]),
        ),
        row(
            "closed in the client only",
            "`allowed_values` of field `text`: the client has {\"EUR\"}, the pack has none",
            |i| field(i, "text").allowed_values = Some(vec!["EUR".into()]),
        ),
        row(
            "no text in the client",
            "type of field `text`: the client has integer, the pack has string",
            |i| field(i, "text").kind = FieldKind::Integer,
        ),
        row(
            "required in the client only",
            "`required` of field `flag_optional`: the client has true, the pack has false",
            |i| field(i, "flag_optional").required = true,
        ),
    ]);
    rows
}
