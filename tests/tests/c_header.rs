//! The C header is what cbindgen and the table of codes make of the library today.
#![allow(clippy::unwrap_used)]

use helixor_playbook::Code;
use std::fs;
use std::path::Path;

/// `enum HelixorStatus`, from the one table of codes.
fn statuses() -> String {
    let mut text =
        "\n/* What calls return. */\nenum HelixorStatus {\n    HELIXOR_OK = 0".to_owned();
    for code in Code::ALL {
        text += &format!(",\n    HELIXOR_ERR_{} = {}", code.as_str(), code.number());
    }
    text + "\n};"
}

#[test]
fn the_header_is_current() {
    let library = Path::new(env!("CARGO_MANIFEST_DIR")).join("../bindings/c");
    let mut config = cbindgen::Config::from_file(library.join("cbindgen.toml")).unwrap();
    config.after_includes = Some(statuses());
    let mut made = Vec::new();
    cbindgen::Builder::new()
        .with_src(library.join("src/lib.rs"))
        .with_config(config)
        .generate()
        .unwrap()
        .write(&mut made);
    let made = String::from_utf8(made).unwrap();
    let path = library.join("include/helixor_runtime.h");
    if std::env::var_os("HELIXOR_BLESS").is_some() {
        fs::write(&path, &made).unwrap();
    }
    let header = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        header == made,
        "{} is not current; write it anew with: HELIXOR_BLESS=1 cargo test -p conformance --test c_header",
        path.display()
    );
}
