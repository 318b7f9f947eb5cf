//! JDKs, Maven, and the Java projects of this repository. Maven's local repository is
//! `target/m2`.

use crate::run::{
    Failure, Result, command, digest, fail, files, fresh, once, read, root, run, target, write,
};
use crate::tools::cargo;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const JDK_MISSING: &str = "\
A JDK is missing: Java 17 or later with `javac`, in $JAVA_HOME, on the PATH or below /usr/lib/jvm
  Debian, Ubuntu:  apt-get install openjdk-17-jdk-headless
  elsewhere:       https://adoptium.net/";

const MAVEN_MISSING: &str = "\
Maven is missing: `mvn`, 3.8 or later
  Debian, Ubuntu:  apt-get install maven
  elsewhere:       https://maven.apache.org/download.cgi";

/// What Maven says when it cannot fetch something.
const REGISTRY_SILENT: [&str; 4] = [
    "Could not transfer",
    "Non-resolvable",
    "could not be resolved",
    "Could not resolve dependencies",
];

/// A JDK that was found.
#[derive(Clone, Debug)]
pub(crate) struct Jdk {
    home: PathBuf,
    /// Its feature release, for example 17.
    pub(crate) feature: u32,
    /// For example `17.0.15`.
    pub(crate) version: String,
}

impl Jdk {
    /// A program of its `bin`.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.home.join("bin").join(name)
    }

    /// What the `java` below a home, or on the PATH, says of itself.
    fn of(java: &Path) -> Option<Self> {
        let said = run(command(java).args(["-XshowSettings:properties", "-version"])).ok()?;
        let property = |name: &str| {
            let line = said
                .lines()
                .map(str::trim)
                .find_map(|line| line.strip_prefix(name))?;
            line.trim().strip_prefix("= ").map(str::to_owned)
        };
        let home = std::fs::canonicalize(property("java.home")?).ok()?;
        let jdk = Self {
            feature: property("java.specification.version")?.parse().ok()?,
            version: property("java.version ")?,
            home,
        };
        jdk.program("javac").exists().then_some(jdk)
    }
}

/// Every JDK 17 and later that is found, the oldest first; one of each version.
pub(crate) fn jdks() -> Result<&'static [Jdk]> {
    static JDKS: OnceLock<Vec<Jdk>> = OnceLock::new();
    let found = JDKS.get_or_init(|| {
        let mut javas = vec![PathBuf::from("java")];
        javas
            .extend(std::env::var_os("JAVA_HOME").map(|home| PathBuf::from(home).join("bin/java")));
        let installed = std::fs::read_dir("/usr/lib/jvm")
            .into_iter()
            .flatten()
            .flatten();
        javas.extend(installed.map(|entry| entry.path().join("bin/java")));
        let jdks = javas.iter().filter_map(|java| Jdk::of(java));
        let unique: BTreeMap<_, _> = jdks
            .filter(|jdk| jdk.feature >= 17)
            .map(|jdk| ((jdk.feature, jdk.version.clone()), jdk))
            .collect();
        unique.into_values().collect()
    });
    if found.is_empty() {
        return fail(JDK_MISSING);
    }
    Ok(found)
}

/// The oldest of the JDKs, which everything is built with.
fn oldest() -> Result<&'static Jdk> {
    let first = jdks()?.first();
    first.ok_or_else(|| Failure(JDK_MISSING.into()))
}

/// The version of Maven.
fn maven() -> Result<&'static str> {
    static MAVEN: OnceLock<Option<String>> = OnceLock::new();
    let jdk = oldest()?;
    let found = MAVEN.get_or_init(|| {
        // `Apache Maven 3.8.7`, or the version alone when it is quiet.
        let said = run(mvn_command(jdk).arg("--version")).ok()?;
        // Some terminals get an escape sequence before it, coloured or not.
        let mut words = said.split(|c: char| !c.is_ascii_digit() && c != '.');
        words.find(|word| word.contains('.')).map(str::to_owned)
    });
    found
        .as_deref()
        .ok_or_else(|| Failure(MAVEN_MISSING.into()))
}

/// The versions of what is found.
pub(crate) fn found() -> Result<String> {
    let jdks: Vec<String> = jdks()?
        .iter()
        .map(|jdk| format!("JDK {}", jdk.version))
        .collect();
    Ok(format!("{}, Maven {}", jdks.join(", "), maven()?))
}

fn mvn_command(jdk: &Jdk) -> Command {
    mvn_with(jdk, &target("m2"))
}

/// Maven with a local repository.
fn mvn_with(jdk: &Jdk, repository: &Path) -> Command {
    let mut mvn = command("mvn");
    mvn.env("JAVA_HOME", &jdk.home)
        .args(["--quiet", "--batch-mode", "--no-transfer-progress"])
        .arg(format!("-Dmaven.repo.local={}", repository.display()))
        .arg("-Dstyle.color=never");
    mvn
}

/// Runs goals of the project in a folder.
fn mvn(jdk: &Jdk, project: &Path, goals: &[&str]) -> Result<()> {
    maven()?;
    let mut mvn = mvn_command(jdk);
    mvn.args(goals).current_dir(project);
    run(&mut mvn).map(drop).map_err(|Failure(said)| {
        let silent = REGISTRY_SILENT.iter().any(|text| said.contains(text));
        Failure(if silent {
            format!(
                "Maven cannot fetch what it needs: its registry (Maven Central, or the mirror that ~/.m2/settings.xml names) \
                 does not answer, or lacks it\n\n{said}"
            )
        } else {
            said
        })
    })
}

/// Builds the runtime's jar and installs it in `target/m2`, when it is not the one there.
pub(crate) fn runtime() -> Result<()> {
    run(&mut cargo("build --quiet --release -p helixor-runtime-c"))?;
    let project = root().join("bindings/java");
    let key = digest(&[&project, &target("release/libhelixor_runtime.so")])?;
    once(&target("m2/helixor-runtime"), &key, || {
        mvn(oldest()?, &project, &["install", "-Dmaven.test.skip=true"])
    })
}

/// The runtime's jar, as installed.
pub(crate) fn runtime_jar() -> PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    target("m2/ai/helixor/helixor-runtime")
        .join(version)
        .join(format!("helixor-runtime-{version}.jar"))
}

/// Installs a generated SDK in `target/m2`.
pub(crate) fn install(project: &Path) -> Result<()> {
    mvn(oldest()?, project, &["install"])
}

/// Packages a project.
pub(crate) fn package(project: &Path) -> Result<()> {
    mvn(oldest()?, project, &["package"])
}

/// Puts the runtime's jar, with its sources and its documentation, into a folder that is a Maven repository.
pub(crate) fn deploy(repository: &Path) -> Result<()> {
    let jar = runtime_jar();
    let project = root().join("bindings/java");
    let folder = target("deploy");
    fresh(&folder)?;
    javadoc(&project, &jar, "bindings-java")?;
    for (kind, content) in [
        ("sources", project.join("src/main/java")),
        ("javadoc", target("javadoc/bindings-java")),
    ] {
        let mut pack = command(oldest()?.program("jar"));
        pack.args([
            "--create",
            "--no-manifest",
            "--date=1980-01-01T00:00:02Z",
            "--file",
        ]);
        pack.arg(folder.join(kind).with_extension("jar"));
        run(pack.arg("-C").arg(content).arg("."))?;
    }
    // Maven deploys nothing out of its own repository.
    for kind in ["jar", "pom"] {
        std::fs::copy(
            jar.with_extension(kind),
            folder.join("runtime").with_extension(kind),
        )?;
    }
    let mut mvn = mvn_command(oldest()?);
    mvn.arg("org.apache.maven.plugins:maven-deploy-plugin:3.1.4:deploy-file")
        .arg(format!("-Dfile={}", folder.join("runtime.jar").display()))
        .arg(format!(
            "-DpomFile={}",
            folder.join("runtime.pom").display()
        ))
        .arg(format!(
            "-Dsources={}",
            folder.join("sources.jar").display()
        ))
        .arg(format!(
            "-Djavadoc={}",
            folder.join("javadoc.jar").display()
        ))
        .arg(format!("-Durl=file://{}", repository.display()));
    run(&mut mvn)?;
    // They tell which versions there are, and the time.
    let artifact = repository.join("ai/helixor/helixor-runtime");
    for file in files(&artifact)? {
        if file.to_string_lossy().starts_with("maven-metadata") {
            std::fs::remove_file(artifact.join(file))?;
        }
    }
    Ok(())
}

/// A local repository that has what was fetched into `target/m2`, and nothing of ours that was
/// installed there.
pub(crate) fn repository_away() -> Result<PathBuf> {
    let repository = target("m2-away");
    for file in files(&target("m2"))? {
        let ours = ["ai/helixor", "com/example"]
            .iter()
            .any(|group| file.starts_with(group));
        let to = repository.join(&file);
        if !ours && file.components().count() > 1 && !to.exists() {
            std::fs::create_dir_all(to.parent().unwrap_or(&repository))?;
            std::fs::copy(target("m2").join(&file), to)?;
        }
    }
    let ours = repository.join("ai/helixor");
    if ours.exists() {
        std::fs::remove_dir_all(ours)?;
    }
    Ok(repository)
}

/// Maven in a project, with a local repository and settings of its own.
pub(crate) fn mvn_away(project: &Path, repository: &Path, settings: &Path) -> Result<Command> {
    let mut mvn = mvn_with(oldest()?, repository);
    mvn.arg("--global-settings")
        .arg(settings)
        .current_dir(project);
    Ok(mvn)
}

/// Copies an artifact, `group:name:version`, into a folder.
pub(crate) fn copy(artifact: &str, folder: &Path) -> Result<()> {
    let mut mvn = mvn_command(oldest()?);
    mvn.arg("dependency:copy")
        .arg(format!("-Dartifact={artifact}"))
        .arg(format!("-DoutputDirectory={}", folder.display()));
    run(&mut mvn).map(drop)
}

/// Documents the sources of a project in `target/javadoc` as users read them: a fault in a comment
/// fails.
pub(crate) fn javadoc(project: &Path, class_path: &Path, name: &str) -> Result<()> {
    let sources = project.join("src/main/java");
    let mut javadoc = command(oldest()?.program("javadoc"));
    javadoc
        .args(["-quiet", "-Xdoclint:all", "-Werror", "-d"])
        .arg(target("javadoc").join(name))
        .arg("-classpath")
        .arg(class_path);
    for file in files(&sources)? {
        if file.extension().is_some_and(|kind| kind == "java") {
            javadoc.arg(sources.join(file));
        }
    }
    run(&mut javadoc).map(drop)
}

/// The folder of the oldest JDK.
pub(crate) fn home() -> Result<&'static Path> {
    Ok(&oldest()?.home)
}

/// The folder of the oldest JDK's programs.
pub(crate) fn bin() -> Result<PathBuf> {
    Ok(oldest()?.program(""))
}

/// `java`, of the oldest JDK.
pub(crate) fn java() -> Result<Command> {
    Ok(command(oldest()?.program("java")))
}

/// Compiles a program and the committed client that it uses into a folder, and says the class path to
/// run it with.
pub(crate) fn compile(program: &Path, classes: &Path) -> Result<String> {
    runtime()?;
    fresh(classes)?;
    let jar = runtime_jar();
    let sources = root().join("generated/java/src/main/java");
    let mut javac = command(bin()?.join("javac"));
    javac
        .arg("-d")
        .arg(classes)
        .arg("-cp")
        .arg(&jar)
        .arg(program);
    run(javac.args(files(&sources)?.iter().map(|file| sources.join(file))))?;
    Ok(format!("{}:{}", classes.display(), jar.display()))
}

/// Compiles and tests the runtime, the SDKs of the fixtures and the conformance tests with one
/// JDK, all anew; says how many tests there were.
pub(crate) fn junit(jdk: &Jdk, fixtures: &Path, sdks: &[String]) -> Result<String> {
    let mut modules = vec![root().join("bindings/java"), root().join("tests/java")];
    fresh(&target("java"))?;
    for sdk in sdks {
        let project = fixtures.join("sdk").join(sdk).join("java");
        fresh(&project.join("target"))?;
        modules.push(project);
    }
    // One build of all: Maven finds their order.
    let reactor = target("java-reactor");
    let up = "../../";
    let modules: String = modules
        .iter()
        .filter_map(|module| module.strip_prefix(root()).ok())
        .map(|module| format!("    <module>{up}{}</module>\n", module.display()))
        .collect();
    write(
        &reactor.join("pom.xml"),
        &format!(
            "<project xmlns=\"http://maven.apache.org/POM/4.0.0\">\n  <modelVersion>4.0.0</modelVersion>\n  \
             <groupId>ai.helixor</groupId>\n  <artifactId>reactor</artifactId>\n  <version>0.1.0</version>\n  \
             <packaging>pom</packaging>\n  <modules>\n{modules}  </modules>\n</project>\n"
        ),
    )?;
    mvn(jdk, &reactor, &["verify"])?;
    let mut tests = 0;
    for file in files(&target("java"))? {
        let report = file.to_string_lossy().contains("surefire-reports/TEST-");
        if !report {
            continue;
        }
        // `<testsuite ... tests="12" ...>`
        let said = read(&target("java").join(&file))?;
        let count = said
            .split(" tests=\"")
            .nth(1)
            .and_then(|rest| rest.split('"').next());
        tests += count
            .and_then(|count| count.parse::<usize>().ok())
            .unwrap_or(0);
    }
    match tests {
        0 => fail("JUnit ran no test"),
        n => Ok(format!("{n} tests, JDK {}", jdk.version)),
    }
}
