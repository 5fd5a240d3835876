//! An analysis that stands between the edits of a person: models are kept by content, the linked program is patched,
//! and what concerns the edited files is asked anew. Everything else stays as the last whole analysis left it.
//!
//! A quick answer is an approximation on the way to the next whole one: which names may differ, and which functions
//! reach a collective, are those of before, with everything in the edited files counted in. Rules that weigh every file
//! against every other ([`PATIENT`]) wait for the whole analysis; their findings move with the text meanwhile.

mod change;
mod moves;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    Analysis, Check, FileRecord, Modelled, Options, SourceFile, guarded, line_count, model_of, run, script_comments,
    sort, syntax_error,
};
use crate::base::{FileId, FunctionId, Site, Span, Symbol};
use crate::graph::{Prepared, Program, divergence, orders, outline_prepared};
use crate::meta;
use crate::model::{Detail, File, FunctionKind, LocalFunction};
use crate::rules::{Group, Rule, Script};
use crate::vocabulary::detail_of;

use change::Change;
use moves::Moves;

/// Rules of other groups that need the environment reads of all files, or the protocol of the whole program.
const PATIENT: &[&str] =
    &["inherited-temp", "dead-timeout-setting", "init-without-timeout", "missing-destroy", "oversized-time-out"];

/// Whether a rule looks at all files: it is asked by whole analyses only.
fn is_patient(rule: &Rule) -> bool {
    matches!(rule.group, Group::Parity | Group::ControlPlane) || PATIENT.contains(&rule.name)
}

/// Models of files by path, kept for as long as their text stays the same.
#[derive(Default)]
pub struct Models(Mutex<FxHashMap<String, Modelled>>);

impl Models {
    fn of(&self, path: String, text: Arc<str>) -> Modelled {
        let kept = self.0.lock().expect("no thread panics while it looks").get(&path).cloned();
        if let Some(kept) = kept.filter(|kept| kept.entry.text == text) {
            return kept;
        }
        let detail = detail_of(&text);
        let modelled = model_of(path.clone(), text, detail);
        self.0.lock().expect("no thread panics while it puts").insert(path, modelled.clone());
        modelled
    }

    /// Forgets the files that are not `wanted`.
    pub fn retain(&self, wanted: impl Fn(&str) -> bool) {
        self.0.lock().expect("no thread panics while it forgets").retain(|path, _| wanted(path));
    }
}

/// A finished analysis with all that a quick one builds on.
pub struct Standing {
    /// The result: that of the last whole analysis, with what has been asked anew since.
    pub analysis: Analysis,
    program: Option<Program>,
    prepared: Option<Prepared>,
    by_path: Arc<FxHashMap<String, FileId>>,
    /// By the last part of a module's name: the files that mention it in an import, as the last whole analysis saw
    /// them.
    importers: FxHashMap<&'static str, Vec<FileId>>,
    /// Functions that read differently since the last whole analysis was asked about their files.
    fresh: FxHashSet<(FileId, LocalFunction)>,
}

impl Standing {
    /// Analyses the sources, inside the current pool. None when `stop` was set on the way.
    pub fn of(
        sources: Vec<SourceFile>,
        options: &Options<'_>,
        models: &Models,
        stop: &Arc<AtomicBool>,
    ) -> Option<Standing> {
        let (analysis, linked) = run(sources, options, &|path, text| models.of(path, text), stop);
        if stop.load(super::Atomic::Relaxed) {
            return None;
        }
        let (program, prepared) = linked.map_or((None, None), |(program, prepared)| (Some(program), prepared));
        let numbered = analysis.files.iter().enumerate();
        let by_path = Arc::new(numbered.map(|(index, file)| (file.path.clone(), FileId(index as u32))).collect());
        let importers = program.as_ref().map(importers).unwrap_or_default();
        Some(Standing { analysis, program, prepared, by_path, importers, fresh: FxHashSet::default() })
    }

    /// The file of that path, when the last whole analysis knew it.
    pub fn file(&self, path: &str) -> Option<FileId> {
        self.by_path.get(path).copied()
    }

    /// All files of the last whole analysis by path.
    pub fn paths(&self) -> Arc<FxHashMap<String, FileId>> {
        self.by_path.clone()
    }

    /// The innermost function around a place: where it is defined, and what it issues.
    pub fn outline(&self, file: FileId, offset: u32) -> Option<(Span, String)> {
        let (program, prepared) = (self.program.as_ref()?, self.prepared.as_ref()?);
        let model = &program.files.get(file.index())?.model;
        let around = (0..model.functions.len() as u32).map(LocalFunction).filter(|&local| {
            let function = model.function(local);
            function.kind == FunctionKind::Def && function.span.start <= offset && offset <= function.span.end
        });
        let local = around.max_by_key(|&local| model.function(local).span.start)?;
        let function = program.function_id(file, local);
        catch_unwind(AssertUnwindSafe(|| outline_prepared(program, prepared, function)))
            .ok()
            .flatten()
            .map(|text| (model.function(local).span, text))
    }

    /// The functions of a file that issue something, with what it is.
    pub fn outlines(&self, file: FileId) -> Vec<(Span, String)> {
        let (Some(program), Some(prepared)) = (&self.program, &self.prepared) else { return Vec::new() };
        let Some(entry) = program.files.get(file.index()) else { return Vec::new() };
        let locals = (0..entry.model.functions.len() as u32).map(LocalFunction);
        locals
            .filter(|&local| entry.model.function(local).kind == FunctionKind::Def)
            .filter(|&local| prepared.reaches(program.function_id(file, local)))
            .filter_map(|local| {
                let function = program.function_id(file, local);
                let text = catch_unwind(AssertUnwindSafe(|| outline_prepared(program, prepared, function))).ok()??;
                Some((entry.model.function(local).span, text))
            })
            .collect()
    }

    /// Puts another text of a file in place of the one that was analysed. False where a quick answer is not to be had:
    /// the file is new, or could not be read before.
    pub fn replace(&mut self, path: &str, text: &Arc<str>, options: &Options<'_>, models: &Models) -> bool {
        let Some(file) = self.file(path) else { return false };
        let record = &self.analysis.files[file.index()];
        if record.text == *text {
            return true;
        }
        let Some(program) = &mut self.program else { return false };
        let change = Change::between(&record.text, text);
        let before = line_count(&record.text);
        if file.index() >= program.files.len() {
            let known = record.path.ends_with(".sh") || record.path.ends_with(".bash");
            if !known || record.text.is_empty() {
                return false;
            }
            let comments = script_comments(text);
            self.analysis.files[file.index()] = FileRecord { path: path.to_owned(), text: text.clone(), comments };
            self.analysis.findings.retain(|finding| finding.site.file != file);
            self.ask_script(file, options);
        } else {
            let modelled = models.of(path.to_owned(), text.clone());
            let skeleton = |model: &File| model.function(model.module()).skeleton;
            let was_whole = !skeleton(&program.file(file).model);
            // What was read in full for the sake of others stays so.
            let modelled = match was_whole && skeleton(&modelled.entry.model) {
                true => model_of(path.to_owned(), text.clone(), Detail::Full),
                false => modelled,
            };
            let comments = modelled.entry.model.comments.clone();
            self.analysis.files[file.index()] = FileRecord { path: path.to_owned(), text: text.clone(), comments };
            let mut moves = Moves::between(&program.file(file).text, &program.file(file).model, &modelled.entry);
            let change = change.keeping(std::mem::take(&mut moves.kept));
            self.prepared = self.prepared.take().map(|prepared| moves.carry(program, &prepared, file));
            let before = self.fresh.iter().filter(|(at, _)| *at == file);
            let before: Vec<u32> = before.filter_map(|(_, local)| moves.now[local.0 as usize]).collect();
            self.fresh.retain(|(at, _)| *at != file);
            self.fresh.extend(before.iter().chain(&moves.fresh).map(|&index| (file, LocalFunction(index))));
            program.replace(file, modelled.entry);
            for finding in &mut self.analysis.findings {
                change.follow(finding, file);
            }
            self.analysis
                .findings
                .retain(|finding| finding.rule != meta::SYNTAX_ERROR.name || finding.site.file != file);
            self.analysis.findings.extend(modelled.syntax_error.map(|error| syntax_error(file, error)));
        }
        self.analysis.lines = self.analysis.lines + line_count(text) - before;
        true
    }

    /// Asks anew about `files`, inside the current pool, and puts the answers in place of the old ones. When `stop` is
    /// set on the way, what needs the traces of functions stays as it was; false then.
    pub fn ask(&mut self, files: &[FileId], options: &Options<'_>, stop: &Arc<AtomicBool>) -> bool {
        let done = self.asked(files, None, options, stop);
        if done {
            self.fresh.retain(|(file, _)| !files.contains(file));
        }
        done
    }

    /// The same, tracing only the functions of `files` that read differently.
    pub fn ask_changed(&mut self, files: &[FileId], options: &Options<'_>, stop: &Arc<AtomicBool>) -> bool {
        let known = |file: FileId| self.program.as_ref().is_some_and(|program| file.index() < program.files.len());
        let fresh = self.fresh.iter().copied().filter(|&(file, _)| files.contains(&file) && known(file)).collect();
        self.asked(files, Some(fresh), options, stop)
    }

    /// The functions of `near` that by their names may call what reads differently in `edited`, and those that may call
    /// these: the nearest first. What stands far above calls much else, so that it takes longest.
    pub fn callers_in(&self, edited: &[FileId], near: &[FileId]) -> Vec<Callers> {
        let Some(program) = &self.program else { return Vec::new() };
        let known = |file: &&FileId| file.index() < program.files.len();
        let name = |file: FileId, local: LocalFunction| program.file(file).model.called(local);
        let fresh = self.fresh.iter().filter(|(file, _)| edited.contains(file) && file.index() < program.files.len());
        let mut names: FxHashSet<Symbol> = fresh.flat_map(|&(file, local)| name(file, local)).collect();
        let mut seen: FxHashSet<(FileId, LocalFunction)> = FxHashSet::default();
        let mut rings = Vec::new();
        for _ in 0..MAX_DISTANCE {
            let mut ring = Vec::new();
            for &file in near.iter().filter(known) {
                for (function, local) in program.file(file).model.functions.iter().zip(0..) {
                    let at = (file, LocalFunction(local));
                    let calls = function.mentions.iter().any(|mentioned| names.contains(mentioned));
                    if calls && seen.len() < MAX_CALLERS && seen.insert(at) {
                        ring.push(at);
                    }
                }
            }
            if ring.is_empty() {
                break;
            }
            names.extend(ring.iter().flat_map(|&(file, local)| name(file, local)));
            rings.push(Callers(ring));
        }
        rings
    }

    /// The same for some callers: a change of a helper is seen there before everything else around it is asked about.
    pub fn ask_callers(&mut self, callers: &Callers, options: &Options<'_>, stop: &Arc<AtomicBool>) -> bool {
        let (Some(program), Some(prepared)) = (&self.program, &self.prepared) else { return false };
        let ids: Vec<FunctionId> = callers.0.iter().map(|&(file, local)| program.function_id(file, local)).collect();
        self.prepared = Some(prepared.carried(Some, &ids));
        let mut files: Vec<FileId> = callers.0.iter().map(|&(file, _)| file).collect();
        files.sort_unstable();
        files.dedup();
        self.asked(&files, Some(callers.0.clone()), options, stop)
    }

    /// Asks about `files`, tracing `functions` of them, or else all that are worth it.
    fn asked(
        &mut self,
        files: &[FileId],
        functions: Option<Vec<(FileId, LocalFunction)>>,
        options: &Options<'_>,
        stop: &Arc<AtomicBool>,
    ) -> bool {
        let (Some(program), Some(prepared)) = (&mut self.program, &self.prepared) else { return false };
        let python: Vec<FileId> = files.iter().copied().filter(|file| file.index() < program.files.len()).collect();
        let wanted: FxHashSet<FileId> = python.iter().copied().collect();
        let mut from: Vec<FileId> = python.clone();
        let traced_in = functions.as_ref().map(|functions| {
            let site = |&(file, local)| Site { file, span: program.file(file).model.function(local).span };
            functions.iter().map(site).collect::<Vec<Site>>()
        });
        let prepared = match functions {
            Some(functions) => {
                let ids = functions.into_iter().map(|(file, local)| program.function_id(file, local));
                prepared.only(ids, stop.clone())
            }
            None => {
                // What is found in these files may have been found from elsewhere: those places are asked as well.
                for finding in self.analysis.findings.iter().filter(|finding| wanted.contains(&finding.site.file)) {
                    for related in &finding.related {
                        if !from.contains(&related.site.file) && from.len() < python.len() + MAX_ELSEWHERE {
                            from.push(related.site.file);
                        }
                    }
                }
                prepared.again(stop.clone())
            }
        };
        from.retain(|file| file.index() < program.files.len());
        from.sort_unstable();
        program.refocus(from.iter().copied());
        let program = &*program;
        let stopped = || stop.load(super::Atomic::Relaxed);
        let asked: Vec<&'static Rule> = options.rules.iter().copied().filter(|rule| !is_patient(rule)).collect();
        let answers = catch_unwind(AssertUnwindSafe(|| {
            let mut found = Vec::new();
            for &file in &python {
                // One file is asked about in any case: its person waits.
                if python.len() > 1 && stopped() {
                    break;
                }
                for rule in &asked {
                    if let Check::File(check) | Check::FileAndScript(check, _) = rule.check {
                        found.push(guarded(|findings| check(program, file, findings)));
                    }
                }
            }
            program.keep(vec![
                divergence(program, &prepared, &from, super::ask::spread),
                orders(program, &prepared, &from),
            ]);
            let mut traced = Vec::new();
            for rule in &asked {
                if let (Check::Program(check), false) = (rule.check, stopped()) {
                    traced.push(guarded(|findings| check(program, findings)));
                }
            }
            (found, traced)
        }));
        // A defect is reported by the next whole analysis.
        let Ok((found, traced)) = answers else { return false };
        let done = !stopped();
        if !done && python.len() > 1 {
            return false;
        }
        let holds = |site: Site| match &traced_in {
            None => wanted.contains(&site.file),
            Some(functions) => functions.iter().any(|function| {
                function.file == site.file
                    && function.span.start <= site.span.start
                    && site.span.start < function.span.end
            }),
        };
        let is_traced =
            |name: &str| asked.iter().any(|rule| rule.name == name && matches!(rule.check, Check::Program(_)));
        let is_asked = |name: &str| {
            let of_file = |rule: &&Rule| matches!(rule.check, Check::File(_) | Check::FileAndScript(..));
            asked.iter().any(|rule| rule.name == name && of_file(rule))
        };
        let findings = &mut self.analysis.findings;
        findings.retain(|finding| match is_traced(finding.rule) {
            true => !(done && holds(finding.site)),
            false => !(wanted.contains(&finding.site.file) && is_asked(finding.rule)),
        });
        findings
            .extend(found.into_iter().filter_map(Result::ok).flatten().filter(|new| wanted.contains(&new.site.file)));
        if done {
            findings.extend(traced.into_iter().filter_map(Result::ok).flatten().filter(|new| holds(new.site)));
        }
        sort(findings, &self.analysis.files);
        done
    }

    /// Files that may call what `file` defines, the nearest first: those that import its module, and those that import
    /// them.
    pub fn callers(&self, file: FileId) -> Vec<FileId> {
        let Some(program) = self.program.as_ref().filter(|program| file.index() < program.files.len()) else {
            return Vec::new();
        };
        if !self.matters(program, file) {
            return Vec::new();
        }
        let mut out = Vec::new();
        let mut seen = FxHashSet::from_iter([file]);
        let mut around = vec![file];
        for _ in 0..MAX_DISTANCE {
            let mut next = Vec::new();
            for near in around {
                let importers = self.importers.get(last(program.module_name(near))).map(Vec::as_slice);
                for &other in importers.unwrap_or_default() {
                    if program.same_tree(other, file) && seen.insert(other) {
                        if self.matters(program, other) {
                            out.push(other);
                        }
                        next.push(other);
                    }
                }
            }
            around = next;
        }
        out
    }

    /// Whether a collective can be reached from a function of the file.
    fn matters(&self, program: &Program, file: FileId) -> bool {
        let Some(prepared) = &self.prepared else { return false };
        let count = program.file(file).model.functions.len() as u32;
        (0..count).any(|index| prepared.reaches(program.function_id(file, LocalFunction(index))))
    }

    fn ask_script(&mut self, file: FileId, options: &Options<'_>) {
        let script = Script { file, text: &self.analysis.files[file.index()].text, facts: &options.facts };
        for rule in options.rules {
            if let Check::Script(check) | Check::FileAndScript(_, check) = rule.check {
                let found = guarded(|findings| check(&script, findings)).unwrap_or_default();
                self.analysis.findings.extend(found);
            }
        }
        sort(&mut self.analysis.findings, &self.analysis.files);
    }
}

/// Functions that may call what was edited, all as far from it.
pub struct Callers(Vec<(FileId, LocalFunction)>);

/// Files outside that are asked because a finding's explanation leads there.
const MAX_ELSEWHERE: usize = 8;

/// Functions that are asked at once because they may call what was edited.
const MAX_CALLERS: usize = 64;

/// Imports that are followed backwards.
const MAX_DISTANCE: usize = 2;

/// The last part of a dotted name.
fn last(name: Symbol) -> &'static str {
    name.as_str().rsplit('.').next().unwrap_or_default()
}

/// Which files mention a name in an import.
fn importers(program: &Program) -> FxHashMap<&'static str, Vec<FileId>> {
    let mut out: FxHashMap<&'static str, Vec<FileId>> = FxHashMap::default();
    for file in program.file_ids() {
        for (_, import) in &program.file(file).model.imports {
            let names = import.names.iter().map(|alias| alias.name);
            for name in import.module.into_iter().chain(names).map(last) {
                let files = out.entry(name).or_default();
                if files.last() != Some(&file) {
                    files.push(file);
                }
            }
        }
    }
    out
}

#[cfg(test)]
mod tests;
