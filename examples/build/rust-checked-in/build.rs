//! Generates the typed client of the manifest into `src/packs`, which is under version control.

fn main() -> Result<(), helixor_sdk_gen::Error> {
    let sdk = helixor_sdk_gen::configure()
        .manifest("embedded-pack-manifest.json")
        .rust()
        .checked_in("src/packs");
    // Nobody commits what a build server writes: there, what is committed must be current.
    let sdk = match std::env::var_os("CI") {
        Some(_) => sdk.check(),
        None => sdk,
    };
    sdk.generate()
}
