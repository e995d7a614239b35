import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, onTestFinished, test, vi } from "vitest";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const documents = globSync("{*.md,docs/**/*.md,{packages,examples}/*/*.md,quality/*.md}", {
  cwd: root,
}).sort();
const scripts = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).scripts as Record<
  string,
  string
>;

/** Commands that would run this test inside itself, or take minutes; CI runs each of them as it stands. */
const RUN_BY_CI = [
  "npm test",
  "npm run test:all",
  "npm run check",
  "npm run mutants",
  "npm run bench",
];

/** The same program with the same arguments, shown by another document, runs once: `npm run demo` starts it so. */
const RUN_AS = new Map([["ccw-loop demo", "npm run demo"]]);

/** An empty folder with `ccw-loop` as users have it on their PATH. */
const shim = mkdtempSync(join(tmpdir(), "ccw-documents-"));
const bin = join(process.env.CCW_LOOP_BUILT ?? join(root, "packages/cli"), "bin/ccw-loop.js");
writeFileSync(join(shim, "ccw-loop"), `#!/bin/sh\nexec node "${bin}" "$@"\n`, { mode: 0o755 });
afterAll(() => rmSync(shim, { recursive: true, force: true }));

function read(file: string): string {
  return readFileSync(join(root, file), "utf8");
}

/** The lines of every `sh` block, without comments. */
function blocks(file: string): string[][] {
  return [...read(file).matchAll(/^```sh\n([\s\S]*?)^```/gm)].map((block) =>
    (block[1] ?? "")
      .split("\n")
      .map((line) => line.replace(/\s+#\s.*$/, "").trim())
      .filter((line) => line !== "" && !line.startsWith("#")),
  );
}

/** A block that begins with this shows a server and what is asked of it. */
const serves = ([first = ""]: string[]) => /^ccw-loop serve\b/.test(first);

const all = documents.flatMap((file) =>
  blocks(file)
    .filter((block) => !serves(block))
    .flat()
    .map((command) => [file, command] as const),
);
const serving = documents.flatMap((file) =>
  blocks(file)
    .filter(serves)
    .map((block) => [file, block] as const),
);

test("the documents show commands", () => {
  expect(all.map(([, command]) => command)).toContain("npm run demo");
});

describe.each(all)("%s: %s", (file, command) => {
  test.runIf(RUN_BY_CI.some((c) => command === c || command.startsWith(`${c} `)))(
    "is run by CI",
    () => {
      const name = command.replace(/^npm (run )?(-s )?/, "").split(" ")[0] ?? "";
      expect(scripts).toHaveProperty(name);
    },
  );

  const twin = RUN_AS.get(command);
  test.runIf(twin !== undefined)("is run by another document", () => {
    expect(all.map(([, shown]) => shown)).toContain(twin);
    const task = twin?.replace("npm run ", "");
    const line = `${task}: (env, args) => run("node", [cli, "${task}", ...args], env, typedIn),`;
    expect(read("scripts/x.mjs")).toContain(line);
  });

  const byCi = RUN_BY_CI.some((c) => command === c || command.startsWith(`${c} `));
  test.runIf(!byCi && twin === undefined)("works", { timeout: 120_000, tags: ["slow"] }, () => {
    const inPackage = file.startsWith("packages/");
    const env = {
      ...process.env,
      PATH: `${shim}${delimiter}${process.env.PATH}`,
      NO_COLOR: "1",
      CI: "1",
    };
    const exit = (() => {
      try {
        execFileSync("sh", ["-c", command], {
          cwd: inPackage && command.startsWith("ccw-loop") ? shim : root,
          env,
          stdio: "pipe",
          // Nothing else would end a command that serves until it is told to stop.
          timeout: 110_000,
        });
        return 0;
      } catch (error) {
        const { status, stderr } = error as { status: number; stderr: Buffer };
        return `${status}: ${stderr}`;
      }
    })();
    // `doctor` may truthfully say that this machine lacks a login.
    if (/doctor\b/.test(command)) expect(String(exit)).toMatch(/^[05]/);
    else expect(exit).toBe(0);
  });
});

test.each(serving)(
  "%s: a server, and what is asked of it: %j",
  async (_, [serve = "", ...rest]) => {
    const project = mkdtempSync(join(tmpdir(), "ccw-served-"));
    const PATH = `${shim}${delimiter}${process.env.PATH}`;
    const env = { ...process.env, PATH, XDG_CONFIG_HOME: join(project, ".config"), NO_COLOR: "1" };
    execFileSync("git", ["init", "-q"], { cwd: project });
    const server = spawn("sh", ["-c", `exec ${serve}`], { cwd: project, env });
    onTestFinished(() => {
      server.kill("SIGKILL");
      rmSync(project, { recursive: true, force: true });
    });
    let said = "";
    for (const stream of [server.stdout, server.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        said += text;
      });
    }
    await vi.waitFor(() => expect(said).toContain("List the loops with"), { timeout: 20_000 });
    for (const command of rest) {
      execFileSync("sh", ["-c", command], { cwd: shim, env, stdio: "pipe", timeout: 30_000 });
    }
    server.kill("SIGTERM");
    expect(await once(server, "exit"), said).toEqual([0, null]);
  },
);

describe.each(documents)("%s", (file) => {
  const links = [...read(file).matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)].map((m) => m[1] ?? "");
  const local = links.filter((link) => !/^[a-z]+:/.test(link));

  test.runIf(local.length > 0)("links to files that exist", () => {
    const broken = local.filter((link) => !existsSync(join(root, dirname(file), link)));
    expect(broken).toEqual([]);
  });
});

describe("the tree speaks of the project alone", () => {
  const files = execFileSync(
    "git",
    ["ls-files", "-z", "--cached", "--others", "--exclude-standard"],
    {
      cwd: root,
      encoding: "utf8",
    },
  )
    .split("\0")
    .filter((file) => /\.(md|ts|tsx|mjs|js|json|ya?ml|sh)$|^\.ci\/run$/.test(file))
    .filter((file) => existsSync(join(root, file)));

  test("no registry host, no path of a machine", () => {
    const traces =
      /registry\.npmjs|registry\.yarnpkg|deb\.debian\.org|\/work\/(main|shared)|\/root\//;
    const self = "test/documents.test.ts";
    expect(files.filter((file) => file !== self && traces.test(read(file)))).toEqual([]);
  });

  test("no source file is longer than 300 lines", () => {
    const sources = files.filter((file) =>
      /^(packages|apps|examples)\/[^/]+\/src\/.*\.tsx?$/.test(file),
    );
    expect(sources.length).toBeGreaterThan(50);
    expect(sources.filter((file) => read(file).split("\n").length > 301)).toEqual([]);
  });
});

test("llms.txt names every page of docs, and nothing that is not there", () => {
  const named = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, path = ""]) => path);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const pages = globSync("docs/{*,reference/*}.md", { cwd: root });
  expect(pages.filter((path) => !named.includes(path))).toEqual([]);
});
