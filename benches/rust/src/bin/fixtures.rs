//! Writes what the benches in other languages open: of each workload the playbook (`<name>.yaml`) and the
//! sealed pack (`<name>.hxpack`), and the licence for them with its authority.
#![forbid(unsafe_code)]

use helixor_bench::packs;
use helixor_bench::workload::Workload;
use helixor_runtime::license::Limits;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".into()));
    std::fs::create_dir_all(&folder)?;
    let issued = packs::license(Limits::NONE);
    std::fs::write(folder.join("helixor.hxlic"), &issued.json)?;
    std::fs::write(folder.join("authority.pem"), &issued.authority_pem)?;
    for workload in Workload::all() {
        let name = workload.pack_id.split('.').nth(1).unwrap_or_default();
        std::fs::write(folder.join(format!("{name}.yaml")), workload.playbook())?;
        let sealed = packs::seal(&workload, &issued.license);
        std::fs::write(folder.join(format!("{name}.hxpack")), sealed)?;
    }
    Ok(())
}
