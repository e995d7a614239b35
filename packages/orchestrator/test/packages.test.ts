import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { foldersOf, installAnew, withoutLockfile } from "../src/proof/rooms.ts";
import { project } from "./support.ts";
import { testsThat } from "./tests-that.ts";

/** The folders, from the top, and the programs by which they are installed when `changed` is not what it was. */
async function installed(files: readonly string[], changed: string) {
  const top = project();
  for (const path of [...files, changed]) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), "");
  }
  const commands: [string, string][] = [];
  const verifier = testsThat({});
  const place = {
    beforeRun: async () => undefined,
    scope: undefined,
    signal: AbortSignal.timeout(10_000),
    verifier: {
      ...verifier,
      probe: async (command: string, { cwd }: { cwd: string }) => {
        commands.push([cwd.slice(top.length), command]);
        expect(existsSync(join(top, changed)), "what was changed is removed first").toBe(false);
        return { exit_code: 0, duration_ms: 1, output: "", timed_out: false };
      },
    },
  };
  await installAnew(place, top, [changed]);
  return { commands, undescribed: withoutLockfile(top, [changed]) };
}

const JS = "node_modules/dep/index.js";
const PY = ".venv/lib/python3.11/site-packages/dep.py";

test.each<[string[], string, [string, RegExp][]]>([
  [["package-lock.json"], JS, [["", /^npm ci --ignore-scripts /]]],
  [["npm-shrinkwrap.json"], JS, [["", /^npm ci --ignore-scripts /]]],
  [["pnpm-lock.yaml"], JS, [["", /^pnpm install --frozen-lockfile --ignore-scripts .* copy$/]]],
  [["yarn.lock"], JS, [["", /yarn install --immutable .* yarn install --frozen-lockfile /]]],
  [["bun.lock"], JS, [["", /^bun install --frozen-lockfile /]]],
  [["uv.lock"], PY, [["", /^uv sync --frozen$/]]],
  [["poetry.lock"], PY, [["", /IN_PROJECT=true poetry install /]]],
  [
    ["requirements.txt"],
    PY,
    [["", /^python3 -m venv .venv && .venv\/bin\/python -m pip install /]],
  ],
  [["requirements.txt"], "venv/lib/dep.py", [["", /^python3 -m venv venv && venv\/bin\/python /]]],
  // A lockfile of one language says nothing about folders of another.
  [["requirements.txt", "uv.lock"], JS, []],
  [["package-lock.json"], PY, []],
  [[], JS, []],
  // The nearest one above the installed folder, for packages of a workspace too.
  [["package-lock.json", "a/pnpm-lock.yaml"], `a/${JS}`, [["/a", /^pnpm install /]]],
  [["pnpm-lock.yaml"], `a/b/${JS}`, [["", /^pnpm install /]]],
  [["a/package-lock.json"], JS, []],
])("with %j, %s is installed by %j", async (files, changed, expected) => {
  const { commands, undescribed: left } = await installed(files, changed);
  expect(commands).toEqual(expected.map(([at, program]) => [at, expect.stringMatching(program)]));
  expect(left).toEqual(expected.length > 0 ? [] : [changed]);
});

test("nothing is installed for a lease that was lost", async () => {
  const top = project();
  for (const path of ["package-lock.json", JS]) {
    mkdirSync(dirname(join(top, path)), { recursive: true });
    writeFileSync(join(top, path), "");
  }
  const commands: string[] = [];
  const place = {
    beforeRun: () => Promise.reject(new Error("The lease was lost.")),
    scope: undefined,
    signal: AbortSignal.timeout(10_000),
    verifier: {
      ...testsThat({}),
      probe: async (command: string) => {
        commands.push(command);
        return { exit_code: 0, duration_ms: 1, output: "", timed_out: false };
      },
    },
  };
  const installing = installAnew(place, top, [JS]);
  await expect(installing).rejects.toThrow("The lease was lost.");
  expect(commands).toEqual([]);
});

test("installed folders are the outermost ones", () => {
  const nested = "a/node_modules/dep/node_modules/other/index.js";
  expect(foldersOf([nested, JS, PY, "src/venv.py", JS])).toEqual([
    "a/node_modules",
    "node_modules",
    ".venv",
  ]);
});
