import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { validate } from "dockerfile-utils";
import { describe, expect, test, vi } from "vitest";
import { createProgram } from "../packages/cli/src/program/program.ts";
import {
  afterStart,
  analyze,
  exposureOf,
  processesOf,
  startService,
  unitHost,
} from "./unit-file.ts";

const folder = join(import.meta.dirname, "..", "docs", "hosting");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const LAUNCHER = join(process.env.CCW_LOOP_BUILT ?? "", "bin/ccw-loop.js");
const PATIENCE = { timeout: 30_000, interval: 20 };

/** The options of `ccw-loop serve` that the program itself knows. */
function optionsOfServe(): Set<string> {
  const nowhere = { write: () => true };
  const io = { stdout: nowhere, stderr: nowhere, env: {}, cwd: "/" } as never;
  const serve = createProgram(io, () => undefined).commands.find((one) => one.name() === "serve");
  return new Set(serve?.options.map(({ long }) => long ?? ""));
}

/** Every `--option` that stands behind `serve` in a file. */
function optionsIn(text: string): string[] {
  const lines = text.split("\n").filter((line) => /\bserve\b/.test(line) && !line.startsWith("#"));
  return lines.flatMap((line) => line.match(/--[a-z][a-z-]+/g) ?? []);
}

test.each(["Containerfile", "ccw-loop.service"])("%s starts `serve` as it is", (name) => {
  const known = optionsOfServe();
  const used = optionsIn(read(name));
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((option) => !known.has(option))).toEqual([]);
});

test("the guide, the proxy and the unit name one socket", () => {
  const guide = readFileSync(join(folder, "..", "hosting.md"), "utf8");
  const texts = [guide, read("nginx.conf"), read("ccw-loop.service").replaceAll("%i", "cart")];
  const named = texts.map((text) => [...new Set(text.match(/[\w./-]+\.sock\b/g))]);
  expect(named).toEqual(texts.map(() => ["/run/ccw-loop/cart.sock"]));
});

test("the container file has nothing that a linter complains of", () => {
  expect(validate(read("Containerfile"))).toEqual([]);
  expect(validate("FROM node\nRUNN x\n")).not.toEqual([]);
});

/** The instructions of a container file in their order, without the marks of long lines. */
function instructionsOf(text: string): { name: string; rest: string }[] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n");
  return lines.flatMap((line) => {
    const [, name = "", rest = ""] = /^([A-Z]+) +(.+)$/.exec(line) ?? [];
    return name === "" ? [] : [{ name, rest }];
  });
}

describe("the container", () => {
  const instructions = instructionsOf(read("Containerfile"));
  const wordsOf = (wanted: string): string[] =>
    instructions.flatMap(({ name, rest }) => (name === wanted ? JSON.parse(rest) : []));

  test("starts the program without a shell, which would keep SIGTERM to itself", () => {
    const words = [...wordsOf("ENTRYPOINT"), ...wordsOf("CMD")];
    expect(words.slice(0, 4)).toEqual(["tini", "--", "ccw-loop", "serve"]);
  });

  test("has volumes that its user owns: their folders are there and given to it before", () => {
    const declared = instructions.findIndex(({ name }) => name === "VOLUME");
    const before = instructions.slice(0, declared).filter(({ name }) => name === "RUN");
    const steps = before.flatMap(({ rest }) => rest.split(/\s*&&\s*/));
    const foldersOf = (step: string) => step.split(/\s+/).filter((word) => word.startsWith("/"));
    const made = steps.filter((step) => step.startsWith("mkdir -p ")).flatMap(foldersOf);
    const given = steps.filter((step) => step.startsWith("chown -R node:node ")).flatMap(foldersOf);
    const volumes = wordsOf("VOLUME");
    expect(volumes).not.toEqual([]);
    for (const volume of volumes) {
      // The home is the image's own user's.
      if (volume !== "/home/node") expect(made).toContain(volume);
      expect(given.some((folder) => `${volume}/`.startsWith(`${folder}/`))).toBe(true);
    }
    expect(instructions.some(({ name, rest }) => name === "USER" && rest === "node")).toBe(true);
  });
});

/** Whether this machine has a systemd-analyze that works; it needs no running systemd for what is asked here. */
const ANALYZES = (() => {
  const file = join(mkdtempSync(join(tmpdir(), "ccw-plain-")), "plain.service");
  writeFileSync(file, "[Service]\nExecStart=/bin/true\nNonsense=yes\n");
  const works = exposureOf(file) > 9 && analyze("verify", file).includes("Nonsense");
  rmSync(file);
  return works;
})();

describe("the unit", () => {
  test.runIf(ANALYZES)(
    "is one that systemd understands, and leaves little to a service that was taken over",
    () => {
      const { file } = unitHost(read("ccw-loop.service"), LAUNCHER);
      const complaints = analyze("verify", file)
        .split("\n")
        .filter((line) => line.includes("ccw-loop@cart"));
      expect(complaints).toEqual([]);
      expect(exposureOf(file)).toBeLessThanOrEqual(3);
    },
  );

  test.runIf(process.platform === "linux")(
    "drains at SIGTERM to the process that it starts",
    async () => {
      const host = unitHost(read("ccw-loop.service"), LAUNCHER);
      const beats = join(host.project, "beats");
      const turns = [
        { action: "INIT", answer: { state_updates: { tasks: [{ description: "work" }] } } },
        {
          action: "DEVELOP",
          repeat: true,
          steps: [
            { run: "(setsid sleep 3601 &); while :; do echo beat >> beats; sleep 0.05; done" },
          ],
          answer: "Never.",
        },
      ];
      writeFileSync(join(host.project, "agent.json"), JSON.stringify({ turns }));
      const service = startService(host);
      afterStart(host);
      expect(statSync(host.socket).mode & 0o777).toBe(0o660);

      const start = "start work --auto --agent scripted:agent.json --verify true --loop-id a";
      const args = [LAUNCHER, ...start.split(" ")];
      execFileSync(process.execPath, args, { cwd: host.project, stdio: "pipe" });
      await vi.waitFor(() => expect(existsSync(beats)).toBe(true), PATIENCE);
      // The server, the agent's shell and what that left behind.
      expect(processesOf(host.root).length).toBeGreaterThanOrEqual(3);

      const ended = once(service, "exit");
      service.kill("SIGTERM");
      expect(await ended).toEqual([0, null]);
      await vi.waitFor(() => expect(processesOf(host.root)).toEqual([]), {
        timeout: 2000,
        interval: 20,
      });
      const state = JSON.parse(readFileSync(join(host.project, ".workflow/.loop/a.json"), "utf8"));
      expect(state).toMatchObject({
        status: "running",
        action: { name: "DEVELOP", interrupted: "interrupted by SIGTERM" },
      });
    },
  );
});
