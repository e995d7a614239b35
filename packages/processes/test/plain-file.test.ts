import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { processes } from "../src/index.ts";
import { isNoPlainFile, openPlain, readPlain } from "../src/plain-file.ts";
import { registryFolder } from "./owners.ts";

/** What may stand in the place of a small file. */
const HOSTILE: Record<string, (path: string) => void> = {
  "a named pipe": (path) => execFileSync("mkfifo", [path]),
  "a folder": (path) => {
    mkdirSync(path);
    writeFileSync(join(path, "theirs"), "theirs");
  },
  "a link to itself": (path) => symlinkSync(path, path),
  "a link to a device": (path) => symlinkSync("/dev/zero", path),
  "10 GB of nothing": (path) => {
    writeFileSync(path, "");
    truncateSync(path, 10e9);
  },
};

describe("in the place of a file that is read", () => {
  test.each(Object.entries(HOSTILE))("%s is refused", (_, put) => {
    const folder = registryFolder();
    mkdirSync(folder);
    const path = join(folder, "file");
    put(path);
    const refused = (work: () => unknown) => {
      try {
        return work();
      } catch (error) {
        return isNoPlainFile(error);
      }
    };
    const opened = readdirSync("/proc/self/fd").length;
    expect(refused(() => readPlain(path))).toBe(true);
    expect(refused(() => openPlain(path, undefined, { most: 10 }))).toBe(true);
    expect(readdirSync("/proc/self/fd")).toHaveLength(opened);
  });

  test("what is small enough is read whole, and nothing is null", () => {
    const folder = registryFolder();
    mkdirSync(folder);
    const path = join(folder, "file");
    expect(readPlain(path)).toBeNull();
    writeFileSync(path, "12345");
    expect(readPlain(path, { most: 5 })?.toString()).toBe("12345");
    expect(() => readPlain(path, { most: 4 })).toThrow("has 5 bytes, and at most 4 are read");
    symlinkSync("file", join(folder, "link"));
    expect(readPlain(join(folder, "link"), { followLinks: true })?.toString()).toBe("12345");
  });
});

describe.runIf(process.platform === "linux")("an owner starts its work, whatever stands", () => {
  const program = fileURLToPath(new URL("fixtures/next-owner.ts", import.meta.url));
  /** In a process of its own: what hangs there must not hang this one. */
  async function startsElsewhere(folder: string): Promise<void> {
    const args = [program, folder, "demo", "3"];
    const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
    expect(stdout.trim()).toBe("The command ended with 7.");
    expect(readFileSync(join(folder, "demo.epoch"), "utf8")).toBe("3\n");
  }

  test.each(Object.entries(HOSTILE))("in its registry: %s", { timeout: 60_000 }, async (_, put) => {
    const folder = registryFolder();
    mkdirSync(folder);
    put(join(folder, "demo.epoch"));
    put(join(folder, "1-1.group.json"));
    await startsElsewhere(folder);
  });

  test.each(["a named pipe", "a link to itself", "10 GB of nothing"])(
    "in the place of its registry: %s",
    { timeout: 60_000 },
    async (what) => {
      const folder = registryFolder();
      HOSTILE[what]?.(folder);
      await startsElsewhere(folder);
      expect(lstatSync(folder).isDirectory()).toBe(true);
      expect(readdirSync(join(folder, "..")).sort()).toEqual([
        "registry",
        expect.stringMatching(/^registry\.damaged-/),
      ]);
    },
  );

  async function starts(folder: string, damage: () => void): Promise<void> {
    const scope = { loop: "demo", epoch: 3 };
    const registry = processes({ folder });
    await registry.endSuperseded(scope);
    damage();
    const family = registry.processTree(scope);
    await once(family.spawn("/bin/sh", ["-c", "exit 7"], { stdio: "ignore" }), "exit");
    expect(await family.end({ graceMs: 0 })).toEqual([]);
  }

  test.each(["9".repeat(400), "99999999999", "1e308", "-1", "NaN", "0x10"])(
    "as its epoch: %s",
    async (text) => {
      const folder = registryFolder();
      await starts(folder, () => writeFileSync(join(folder, "demo.epoch"), `${text}\n`));
    },
  );

  const DEEP = `${"[".repeat(5000)}${"]".repeat(5000)}`;
  test.each(Object.entries({ "1e308": "1e308", "-1": "-1", text: '"1"', "deep lists": DEEP }))(
    "as the numbers of a record: %s",
    async (_, number) => {
      const folder = registryFolder();
      const record = { mark: "m", started: "1", command: "c", at: new Date().toISOString() };
      const wrong = {
        group: { ...record, group: "?", owner: { pid: 1, started: "1" } },
        owner: { ...record, group: 1, owner: { pid: "?", started: "1" } },
      };
      await starts(folder, () => {
        for (const [name, one] of Object.entries(wrong)) {
          const text = JSON.stringify(one).replace('"?"', number);
          writeFileSync(join(folder, `${name}.group.json`), text);
        }
      });
      expect(processes({ folder }).leftovers()).toEqual([]);
      expect(readdirSync(folder)).toEqual(["demo.epoch"]);
    },
  );
});
