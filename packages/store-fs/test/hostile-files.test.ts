/** @module-tag slow */
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { encodeCommit } from "../src/commit/commit-form.ts";
import { journalText } from "../src/journal/journal.ts";
import { startChild } from "./child.ts";
import { testStore } from "./faults.ts";
import { sealed } from "./forging.ts";
import { AT, BY, initialized, loopFile, newLoop, noted, readJson, started } from "./loops.ts";
import { makeProject } from "./project.ts";

/** Puts something in the place of a file. */
type Put = (path: string) => void;

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;
const SPARSE = 10e9;

/** What may stand in the place of any file. */
const INSTEAD: Record<string, Put> = {
  pipe: (path) => execFileSync("mkfifo", [path]),
  folder: (path) => {
    mkdirSync(path);
    writeFileSync(join(path, "theirs"), "theirs");
  },
  circle: (path) => symlinkSync(path, path),
  device: (path) => symlinkSync("/dev/zero", path),
};
/** What a file may hold beside rubbish. */
const CONTENT: Record<string, Put> = {
  huge: (path) => {
    writeFileSync(path, "");
    truncateSync(path, SPARSE);
  },
  deep: (path) => writeFileSync(path, deep(5000)),
  deeper: (path) => writeFileSync(path, deep(2_000_000)),
};

const NEWEST = "history/0000000004.json";
const LEASE = "history/epoch-0000000001/lease-1.json";
/** The parts of a loop by their names behind its id. */
const FILES = [
  "json",
  "tasks.jsonl",
  NEWEST,
  "history/0000000002.json",
  LEASE,
  "progress/develop.md",
  "progress/agent.log",
  "progress/agent.log.1",
];

type Damage = (id: string, part: (name: string) => string) => void;

/** A state file with these fields, sealed as ours are. */
function reseal(path: string, fields: object): void {
  writeFileSync(path, sealed({ ...readJson(path), ...fields }));
}

function commitAt(id: string, revision: number): string {
  const event = { type: "loop.created" as const, at: AT, loop: newLoop(id) };
  const head = { revision, parent: null, op_id: `op-${revision}`, epoch: null, at: AT, actor: "x" };
  return encodeCommit({ ...head, events: [event], state: newLoop(id) }).text;
}

const journalLine = (revision: number) =>
  journalText({ revision, actor: "x", op_id: undefined, events: [noted("planted")] });

const NUMBERS = [1e10, 1e308, 9_999_999_999, 9_999_999_998, -1, 0.5, "7", null];

function damages(): Record<string, Damage> {
  const found: Record<string, Damage> = {};
  const add = (name: string, damage: Damage) => {
    found[`${Object.keys(found).length}-${name}`] = damage;
  };
  for (const [what, put] of Object.entries({ ...INSTEAD, ...CONTENT })) {
    for (const file of FILES) {
      add(`${what}-${file.replaceAll(/\W/g, "_")}`, (_, part) => {
        rmSync(part(file));
        put(part(file));
      });
    }
  }
  for (const [what, put] of Object.entries(INSTEAD)) {
    for (const file of ["journal.jsonl", "history", "progress"]) {
      add(`${what}-${file.replaceAll(/\W/g, "_")}`, (_, part) => {
        rmSync(part(file), { recursive: true });
        put(part(file));
      });
    }
  }
  for (const revision of NUMBERS) {
    add("revision", (_, part) => reseal(part("json"), { revision }));
    add("revision-alone", (_, part) => {
      reseal(part("json"), { revision });
      rmSync(part("history"), { recursive: true });
    });
    add("revision-of-others", (_, part) => {
      writeFileSync(
        part("json"),
        JSON.stringify({ ...readJson(part("json")), revision, etag: "x" }),
      );
      rmSync(part("history"), { recursive: true });
      rmSync(part("journal.jsonl"));
    });
    add("lease", (_, part) => {
      const record = readJson(part(LEASE));
      writeFileSync(part(LEASE), JSON.stringify({ ...record, expires: revision, ttl: revision }));
    });
  }
  add("iterations", (_, part) => reseal(part("json"), { max_iterations: 1e308 }));
  add("minus-zero", (_, part) => {
    const text = readFileSync(part("json"), "utf8");
    writeFileSync(part("json"), text.replace('"current_iteration": 0', '"current_iteration": -0'));
  });
  for (const name of [
    "9999999999.json",
    "9999999998.json",
    "0000000000.json",
    "99999999999.json",
  ]) {
    add("rubbish-in-history", (_, part) => writeFileSync(part(`history/${name}`), "{}"));
    add("pipe-in-history", (_, part) => INSTEAD.pipe?.(part(`history/${name}`)));
    add("folder-in-history", (_, part) => INSTEAD.folder?.(part(`history/${name}`)));
  }
  for (const revision of [9_999_999_999, 9_999_999_998, 5_000_000_000]) {
    add("commit-far-away", (id, part) =>
      writeFileSync(part(`history/${revision}.json`), commitAt(id, revision)),
    );
    add("line-far-away", (_, part) => appendFileSync(part("journal.jsonl"), journalLine(revision)));
  }
  for (const name of ["99999999999999999999", "9999999999", "9999999998", "-1", "1e308", "07"]) {
    add("epoch", (_, part) => mkdirSync(part(`history/epoch-${name}`)));
    add("pipe-for-epoch", (_, part) => INSTEAD.pipe?.(part(`history/epoch-${name}`)));
  }
  add("new-line-in-a-name", (_, part) => writeFileSync(part("history/0000000009.json\n"), "{}"));
  add("crowd", (_, part) => {
    for (let n = 1000; n < 4000; n++) writeFileSync(part(`history/000000${n}.json`), "{}");
  });
  add("line-of-any-number", (_, part) =>
    appendFileSync(part("journal.jsonl"), '{"revision":1e308,"actor":"x","event":{}}\n'),
  );
  add("deep-line", (_, part) => appendFileSync(part("journal.jsonl"), `${deep(5000)}\n`));
  add("long-line", (_, part) => truncateSync(part("journal.jsonl"), 200e6));
  add("long-line-that-ends", (_, part) => {
    truncateSync(part("journal.jsonl"), 200e6);
    appendFileSync(part("journal.jsonl"), "\n");
  });
  return found;
}

interface Said {
  id: string;
  name: string;
  message?: string | null;
  ids?: string[];
}

/** Everything that a visitor says; fails when it hangs, and names where. */
async function visit(root: string, patienceMs: number): Promise<Said[]> {
  const child = startChild("visitor", root);
  const said: Said[] = [];
  await new Promise<void>((resolve, reject) => {
    const hangs = () => reject(new Error(`It hangs at ${JSON.stringify(said.at(-1))}.`));
    let timer = setTimeout(hangs, patienceMs);
    child.on("message", (one: Said) => {
      said.push(one);
      clearTimeout(timer);
      timer = setTimeout(hangs, patienceMs);
    });
    child.once("exit", (code) => {
      clearTimeout(timer);
      if (code === 0) resolve();
      else reject(new Error(`It ended with ${code} at ${JSON.stringify(said.at(-1))}.`));
    });
  });
  expect(said.at(-1)?.name).toBe("done");
  return said;
}

const ANSWERS = /^(store_corrupt|unsafe_path): Loop \S+ is damaged: .*(ccw-loop recover \S+)$/s;

/** One loop for each damage and a good one, all of them visited. Nothing may hang, and nothing else be said than `ANSWERS`. */
async function expectBounded(all: Record<string, Damage>, patienceMs: number): Promise<void> {
  const root = makeProject();
  const store = testStore(root);
  for (const id of ["good", ...Object.keys(all)]) {
    await store.create(newLoop(id), BY);
    await store.append(id, 1, [started, initialized("task-1")], BY);
    await store.append(id, 2, [noted("n")], BY);
    await store.append(id, 3, [noted("m")], BY);
    await store.claim(id, "gone", 1);
    await store.appendLog(id, [{ n: 1 }]);
  }
  await store.close();
  for (const [id, damage] of Object.entries(all)) {
    const part = (name: string) => loopFile(root, `${id}.${name}`);
    if (!existsSync(part("progress/agent.log.1"))) writeFileSync(part("progress/agent.log.1"), "");
    damage(id, part);
  }
  const said = await visit(root, patienceMs);
  const found = said.find(({ name }) => name === "found")?.ids ?? [];
  expect(found.sort()).toEqual(["good", ...Object.keys(all)].sort());
  const wrong = said.filter(({ id, name, message }) => {
    if (message === undefined || message === null) return false;
    const mayFail = id !== "good" && id !== "" && !/again|recover|plan/.test(name);
    return !(mayFail && ANSWERS.test(message));
  });
  expect(wrong).toEqual([]);
  expect(said.filter(({ id }) => id === "good").length).toBeGreaterThan(Object.keys(all).length);
}

describe("whatever stands in the place of one file of a loop", () => {
  test(
    "no command hangs, the others are untouched, and recovery helps",
    {
      timeout: 600_000,
    },
    () => expectBounded(damages(), 60_000),
  );
});

/** One for each bound on what is read. */
const BEYOND: Record<string, Damage> = {
  revision: (_, part) => reseal(part("json"), { revision: 1e10 }),
  commit: (_, part) => writeFileSync(part("history/9999999999.json"), "{}"),
  epoch: (_, part) => mkdirSync(part(`history/epoch-${"9".repeat(20)}`)),
  nesting: (_, part) => {
    const text = readFileSync(part("json"), "utf8").trimEnd();
    writeFileSync(part("json"), `${text.slice(0, -1)}, "theirs": ${deep(5000)}}`);
  },
  pipe: (_, part) => {
    rmSync(part(NEWEST));
    INSTEAD.pipe?.(part(NEWEST));
  },
};

test("what is beyond a bound hangs no command, whichever bound it is", { timeout: 60_000 }, () =>
  expectBounded(BEYOND, 15_000),
);
