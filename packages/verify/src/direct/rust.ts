import { existsSync } from "node:fs";
import { cp, mkdir, readFile, realpath, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { holdsTests, keepsTests } from "@ccw-loop/core";
import { filesUnder } from "@ccw-loop/test-runner/project-files";
import { manifestFor, type Package, packagesOf, type RustProgram, scriptsFor } from "./cargo.ts";
import {
  type DirectOutcome,
  type DirectRoom,
  type DirectStart,
  type PreparedStart,
  programsIn,
} from "./direct-start.ts";
import {
  harnessModule,
  testModules,
  withCallableTests,
  withoutMain,
  withTestsOfStart,
} from "./rust-tests.ts";

const NOT_LOOKED_AT =
  "Asynchronous tests, tests with parameters and tests in documentation were not looked at.";
/** More files of a project are not looked into. */
const FILES = 5000;

/**
 * The start's tests as functions of ordinary programs: crates built as users build them, without `cfg(test)` and in the
 * release profile, and each test called in the main thread of a process without arguments or variables of cargo. Tests
 * with parameters, asynchronous ones and those in documentation are not looked at.
 */
export const RUST: DirectStart = {
  handles: (path) => path.endsWith(".rs"),
  nameOf: (id) => id.replaceAll(/ #\d+(?= > |$)/g, ""),
  async prepare(given) {
    // As cargo names it.
    const about = { ...given, root: await realpath(given.root) };
    if (process.platform === "win32")
      return nothing("Rust's tests are not started directly on Windows.");
    const all = await packagesOf(about);
    const packages = all.filter(({ programs: own }) => own.length > 0);
    const programs = packages.flatMap((one) => one.programs);
    if (programs.length === 0) return nothing("No package has tests that can be called directly.");
    const texts = await textsIn(about.root);
    const starts = await textsIn(await about.start());
    const asked = packages.filter(({ programs: own }) => own.some(({ kind }) => kind === "test"));
    for (const one of asked) await buildBinaries(about, one, texts);
    const owned = await writeTests(about, all, { texts, starts });
    for (const one of packages) {
      const manifest = await manifestFor(about, one, owned.get(one) ?? "");
      await writeFile(join(one.folder, "Cargo.toml"), about.shown(manifest));
    }
    const { compilers, run } = scriptsFor(about, packages, owned);
    for (const [name, text] of Object.entries(compilers)) {
      await writeFile(join(about.folder, name), about.shown(text), { mode: 0o755 });
    }
    return {
      command: run,
      read: (output) => outcomeIn(output, about.token, programs),
    };
  },
};

function nothing(reason: string): PreparedStart {
  return { command: null, read: () => ({ passed: [], failed: [], reason }) };
}

/** The programs that tests start, as users have them, before anything is changed. */
async function buildBinaries(
  about: DirectRoom,
  one: Package,
  texts: ReadonlyMap<string, string>,
): Promise<void> {
  const started = [...texts].some(
    ([path, text]) => path.startsWith(one.below("tests/")) && /CARGO_BIN_EXE|cargo_bin/.test(text),
  );
  if (!started || one.binaries.length === 0) return;
  const target = join(about.folder, "rustc-target");
  const places = one.binaries.map(
    (name) =>
      `cp '${target}/release/${name}' '${about.folder}/bin/' || cp '${target}'/*/release/'${name}' '${about.folder}/bin/'`,
  );
  await mkdir(join(about.folder, "bin"), { recursive: true });
  await about.runInPlace(
    `cd '${one.folder}' && ${one.build} --target-dir '${target}' --bins; ${places.join("; ")}`,
  );
}

/** Rewrites the sources of the room, and gives the texts of the tests by package. */
async function writeTests(
  { root, token: harness }: DirectRoom,
  packages: readonly Package[],
  { texts, starts }: Record<"texts" | "starts", ReadonlyMap<string, string>>,
): Promise<Map<Package, string>> {
  const owned = new Map<Package, string>();
  for (const { folder, word } of packages) {
    if (!existsSync(join(folder, "tests"))) continue;
    await cp(join(folder, "tests"), join(folder, word), { recursive: true });
  }
  const roots = new Set(packages.flatMap((one) => one.roots.map(({ path }) => path)));
  const isTestModule = testModules(starts, roots);
  const gone = [...starts].filter(([path, text]) => !texts.has(path) && holdsTests(text));
  const startOf = (path: string, text: string) =>
    starts.get(path) ?? gone.find(([, before]) => keepsTests(before, text))?.[1];
  const passed = 50 + Math.floor(Math.random() * 50);
  for (const [path, text] of texts) {
    const one = packages.findLast(({ below }) => path.startsWith(below("")));
    if (!one || one.programs.length === 0 || path === one.buildScript) continue;
    const calling = { harness, edition: one.edition };
    const start = startOf(path, text);
    const beside = path.startsWith(one.below("tests/"));
    let changed = text;
    if (beside) changed = withCallableTests(text, calling);
    else if (start !== undefined && isTestModule(path)) changed = withCallableTests(start, calling);
    else if (start !== undefined) {
      const included = `${one.word}_${basename(path)}`;
      const laid = withTestsOfStart({ present: text, start, included }, calling);
      changed = laid.text;
      if (laid.tests !== "") await writeFile(join(root, dirname(path), included), laid.tests);
    }
    owned.set(one, `${owned.get(one) ?? ""}\n${beside ? text : (start ?? "")}`);
    const crate = one.roots.find((found) => found.path === path);
    if (crate) {
      const program = one.programs.find((found) => found.path === path);
      const isProgram = program !== undefined && program.kind !== "lib";
      const renamed = isProgram ? withoutMain(changed, `${harness}_main`) : changed;
      const main = isProgram ? `\nfn main() {\n    ${harness}::run()\n}\n` : "";
      changed = `${renamed}\n${harnessModule(calling, passed)}${main}`;
    }
    // In another folder at the same depth: they find what they name by relative paths, and no path says that they are tests.
    const place = beside
      ? join(one.folder, one.word, path.slice(one.below("tests/").length))
      : join(root, path);
    if (changed !== text) await writeFile(place, changed);
  }
  for (const one of packages) {
    for (const { example, crate } of one.programs.filter(({ kind }) => kind === "lib")) {
      const main = `extern crate ${crate};\n\nfn main() {\n    ${crate}::${harness}::run()\n}\n`;
      await writeFile(join(one.folder, `${example}.rs`), main);
    }
  }
  return owned;
}

/** Texts of Rust by their paths. */
async function textsIn(root: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const path of filesUnder(root, { builds: true })) {
    if (!path.endsWith(".rs") || texts.size >= FILES) continue;
    texts.set(path, await readFile(join(root, path), "utf8").catch(() => ""));
  }
  return texts;
}

/** What the programs print, in the order in which they are built and run. */
function outcomeIn(output: string, token: string, programs: readonly RustProgram[]): DirectOutcome {
  const found = {
    ...{ passed: [] as string[], failed: [] as string[] },
    ...{ broken: [] as string[], unbuilt: [] as string[] },
  };
  for (const [n, { of, has }] of programsIn(output, token)) {
    const suite = programs[n]?.suite ?? "";
    const named = (result: string) =>
      of(result).map((path) => `${suite} > ${path.slice(path.indexOf("::") + 2)}`);
    const [passed, failed] = [named("passed"), named("failed")];
    found.passed.push(...passed);
    found.failed.push(...failed);
    if (has("unbuilt")) found.unbuilt.push(suite);
    else if (!has(`end ${failed.length + passed.length}`)) found.broken.push(suite);
  }
  return { ...found, note: NOT_LOOKED_AT };
}
