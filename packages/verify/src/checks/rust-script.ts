import { marked } from "./direct-output.ts";
import type { DirectRoom } from "./direct-start.ts";
import type { Package, RustProgram } from "./rust-packages.ts";

/** As for tests: where something can be built only so, the sources have code for tests alone. */
const AS_FOR_TESTS = "--cfg test -C debug-assertions=on";

export interface Scripts {
  /** In the places of compilers, by their names in our folder. */
  compilers: Record<string, string>;
  /** Builds the programs and runs them. */
  run: string;
}

export function scriptsFor(
  about: DirectRoom,
  packages: readonly Package[],
  owned: ReadonlyMap<Package, string>,
): Scripts {
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
