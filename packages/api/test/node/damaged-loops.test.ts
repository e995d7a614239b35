import { homedir } from "node:os";
import { basename } from "node:path";
import { fsStore } from "@ccw-loop/store-fs";
import { expect, test } from "vitest";
import { pathRedactor } from "../../src/node/serve.ts";
import { served } from "./served.ts";

const V2 = "/api/loops/v2";
const LOOPS = ".workflow/.loop";

/** What somebody did to the files of loop `a`, and how every request for it is answered then. */
const DAMAGED: Record<string, { files: Record<string, string>; status: number; code: string }> = {
  "a commit that cannot be read": {
    files: { [`${LOOPS}/a.history/0000000001.json`]: "rubbish" },
    status: 409,
    code: "store_corrupt",
  },
  "a state file that is no loop's": {
    files: { [`${LOOPS}/a.json`]: "rubbish" },
    status: 409,
    code: "store_corrupt",
  },
  "a folder in the place of the state file": {
    files: { [`${LOOPS}/a.json/inside`]: "theirs" },
    status: 409,
    code: "store_corrupt",
  },
  "a file in the place of all loops": {
    files: { [LOOPS]: "theirs" },
    status: 503,
    code: "unsafe_path",
  },
};

const PARTS = ["", "/why", "/timeline", "/receipts", "/journal", "/progress", "/logs", "/tasks"];
const REQUESTS: readonly [method: string, path: string, body?: unknown][] = [
  ...PARTS.map((path): [string, string] => ["GET", path]),
  ...["/events", "/diff"].map((path): [string, string] => ["GET", path]),
  ["PUT", "", { notes: "n" }],
  ["POST", "/start", {}],
  ["POST", "/verify", {}],
  ["POST", "/fork", { from: 0 }],
  ["POST", "/import", { issue_id: "ISS-1" }],
  ["POST", "/generate", {}],
];

test.each(Object.entries(DAMAGED))(
  "%s is no failure of the server, and no answer says where on the machine it is",
  async (_, { files, status, code }) => {
    const store = (root: string) => fsStore({ root });
    const { ask, cwd } = await served({}, { files, store });
    for (const [method, path, body] of REQUESTS) {
      const headers = { "content-type": "application/json" };
      const sent = body === undefined ? {} : { body: JSON.stringify(body), headers };
      const answer = await ask(`${V2}/a${path}`, { method, ...sent });
      const text = await answer.text();
      expect([answer.status, JSON.parse(text).code], `${method} ${path}: ${text}`).toEqual([
        status,
        code,
      ]);
      expect(text).not.toContain(cwd);
    }
    const list = await (await ask(V2)).text();
    expect(list).not.toContain(cwd);
    expect(list).toMatch(/recover a|replace it with a regular file or folder/);
  },
);

test("what is cut out of a text is where a project and a home lie, not what lies there", () => {
  const redact = pathRedactor("/srv/teams/shop");
  expect(redact("/srv/teams/shop/.workflow is a link; see /srv/teams/shop.worktrees/a")).toBe(
    "…/shop/.workflow is a link; see …/shop.worktrees/a",
  );
  expect(redact(`git failed in /srv/teams/shop: ${homedir()}/.gitconfig`)).toBe(
    "git failed in …/shop: ~/.gitconfig",
  );
  expect(pathRedactor(`${homedir()}/shop`)(`${homedir()}/shop/a`)).toBe("…/shop/a");
  expect(pathRedactor("/")("/a/b and /")).toBe("/a/b and /");
  expect(pathRedactor(undefined)(basename(homedir()))).toBe(basename(homedir()));
});

test("a refusal with a next step has it in a field of its own", async () => {
  const { ask } = await served();
  const json = { "content-type": "application/json" };
  const post = (path: string, body: unknown) =>
    ask(V2 + path, { method: "POST", headers: json, body: JSON.stringify(body) });
  await post("", { id: "a", title: "t" });
  await post("/a/start", {});
  const answer = await post("/a/resume", { now: true });
  expect(answer.status).toBe(409);
  expect(await answer.json()).toMatchObject({
    code: "invalid_transition",
    hint: "See what it does with: ccw-loop why a",
  });
});
