import { basename, dirname, join } from "node:path/posix";
import { blocksOf, graftBlocks, keepsTests, maskRust } from "@ccw-loop/core";

/** How tests of Rust are made ordinary functions. */
export interface Calling {
  /** The name of the module of ours that every crate gets, and that keeps its tests. */
  harness: string;
  edition: string;
}

/** The conditions of an attribute, and those that an expression asks for; in a masked text. */
const CONDITION = /#!?\s*\[\s*cfg(?:_attr)?\s*\([^[\]]*\]|\bcfg\s*!\s*\([^;{}]*?\)/g;
const ATTRIBUTE = /#\s*\[[^[\]]*(?:\[[^[\]]*\][^[\]]*)*\]/g;
/** A test without parameters, and its attributes. */
const TEST =
  /((?:#\s*\[[^[\]]*\]\s*)*?#\s*\[\s*test\s*\]\s*(?:#\s*\[[^[\]]*\]\s*)*)(?:pub(?:\s*\([^)]*\))?\s+)?fn\s+((?:r#)?\w+)\s*\(\s*\)/g;
const OF_HARNESS = /^#\s*\[\s*(?:cfg_attr\b.*,\s*)?(?:test|ignore|should_panic)\b/s;

interface Edit {
  from: number;
  to: number;
  text: string;
}

/**
 * Tests as ordinary code: what is compiled for tests alone is compiled always, and every test function without parameters
 * is registered with the harness before `main` begins. Lines stay where they are.
 */
export function withCallableTests(text: string, calling: Calling): string {
  const masked = maskRust(text);
  const edits = [...masked.matchAll(CONDITION)].flatMap(({ 0: found, index }) =>
    withoutTest(found, index),
  );
  for (const { 1: attributes = "", 2: name = "", index } of masked.matchAll(TEST)) {
    const all = [...attributes.matchAll(ATTRIBUTE)].map((one) => {
      const from = index + one.index;
      return { from, to: from + one[0].length, text: text.slice(from, from + one[0].length) };
    });
    const about = all.map((one) => unconditional(one.text));
    const ofHarness = all.filter((one) => OF_HARNESS.test(one.text));
    edits.unshift(
      { from: index, to: index, text: registration(name, about, calling) },
      ...ofHarness.map((one) => ({ ...one, text: one.text.replaceAll(/[^\n]/g, " ") })),
    );
  }
  return edited(text, edits);
}

/** Conditions as they are where tests are compiled. */
function unconditional(text: string): string {
  const found = [...maskRust(text).matchAll(CONDITION)];
  return edited(
    text,
    found.flatMap(({ 0: one, index }) => withoutTest(one, index)),
  );
}

function withoutTest(condition: string, at: number): Edit[] {
  return [...condition.matchAll(/\btest\b/g)].map(({ index }) => {
    return { from: at + index, to: at + index + 4, text: "all()" };
  });
}

function edited(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { from, to, text: instead } of edits.toSorted((a, b) => a.from - b.from)) {
    // What is taken away needs no edits inside of it.
    if (from < done) continue;
    parts.push(text.slice(done, from), instead);
    done = to;
  }
  return parts.join("") + text.slice(done);
}

/** What has a test registered before `main`: in one line, under the conditions of the test. */
function registration(
  name: string,
  attributes: readonly string[],
  { harness, edition }: Calling,
): string {
  const conditions = attributes.flatMap((one) => {
    if (/^#\s*\[\s*cfg\s*\(/.test(one)) return [one.replaceAll("\n", " ")];
    if (/^#\s*\[\s*ignore\b/.test(one)) return ["#[cfg(any())]"];
    const ignoredIf = /^#\s*\[\s*cfg_attr\s*\((.*),\s*ignore\b/s.exec(one)?.[1];
    return ignoredIf === undefined ? [] : [`#[cfg(not(${ignoredIf}))]`.replaceAll("\n", " ")];
  });
  const panics = attributes.find((one) => /\bshould_panic\b/.test(one)) ?? "";
  const text = /\bshould_panic\b[^"]*("(?:\\.|[^"\\])*")/s.exec(panics)?.[1] ?? '""';
  const onlyIf = /^#\s*\[\s*cfg_attr\s*\((.*),\s*should_panic\b/s.exec(panics)?.[1] ?? "all()";
  const panicking = panics === "" ? "any()" : onlyIf;
  // By their paths: macros of the project cannot stand in for these.
  const core = edition === "2015" ? "" : "::core::";
  const path = `${core}concat!(${core}module_path!(), "::${name.replace("r#", "")}")`;
  const section = (place: string) =>
    edition === "2024" ? `unsafe(link_section = "${place}")` : `link_section = "${place}"`;
  return [
    ...conditions,
    `const _: () = { extern "C" fn ${harness}() {`,
    `crate::${harness}::add(${path}, ${core}cfg!(${panicking}), ${text}, || crate::${harness}::held(${name}())); }`,
    `#[used] #[cfg_attr(target_vendor = "apple", ${section("__DATA,__mod_init_func")})]`,
    `#[cfg_attr(not(target_vendor = "apple"), ${section(".init_array")})]`,
    `static REGISTER: extern "C" fn() = ${harness}; }; `,
  ].join(" ");
}

/**
 * A source of the present with the tests of the start as ordinary code, in a second file beside it, `included`: code that asks
 * from which file it was called sees another one. All that is no such test is compiled as users compile it; conditions that
 * stand word for word in the start's text as well are taken as in a test.
 */
export function withTestsOfStart(
  { present, start, included }: { present: string; start: string; included: string },
  calling: Calling,
): { text: string; tests: string } {
  // Only a file whose tests the operator allowed to be changed comes here without those of the start.
  const owner = keepsTests(start, present) ? start : present;
  const blocks = blocksOf(owner).map((block) => ({
    ...block,
    text: withCallableTests(owner.slice(block.from, block.to), calling),
  }));
  // A module in a file of its own is looked for beside the file that declares it.
  const isElsewhere = (block: (typeof blocks)[number]) =>
    block.isOutermost && !/\bmod \w+\s*;$/.test(block.text);
  const here = blocks.filter((block) => !isElsewhere(block));
  const tests = blocks.filter(isElsewhere).map(({ text }) => `${text}\n`);
  const include = calling.edition === "2015" ? "include" : "::core::include";
  const text = graftBlocks(withConditionsOf(start, present), here);
  return tests.length === 0
    ? { text, tests: "" }
    : { text: `${text}${include}!(${JSON.stringify(included)});\n`, tests: tests.join("") };
}

/** Conditions outside of blocks of tests: with what stands behind them, up to the end of the next line. */
function conditionsIn(text: string): { from: number; condition: string; key: string }[] {
  const blocks = blocksOf(text);
  const masked = maskRust(text);
  return [...masked.matchAll(CONDITION)]
    .filter(({ 0: found, index }) => {
      const isAttribute = found.startsWith("#") && /\btest\b/.test(found);
      return isAttribute && !blocks.some(({ from, to }) => from <= index && index < to);
    })
    .map(({ 0: condition, index }) => {
      const rest = text.slice(index + condition.length).split("\n", 2);
      const behind = condition.startsWith("#!") ? "" : rest.join("\n").trim();
      return { from: index, condition, key: `${condition} ${behind}` };
    });
}

function withConditionsOf(start: string, present: string): string {
  const known = Map.groupBy(conditionsIn(start), ({ key }) => key);
  const found = Map.groupBy(conditionsIn(present), ({ key }) => key);
  const same = [...found].filter(([key, all]) => all.length <= (known.get(key)?.length ?? 0));
  const edits = same.flatMap(([, all]) =>
    all.flatMap(({ from, condition }) => withoutTest(condition, from)),
  );
  return edited(present, edits);
}

/** Whether a file holds a module that only tests are compiled with, or one inside of such a module. */
export function testModules(
  texts: ReadonlyMap<string, string>,
  roots: ReadonlySet<string>,
): (path: string) => boolean {
  const files = new Set<string>();
  const folders: string[] = [];
  for (const [path, text] of texts) {
    const isRoot = roots.has(path) || /^(lib|main|mod)\.rs$/.test(basename(path));
    const folder = isRoot ? dirname(path) : path.replace(/\.rs$/, "");
    for (const { from, to, header } of blocksOf(text)) {
      const name = /\bmod (\w+)$/.exec(header)?.[1];
      const block = text.slice(from, to);
      if (name === undefined || !block.endsWith(";")) continue;
      const elsewhere = /\bpath\s*=\s*"([^"]+)"/.exec(block)?.[1];
      const place = elsewhere === undefined ? join(folder, name) : null;
      files.add(place === null ? join(dirname(path), elsewhere ?? "") : `${place}.rs`);
      if (place !== null) folders.push(`${place}/`);
    }
  }
  return (path) => files.has(path) || folders.some((folder) => path.startsWith(folder));
}

/** Gives the `main` of a program another name, so that ours can be called so. */
export function withoutMain(text: string, name: string): string {
  const MAIN =
    /^((?:pub(?:\([^)]*\))?\s+)?(?:async\s+|unsafe\s+|extern\s+"+\s+)*fn\s+)main(?=\s*[(<])/m;
  const found = MAIN.exec(maskRust(text));
  if (!found) return text;
  const from = found.index + (found[1] ?? "").length;
  return edited(text, [{ from, to: from + "main".length, text: name }]);
}

/** Whether a root file has a `main` of its own. */
export const hasMain = (text: string): boolean => withoutMain(text, "") !== text;

/**
 * The module that keeps the tests of a crate and calls them: each one in a process of its own that begins as a copy of the
 * main thread, as nothing else tells it from an ordinary program. Prints lines that begin with its own name.
 */
export function harnessModule({ harness, edition }: Calling, passed: number): string {
  const foreign = edition === "2024" ? "unsafe extern" : "extern";
  return `
#[doc(hidden)]
pub mod ${harness} {
    extern crate std;
    use std::any::Any;
    use std::boxed::Box;
    use std::option::Option::{None, Some};
    use std::result::Result::{Err, Ok};
    use std::string::String;
    use std::sync::Mutex;
    use std::vec::Vec;

    type Test = (&'static str, bool, &'static str, fn() -> bool);
    static TESTS: Mutex<Vec<Test>> = Mutex::new(Vec::new());

    ${foreign} "C" {
        fn fork() -> i32;
        fn waitpid(process: i32, status: *mut i32, options: i32) -> i32;
        fn dup2(from: i32, to: i32) -> i32;
        fn _exit(code: i32) -> !;
    }

    pub fn add(path: &'static str, panics: bool, text: &'static str, test: fn() -> bool) {
        TESTS.lock().unwrap().push((path, panics, text, test));
    }

    pub fn held<T: std::process::Termination>(value: T) -> bool {
        let success = std::format!("{:?}", std::process::ExitCode::SUCCESS);
        std::format!("{:?}", value.report()) == success
    }

    pub fn run() {
        let mut tests = TESTS.lock().unwrap().clone();
        tests.sort_by_key(|test| test.0);
        let count = tests.len();
        for (path, panics, text, test) in tests {
            let word = if passes(panics, text, test) { "passed" } else { "failed" };
            std::println!("\\n${harness} {} {}", word, path);
        }
        std::println!("\\n${harness} end {}", count);
    }

    fn passes(panics: bool, text: &'static str, test: fn() -> bool) -> bool {
        let mut status = 0;
        unsafe {
            let process = fork();
            if process == 0 {
                dup2(2, 1);
                let held = match (std::panic::catch_unwind(test), panics) {
                    (Ok(held), false) => held,
                    (Err(payload), true) => said(payload).contains(text),
                    _ => false,
                };
                _exit(if held { ${passed} } else { 1 });
            }
            waitpid(process, &mut status, 0);
        }
        let aborts = cfg!(panic = "abort") && panics && status & 127 == 6;
        status == ${passed} << 8 || aborts
    }

    fn said(payload: Box<dyn Any + std::marker::Send>) -> String {
        let text = match payload.downcast_ref::<&'static str>() {
            Some(text) => String::from(*text),
            None => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
        };
        std::mem::forget(payload);
        text
    }
}
`;
}
