import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test, vi } from "vitest";
import { thisProcess } from "../src/identity.ts";
import { processes } from "../src/index.ts";
import { COMMANDS, killed, living, owner, registryFolder } from "./owners.ts";

const LINUX = process.platform === "linux";
const LOOP = { loop: "demo", epoch: 3 };

describe.runIf(LINUX)("a registered group", () => {
  test("stands in a file that only the user may read, until it has ended", async () => {
    const folder = registryFolder();
    const family = processes({ folder }).processTree(LOOP);
    const command = `sleep 3601 # ${"x".repeat(300)}`;
    const { pid } = family.spawn("/bin/sh", ["-c", command], { stdio: "ignore" });
    const [name = ""] = readdirSync(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const record = JSON.parse(readFileSync(join(folder, name), "utf8"));
    expect(record).toMatchObject({ group: pid, scope: LOOP, owner: thisProcess() });
    expect(record.command).toHaveLength(200);
    await family.end({ graceMs: 0 });
    await vi.waitFor(() => expect(readdirSync(folder)).toEqual([]));
  });

  test("ends like any other when its file cannot be removed", async () => {
    const folder = registryFolder();
    const family = processes({ folder }).processTree(LOOP);
    const child = family.spawn("/bin/sh", ["-c", "read -r line"], { stdio: "pipe" });
    const [name = ""] = readdirSync(folder);
    // Not even root removes a folder as if it were a file; a file system that became read-only refuses as well.
    rmSync(join(folder, name));
    mkdirSync(join(folder, name));
    child.stdin.end();
    await once(child, "exit");
    expect(await family.end({ graceMs: 0 })).toEqual([]);
    expect(processes({ folder }).leftovers()).toEqual([]);
  });

  test("is not written where there are no loops", async () => {
    const folder = join(registryFolder(), "below", "nothing");
    const family = processes({ folder }).processTree(LOOP);
    family.spawn("/bin/sh", ["-c", "exit 0"], { stdio: "ignore" });
    await family.end({ graceMs: 0 });
    expect(() => readdirSync(folder)).toThrow("ENOENT");
  });
});

describe.runIf(LINUX)("sweep", { timeout: 60_000 }, () => {
  test("leaves alone what a living owner works on", async () => {
    const folder = registryFolder();
    const { family } = await owner(folder, LOOP, COMMANDS["children in the background"]);
    const registry = processes({ folder });
    expect(registry.leftovers()).toEqual([]);
    expect(await registry.sweep()).toEqual([]);
    expect(living(family)).toEqual(family);
  });

  test.each(["", "rub{bish", "99"])("takes an epoch that says %j for none", async (text) => {
    const folder = registryFolder();
    const registry = processes({ folder });
    await registry.endSuperseded(LOOP);
    writeFileSync(join(folder, `${LOOP.loop}.epoch`), text);
    const family = registry.processTree(LOOP);
    family.spawn("/bin/sh", ["-c", "exec sleep 3601"], { stdio: "ignore" });
    expect(await registry.sweep()).toEqual([]);
    expect(family.living()).toHaveLength(1);
    await family.end({ graceMs: 0 });
  });

  test("takes away records of groups that are gone, and rubbish", async () => {
    const folder = registryFolder();
    mkdirSync(folder);
    const [at, command, mark] = [new Date().toISOString(), "sleep", "gone"];
    const record = { mark, group: 2 ** 22 + 1, started: "7", scope: null, command, at };
    const write = (value: { group: number; owner: object }) =>
      writeFileSync(join(folder, `${value.group}-7.group.json`), JSON.stringify(value));
    write({ ...record, owner: thisProcess() });
    write({ ...record, group: 1, owner: { ...thisProcess(), boot: "before this one" } });
    write({ ...record, group: 2, owner: { ...thisProcess(), namespace: "of a container" } });
    writeFileSync(join(folder, "3-7.group.json"), '{"mark":');
    await processes({ folder }).sweep();
    expect(readdirSync(folder)).toEqual(["2-7.group.json"]);
  });
});

describe.runIf(LINUX)("endSuperseded", { timeout: 60_000 }, () => {
  test("ends the processes of a suspended owner, who can start no others when it wakes", async () => {
    const folder = registryFolder();
    const other = await owner(folder, LOOP, COMMANDS["children that ignore TERM"]);
    other.child.kill("SIGSTOP");
    const registry = processes({ folder });
    await registry.endSuperseded({ loop: LOOP.loop, epoch: LOOP.epoch + 1 });
    expect(living(other.family)).toEqual([]);
    other.child.kill("SIGCONT");
    other.child.kill("SIGUSR2");
    expect(await other.next()).toContain("was taken over by a newer owner");
    expect(registry.leftovers()).toEqual([]);
    await killed(other);
  });

  test("leaves alone other loops, the same lease, and other projects", async () => {
    const [folder, elsewhere] = [registryFolder(), registryFolder()];
    const owners = await Promise.all([
      owner(folder, LOOP),
      owner(folder, { loop: "demo-2", epoch: 1 }),
      owner(elsewhere, { ...LOOP, epoch: 1 }),
    ]);
    await processes({ folder }).endSuperseded(LOOP);
    const all = owners.flatMap(({ family }) => family);
    expect(living(all)).toEqual(all);
  });

  test("a later lease of the same process ends the earlier one's, too", async () => {
    const registry = processes({ folder: registryFolder() });
    const earlier = registry.processTree(LOOP);
    earlier.spawn("/bin/sh", ["-c", "exec sleep 3601"], { stdio: "ignore" });
    const pids = earlier.living();
    await registry.endSuperseded({ ...LOOP, epoch: 4 });
    expect(living(pids)).toEqual([]);
    expect(() => earlier.spawn("true", [], { stdio: "ignore" })).toThrow(
      expect.objectContaining({ code: "fenced" }),
    );
  });

  test("a loop of the same name that was made anew counts from the beginning", async () => {
    const registry = processes({ folder: registryFolder() });
    await registry.endSuperseded({ loop: "demo", epoch: 7 });
    await registry.endSuperseded({ loop: "demo", epoch: 1 });
    const family = registry.processTree({ loop: "demo", epoch: 1 });
    expect(family.spawn("/bin/sh", ["-c", "exit 0"], { stdio: "ignore" }).pid).toBeGreaterThan(0);
    expect(await family.end({ graceMs: 0 })).toEqual([]);
  });
});
