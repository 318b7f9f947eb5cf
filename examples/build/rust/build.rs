//! Generates the typed client of the manifest into `OUT_DIR`, when the manifest has changed.

fn main() -> Result<(), helixor_sdk_gen::Error> {
    helixor_sdk_gen::configure()
        .manifest("embedded-pack-manifest.json")
        .rust()
        .generate()
}
