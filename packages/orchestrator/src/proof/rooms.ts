import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type Checkout,
  firstOf,
  LoopError,
  type LoopState,
  type Objection,
  objectionOf,
  type ProcessScope,
  roomTimeoutOf,
  type Surroundings,
  type Verification,
  type Verifier,
  type VerifyPlan,
  type Workspace,
} from "@ccw-loop/core";
import type { ProjectFiles } from "../project-files.ts";
import { type RunContext, report } from "../run/context.ts";

export interface StartAndPresent {
  start: { commit: string; tree: string };
  present: { commit: string; tree: string };
}

/** What of the present is laid over the start. */
export interface Overlay {
  commit: string;
  paths: readonly string[];
  /** More files, by path, with their text: where a file of the start gets tests of the present. */
  texts?: ReadonlyMap<string, string>;
}

/** Clean rooms of one proof: fresh checkouts of its start, outside of the project. */
export interface Rooms {
  make(overlay: Overlay): Promise<Checkout>;
  /** Installed files that changed since the loop began, and that the last room is without: no lockfile describes them. */
  missing(): readonly string[];
}

/** What a square is measured with: by a loop that is driven, or by whoever checks its receipt later. */
export interface SquareDeps {
  workspace: Workspace;
  verifier: Verifier;
  files: ProjectFiles;
  /** For whom the test runs work. */
  scope?: ProcessScope | undefined;
  signal: AbortSignal;
  timeoutMs: number;
  onOutput: (text: string) => void;
  /** Called before every run; rejects where none may be made any more. */
  beforeRun: () => Promise<void>;
}

export function squareDepsOf(ctx: RunContext, state: LoopState, signal: AbortSignal): SquareDeps {
  const { verifier, files, verifyTimeoutMs } = ctx.deps;
  return {
    ...{ workspace: ctx.workspace, verifier, files, signal },
    timeoutMs: roomTimeoutOf(state, verifyTimeoutMs),
    scope: ctx.scope,
    onOutput: (text) => report(ctx, "VALIDATE", { type: "verify.output", text }),
    beforeRun: async () => ctx.watcher.requireLease(),
  };
}

/**
 * Makes clean rooms for `use`, and takes them away behind it. `changed` are installed files that are not what they were when
 * the loop began; `surroundings` is what lies outside of the project.
 */
export function inCleanRooms<T>(
  deps: InstallDeps & Pick<SquareDeps, "workspace" | "files">,
  {
    start,
    installed,
    changed = [],
    surroundings,
  }: {
    start: string;
    installed: string | undefined;
    changed?: readonly string[];
    surroundings?: Surroundings | undefined;
  },
  use: (rooms: Rooms) => Promise<T>,
): Promise<T> {
  let [made, missing]: [number, readonly string[]] = [0, []];
  const roomsIn = (base: string): Rooms => ({
    async make({ commit, paths, texts }) {
      made += 1;
      const options = { overlay: { commit, paths }, installed };
      const top = join(base, `${made}`, "work");
      const room = await deps.workspace.checkout(start, top, options);
      for (const [path, text] of texts ?? []) {
        await deps.files.write(join(room.cwd, path), new TextEncoder().encode(text));
      }
      missing = withoutLockfile(top, changed);
      if (changed.length > 0) await installAnew(deps, top, changed);
      return { ...room, surroundings };
    },
    missing: () => missing,
  });
  return deps.files.inTemporary((base) => use(roomsIn(base)));
}

export async function runInRoom(
  deps: SquareDeps,
  { cwd, ...room }: Checkout,
  plan: VerifyPlan,
): Promise<Verification> {
  await deps.beforeRun();
  return deps.verifier.verify(plan, { cwd, room, ...runOptions(deps) });
}

export function runOptions({ signal, timeoutMs, scope, onOutput }: SquareDeps) {
  return { signal, timeoutMs, scope, onOutput };
}

const INSTALL_MS = 10 * 60_000;
const NAMED = 3;

/** Files that say exactly what is installed, in which folder that is, and the command that does it without scripts. */
const LOCKFILES: readonly { file: string; folder: string; command: string }[] = [
  ...["package-lock.json", "npm-shrinkwrap.json"].map((file) => ({
    file,
    folder: "node_modules",
    command: "npm ci --ignore-scripts --prefer-offline --no-audit --no-fund",
  })),
  {
    file: "pnpm-lock.yaml",
    folder: "node_modules",
    // Copies: what shares its files with the store shares them with the project as well.
    command:
      "pnpm install --frozen-lockfile --ignore-scripts --prefer-offline --package-import-method copy",
  },
  {
    file: "yarn.lock",
    folder: "node_modules",
    command:
      "if [ -e .yarnrc.yml ]; then yarn install --immutable --mode=skip-build; else yarn install --frozen-lockfile --ignore-scripts --prefer-offline; fi",
  },
  ...["bun.lock", "bun.lockb"].map((file) => ({
    file,
    folder: "node_modules",
    command: "bun install --frozen-lockfile --ignore-scripts",
  })),
  { file: "uv.lock", folder: ".venv", command: "uv sync --frozen" },
  {
    file: "poetry.lock",
    folder: ".venv",
    command: "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-interaction",
  },
  ...[".venv", "venv"].map((folder) => ({
    file: "requirements.txt",
    folder,
    command: `python3 -m venv ${folder} && ${folder}/bin/python -m pip install -q -r requirements.txt`,
  })),
];

/** An installed folder of a room, and how it comes to be what a lockfile says. */
interface Installation {
  /** The folder that holds the lockfile. */
  at: string;
  /** Of the room: by its `/` path from the top. */
  folder: string;
  command: string;
}

type InstallDeps = Pick<SquareDeps, "verifier" | "scope" | "signal" | "beforeRun">;

/** Installed folders, from the top of the project, in which one of these files is. */
export function foldersOf(changed: readonly string[]): string[] {
  const found = changed.flatMap(
    (path) => /^((?:.*?\/)??(?:node_modules|\.venv|venv))\//.exec(path)?.[1] ?? [],
  );
  return [...new Set(found)];
}

/**
 * Installs packages anew in a room, where the project's own are not what they were when the loop began: by the lockfile
 * that lies in the room. What no lockfile describes stays as the room has it: without the files that changed. Throws
 * `invalid_input` where it cannot be installed.
 */
export async function installAnew(
  { verifier, scope, signal, beforeRun }: InstallDeps,
  top: string,
  changed: readonly string[],
): Promise<void> {
  const all = foldersOf(changed).flatMap((path) => installationFor(top, path) ?? []);
  for (const { folder } of all) await rm(join(top, folder), { recursive: true, force: true });
  for (const [at, command] of new Map(all.map((one) => [one.at, one.command]))) {
    const options = { cwd: at, signal, timeoutMs: INSTALL_MS, scope };
    await beforeRun();
    const { exit_code, output } = await verifier.probe(command, options);
    if (exit_code === 0) continue;
    const last = output.trim().split("\n").at(-1) ?? "";
    const message = `Installed packages changed since the loop began, and "${command}" fails: ${last}`;
    throw new LoopError("invalid_input", message.slice(0, 500));
  }
}

/** By the nearest lockfile, from the folder above the installed one up to the top of the room. */
function installationFor(top: string, path: string): Installation | null {
  const name = path.split("/").at(-1);
  for (let at = dirname(path); ; at = dirname(at)) {
    const found = LOCKFILES.find(
      ({ file, folder }) => folder === name && existsSync(join(top, at, file)),
    );
    if (found) return { at: join(top, at), folder: path, command: found.command };
    if (at === ".") return null;
  }
}

export function withoutLockfile(top: string, changed: readonly string[]): string[] {
  return changed.filter((path) => {
    const [folder] = foldersOf([path]);
    return folder === undefined || installationFor(top, folder) === null;
  });
}

/** Tests in a clean room changed packages that are installed in the project itself. */
export function objectionToWriting(paths: readonly string[]): Objection {
  const message = `Tests that ran in the clean room changed what is installed in the project: ${firstOf(paths, NAMED)}.`;
  return objectionOf("packages", [], message);
}

/** Added to a verdict that fails: the missing packages may be the cause. */
export function objectionToPackages(paths: readonly string[]): Objection {
  const message = `Installed packages changed since the loop began, and no lockfile says how to install them anew, so the clean room is without them: ${firstOf(paths, NAMED)}.`;
  return objectionOf("packages", [], message);
}

/** Added to a proof that fails, or that no clean room could give: what is hidden may be the cause. */
export function objectionToSurroundings({ newer }: Surroundings): Objection {
  const message = `Programs, packages or settings outside of the project changed since the loop began, and clean rooms are without them: ${firstOf(newer, NAMED)}.`;
  return objectionOf("packages", [], message);
}
