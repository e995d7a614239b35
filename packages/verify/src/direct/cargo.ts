import { readFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { tryParseJson } from "@ccw-loop/core";
import { unusedName } from "../ordinary-program.ts";
import { type DirectRoom, marked } from "./direct-start.ts";
import { hasMain } from "./rust-tests.ts";

/** A program that calls tests of one target of cargo. */
export interface RustProgram {
  kind: "lib" | "bin" | "test";
  /** As reports name it: `cart (src/lib.rs)`, or `cart`. */
  suite: string;
  /** The root file, from the room's folder. */
  path: string;
  /** What cargo calls its target, and the target that is built: an example, but for binaries. */
  name: string;
  example: string;
  crate: string;
}

export interface Package {
  name: string;
  /** Its own folder, and a path below it from the room's folder. */
  folder: string;
  below: (path: string) => string;
  edition: string;
  /** Root files of all its crates that can have tests. */
  roots: { path: string }[];
  /** The program that is run before it is built, from the room's folder. */
  buildScript: string | null;
  binaries: string[];
  /** What begins names that programs can see of what is added to the package. */
  word: string;
  programs: RustProgram[];
  dependencies: Dependency[];
  /** The command that builds something of it. */
  build: string;
}

interface Target {
  kind: string[];
  crate_types: string[];
  name: string;
  src_path: string;
}

interface Dependency {
  name: string;
  rename: string | null;
  kind: string | null;
  req: string;
  source: string | null;
  path?: string;
  features: string[];
  uses_default_features: boolean;
  target: string | null;
  registry: string | null;
}

interface Metadata {
  packages: {
    name: string;
    edition: string;
    manifest_path: string;
    targets: Target[];
    dependencies: Dependency[];
  }[];
}

/** The packages of a room, outermost first, with the programs that have tests which pass. */
export async function packagesOf(about: DirectRoom): Promise<Package[]> {
  const { root, command, suites } = about;
  const options = cargoOptions(command);
  const printed = await about.run(
    `${options.enter}cargo ${options.toolchain} metadata --no-deps --offline --format-version 1 ${options.manifest}`,
  );
  const found: Package[] = [];
  const metadata = tryParseJson(printed.slice(printed.indexOf("{"))) as Metadata | undefined;
  for (const one of metadata?.packages ?? []) {
    const folder = dirname(one.manifest_path);
    const below = (path: string) => join(relative(root, folder), "/", path).replace(/^\//, "");
    const roots = one.targets.filter(({ kind }) => kind.some((word) => ROOTS.has(word)));
    const word = await unusedName([folder, ...FOLDERS.map((name) => join(folder, name))], (free) =>
      one.targets.every(({ name }) => !name.startsWith(free)),
    );
    const programs: RustProgram[] = [];
    const taken = new Set(
      one.targets.filter(({ kind }) => !kind.includes("test")).map(({ name }) => name),
    );
    for (const target of roots) {
      const kind = kindOf(target);
      const suite = suitesOf(one.name, target, relative(folder, target.src_path)).find((name) =>
        suites.has(name),
      );
      if (kind === null || suite === undefined) continue;
      const path = relative(root, target.src_path);
      const text = await readFile(target.src_path, "utf8").catch(() => "");
      // One with a harness of its own.
      if (kind === "test" && hasMain(text)) continue;
      const example =
        kind === "lib" ? word : taken.has(target.name) ? `${word}-${target.name}` : target.name;
      const crate = target.name.replaceAll("-", "_");
      programs.push({ kind, suite, path, name: target.name, example, crate });
    }
    found.push({
      name: one.name,
      ...{ folder, below, edition: one.edition, word, programs, dependencies: one.dependencies },
      roots: roots.map(({ src_path }) => ({ path: relative(root, src_path) })),
      buildScript: pathOf(
        root,
        one.targets.find(({ kind }) => kind.includes("custom-build")),
      ),
      binaries: one.targets.filter(({ kind }) => kind.includes("bin")).map(({ name }) => name),
      build: `cargo ${options.toolchain} build --offline --release ${QUICK} ${options.features}`,
    });
  }
  return found
    .filter(({ folder }) => !relative(root, folder).startsWith(".."))
    .sort((a, b) => a.folder.length - b.folder.length);
}

const pathOf = (root: string, target: Target | undefined) =>
  target ? relative(root, target.src_path) : null;

/** How much code is optimised is nothing that it can ask for; and where it is called from is not told by names. */
const QUICK = ["opt-level=0", "lto=false", 'strip=\\"symbols\\"']
  .map((setting) => `--config profile.release.${setting}`)
  .join(" ");
/** Where files are added. */
const FOLDERS = ["src", "tests"];
const ROOTS = new Set(["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro", "bin", "test"]);

/** What the reports of `cargo test` and of nextest call a program of tests. */
function suitesOf(packageName: string, { kind, name }: Target, path: string): string[] {
  const more = kind.includes("bin") ? `::bin/${name}` : kind.includes("test") ? `::${name}` : "";
  return [`${name.replaceAll("-", "_")} (${path})`, `${packageName}${more}`];
}

/** Null for a library that no other crate can be linked with. */
function kindOf({ kind, crate_types: types }: Target): RustProgram["kind"] | null {
  if (kind.includes("test")) return "test";
  if (kind.includes("bin")) return "bin";
  return types.some((type) => type === "lib" || type === "rlib") ? "lib" : null;
}

/** What of the test command says which package is built, and how. */
function cargoOptions(command: string) {
  const own = command.split(/\s--\s/, 1)[0] ?? command;
  const all = (pattern: RegExp) =>
    [...own.matchAll(pattern)].map(([found]) => found.trim()).join(" ");
  return {
    enter: /^\s*cd\s+[^&;|]+&&/.exec(own)?.[0] ?? "",
    toolchain: /\bcargo\s+(\+\S+)/.exec(own)?.[1] ?? "",
    manifest: all(/\s--manifest-path[= ]\S+/g),
    features: all(
      /\s(?:--all-features|--no-default-features|--features[= ](?:"[^"]*"|'[^']*'|\S+)|-F\s*\S+)/g,
    ),
  };
}

/**
 * The manifest of a package with the programs as examples, and with what its tests name of the packages that are there for
 * tests alone: ordinary libraries and binaries are built without these.
 */
export async function manifestFor(
  { root }: DirectRoom,
  { folder, word, programs, dependencies }: Package,
  tests: string,
): Promise<string> {
  const text = await readFile(join(folder, "Cargo.toml"), "utf8");
  const ordinary = new Set(dependencies.filter(({ kind }) => kind === null).map(keyOf));
  const needed = dependencies.filter((one) => {
    const word = new RegExp(`\\b${keyOf(one).replaceAll("-", "_")}\\b`);
    // A package that its own tests use with other features cannot need itself.
    const isOther = one.kind === "dev" && one.path !== folder;
    return isOther && !ordinary.has(keyOf(one)) && word.test(tests);
  });
  const examples = programs
    .filter(({ kind }) => kind !== "bin")
    .map(({ kind, example, path }) => {
      const own = relative(folder, join(root, path));
      const place = kind === "lib" ? `${example}.rs` : own.replace(/^tests\//, `${word}/`);
      return `\n[[example]]\nname = "${example}"\npath = ${JSON.stringify(place)}\n`;
    });
  return [text, ...needed.map(dependencyTable), ...examples].join("\n");
}

const keyOf = ({ name, rename }: Dependency) => rename ?? name;

function dependencyTable(one: Dependency): string {
  const target = one.target === null ? "" : `target.${JSON.stringify(one.target)}.`;
  const git = /^git\+([^?#]+)(?:\?(branch|tag|rev)=([^#]+))?/.exec(one.source ?? "");
  const values: Record<string, unknown> = {
    ...(one.rename === null ? {} : { package: one.name }),
    ...(one.req === "*" ? {} : { version: one.req }),
    ...(one.path === undefined ? {} : { path: one.path }),
    ...(git ? { git: git[1], ...(git[2] ? { [git[2]]: git[3] } : {}) } : {}),
    ...(one.registry === null ? {} : { "registry-index": one.registry }),
    ...(one.req === "*" && one.path === undefined && !git ? { version: "*" } : {}),
    features: one.features,
    "default-features": one.uses_default_features,
  };
  const lines = Object.entries(values).map(([key, value]) => `${key} = ${JSON.stringify(value)}\n`);
  return `\n[${target}dependencies.${keyOf(one)}]\n${lines.join("")}`;
}

/** As for tests: where something can be built only so, the sources have code for tests alone. */
const AS_FOR_TESTS = "--cfg test -C debug-assertions=on";

/** What stands in the places of compilers, by names in our folder, and what builds the programs and runs them. */
export function scriptsFor(
  about: DirectRoom,
  packages: readonly Package[],
  owned: ReadonlyMap<Package, string>,
) {
  const { folder, token } = about;
  const parts = packages.flatMap((one) => {
    // Tests that ask for it at run time read their data from there.
    const named = /\bvar(?:_os)?\(\s*"CARGO_MANIFEST_DIR"/.test(owned.get(one) ?? "");
    const set = named ? `export CARGO_MANIFEST_DIR='${one.folder}'; ` : "";
    return one.programs.map((program) => buildAndRun(about, one, program, set));
  });
  const compilers = {
    rustc: compiler(folder, packages, ""),
    "rustc-test": compiler(folder, packages, AS_FOR_TESTS),
  };
  const run = parts.map((text, n) => marked(token, n, `(\n${text})\n`)).join("");
  return {
    compilers,
    run: `mkdir -p '${folder}/bin' '${folder}/release' '${folder}/tmp'\n${run}`,
  };
}

/**
 * Lints of the project say nothing of code of ours, only tests beside the sources know the project's programs, and a library is
 * built as for another package.
 */
function compiler(folder: string, packages: readonly Package[], more: string): string {
  const known = packages.flatMap(({ binaries }) =>
    binaries.map((name) => `'CARGO_BIN_EXE_${name}=${folder}/bin/${name}'`),
  );
  const variables = [`'CARGO_TARGET_TMPDIR=${folder}/tmp'`, ...known].join(" ");
  const cases = packages.flatMap(({ programs }) =>
    programs
      .filter(({ kind }) => kind === "test")
      .map(({ example }) => {
        const crate = example.replaceAll("-", "_");
        return `  *" --crate-name ${crate} "*) exec env ${variables} "$@" --cap-lints warn ${more} ;;\n`;
      }),
  );
  return `#!/bin/sh\ncase " $* " in\n${cases.join("")}  *" --crate-type lib "*) unset CARGO_PRIMARY_PACKAGE ;;\nesac\nexec "$@" --cap-lints warn ${more}\n`;
}

/** Builds one program and runs it from a folder of its own, without what cargo says to the programs that it starts. */
function buildAndRun(
  { folder, token }: DirectRoom,
  { folder: own, word, build }: Package,
  { kind, name, example }: RustProgram,
  set: string,
): string {
  const target = kind === "bin" ? `--bin '${name}'` : `--example '${example}'`;
  const place = kind === "bin" ? name : `examples/${example}`;
  const command = (compiler: string) =>
    `${build} --target-dir '${folder}/${compiler}-target' --config "build.rustc-workspace-wrapper='${folder}/${compiler}'" ${target}`;
  const built = `'${folder}/rustc-target'`;
  const program = `'${folder}/release/${kind === "bin" ? name : word}'`;
  return `cd '${own}' || exit
if ${command("rustc")}; then
  cp ${built}/release/'${place}' ${program} || cp ${built}/*/release/'${place}' ${program}
  for name in $(env | sed -nE 's/^((CARGO|RUST)[A-Za-z0-9_]*)=.*/\\1/p'); do unset "$name"; done
  ${set}exec ${program}
elif ${command("rustc-test")}; then
  echo '${token} broken'
else
  echo '${token} unbuilt'
fi
`;
}
