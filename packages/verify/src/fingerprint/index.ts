import { realpath } from "node:fs/promises";
import { digestOf, fileDigest, folderDigest } from "./digests.ts";
import { type Invocation, invocationsOf, programName } from "./invocations.ts";
import { runnerPackages } from "./packages.ts";
import { findProgram, interpreterOf, type Program, programDigest } from "./programs.ts";
import {
  interpreterBehind,
  modulePart,
  pythonModule,
  pythonPlace,
  startupFiles,
} from "./python.ts";
import { scriptOf } from "./scripts.ts";
import { shadowDigest } from "./shadows.ts";

export { environmentDigest } from "./environment.ts";
export { runnerVersion } from "./version.ts";

type Env = Readonly<Record<string, string>>;
/** A name may stand for several things, such as two programs that are called alike. */
type Found = [name: string, digest: string | null][];

/**
 * SHA-256 by name of what runs the tests, as far as the commands and the scripts they call tell: every program that is
 * started, its interpreter, the packages of a known runner, and the programs of the project that hide well-known ones.
 * What cannot be found has no entry. Other packages that are installed beside them change nothing.
 */
export async function fingerprints(
  commands: readonly string[],
  cwd: string,
  env: Env,
): Promise<Record<string, string>> {
  const root = await realpath(cwd).catch(() => cwd);
  const invocations = commands.flatMap((command) => invocationsOf(command, root, env, scriptOf));
  const found = await Promise.all(invocations.map((one) => ofInvocation(one, root, env)));
  const shadows: Found = [["shadowed programs", await shadowDigest(root, env)]];

  const byName = new Map<string, Set<string>>();
  for (const [name, digest] of [...found.flat(), ...shadows]) {
    if (digest !== null) byName.set(name, (byName.get(name) ?? new Set()).add(digest));
  }
  const entries = [...byName].map(([name, digests]): [string, string] => {
    const all = [...digests].sort();
    return [name, all.length === 1 ? (all[0] ?? "") : digestOf(...all)];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function ofInvocation(invocation: Invocation, cwd: string, env: Env): Promise<Found> {
  const { folder, bin } = invocation;
  const program = await findProgram(invocation.program, folder, env, bin);
  if (program === null) return [];
  const parts = await Promise.all([
    ofProgram(program, folder, env),
    ofPackages(invocation, program),
    ofPython(invocation, program, cwd, env),
  ]);
  return parts.flat();
}

/** The program and what its first line starts. */
async function ofProgram(program: Program, cwd: string, env: Env): Promise<Found> {
  const named = await interpreterOf(program);
  const interpreter = named === null ? null : await findProgram(named, cwd, env);
  const found: Found = [[programName(program.path), await programDigest(program)]];
  if (interpreter !== null) {
    found.push([programName(interpreter.path), await programDigest(interpreter)]);
  }
  if (program.path.includes("node_modules")) {
    const node = await findProgram("node", cwd, env);
    if (node !== null) found.push(["node", await programDigest(node)]);
  }
  return found;
}

async function ofPackages(invocation: Invocation, program: Program): Promise<Found> {
  const packages = await runnerPackages(invocation, program);
  return Promise.all(
    packages.map(
      async ({ name, folder }): Promise<Found[number]> => [
        `${name} package`,
        await folderDigest(folder),
      ],
    ),
  );
}

async function ofPython(
  { program: word, args }: Invocation,
  program: Program,
  cwd: string,
  env: Env,
): Promise<Found> {
  const module = pythonModule(word, args);
  const interpreter = module === null ? null : await interpreterBehind(program, cwd, env);
  if (module === null || interpreter === null) return [];
  const place = await pythonPlace(interpreter, cwd, env);
  if (place === null) return [];
  const part =
    module === "pytest"
      ? modulePart(place.sites, ["_pytest", "pytest", "pluggy"])
      : modulePart([place.library], ["unittest"]);
  return [
    [programName(interpreter.path), await programDigest(interpreter)],
    [programName(place.executable), await fileDigest(place.executable)],
    [`${module} package`, await part],
    ["Python start-up files", await startupFiles(place, env)],
  ];
}
