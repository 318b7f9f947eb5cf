//! A command's stages, one after the other, and the table of how they went.

use crate::run::Result;
use std::io::Write;
use std::time::Instant;

/// The stages done so far.
pub(crate) struct Stages<'o> {
    out: &'o mut dyn Write,
    start: Instant,
    done: Vec<Stage>,
}

struct Stage {
    name: String,
    passed: bool,
    seconds: f64,
    /// In a word or two: how much was tested, or why not.
    detail: String,
}

impl<'o> Stages<'o> {
    pub(crate) fn new(out: &'o mut dyn Write) -> Self {
        Self {
            out,
            start: Instant::now(),
            done: Vec::new(),
        }
    }

    /// Runs a stage, if those it needs have passed, and tells how it went.
    pub(crate) fn stage(
        &mut self,
        name: &str,
        needs: &[&str],
        work: impl FnOnce() -> Result<String>,
    ) -> Result<()> {
        write!(self.out, "  {name:<24}")?;
        self.out.flush()?;
        let start = Instant::now();
        let passed = |need: &&&str| {
            self.done
                .iter()
                .any(|stage| stage.name == **need && stage.passed)
        };
        let (result, output) = match needs.iter().find(|need| !passed(need)) {
            Some(need) => (Err(format!("not run: {need} failed")), None),
            None => match work() {
                Ok(detail) => (Ok(detail), None),
                Err(failure) => (Err("see above".to_owned()), Some(failure)),
            },
        };
        let stage = Stage {
            name: name.to_owned(),
            passed: result.is_ok(),
            seconds: start.elapsed().as_secs_f64(),
            detail: result.unwrap_or_else(|why| why),
        };
        let word = if stage.passed { "passed" } else { "FAILED" };
        writeln!(self.out, "{:>7.1} s  {word}", stage.seconds)?;
        if let Some(failure) = output {
            writeln!(self.out, "\n{failure}\n")?;
        }
        self.done.push(stage);
        Ok(())
    }

    /// One table of all, and the count in the last line.
    pub(crate) fn summary(self) -> Result<bool> {
        let out = self.out;
        writeln!(out, "\n  {:<24}{:>9}  result", "stage", "seconds")?;
        writeln!(out, "  {}", "-".repeat(60))?;
        for stage in &self.done {
            let word = if stage.passed { "passed" } else { "FAILED" };
            let line = format!(
                "  {:<24}{:>9.1}  {word}  {}",
                stage.name, stage.seconds, stage.detail
            );
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out, "  {}", "-".repeat(60))?;
        writeln!(
            out,
            "  {:<24}{:>9.1}\n",
            "all",
            self.start.elapsed().as_secs_f64()
        )?;
        let passed = self.done.iter().filter(|stage| stage.passed).count();
        let failed = self.done.len() - passed;
        writeln!(out, "{passed} passed, {failed} failed")?;
        Ok(failed == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::fail;

    #[test]
    fn a_stage_that_needs_a_failed_one_is_not_run() {
        let mut out = Vec::new();
        let mut stages = Stages::new(&mut out);
        stages.stage("one", &[], || Ok("5 tests".into())).unwrap();
        stages.stage("two", &["one"], || fail("it broke")).unwrap();
        stages
            .stage("three", &["two"], || panic!("was run"))
            .unwrap();
        assert!(!stages.summary().unwrap());
        let text = String::from_utf8(out).unwrap();
        for part in ["it broke", "5 tests", "not run: two failed"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.lines().last(), Some("1 passed, 2 failed"));
    }
}
