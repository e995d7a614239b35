import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { environOf, runningProcesses } from "../packages/processes/src/index.ts";

/** A machine as the unit of `docs/hosting` expects it, in a folder of its own. */
export interface UnitHost {
  root: string;
  /** The unit with its specifiers filled in, and with every path of its machine in that folder. */
  text: string;
  file: string;
  project: string;
  socket: string;
}

/** Where the unit expects the program, the projects and its sockets. */
const PLACES = ["/opt/ccw-loop", "/srv/projects", "/run/ccw-loop"];

/** Installs `launcher` as `npm install --global` does it, and makes what systemd makes; gone after the test. */
export function unitHost(unit: string, launcher: string): UnitHost {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "ccw-unit-")));
  onTestFinished(() => {
    for (const pid of processesOf(root)) process.kill(pid, "SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 5 });
  });
  const [bin, state] = [join(root, "opt/ccw-loop/bin"), join(root, "var/lib")];
  const [project, sockets] = [join(root, "srv/projects/cart"), join(root, "run/ccw-loop")];
  for (const folder of [bin, join(state, "ccw-loop"), sockets, join(project, ".workflow/.loop")]) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  symlinkSync(launcher, join(bin, "ccw-loop"));
  symlinkSync(process.execPath, join(bin, "node"));
  const filled = unit.replaceAll("%i", "cart").replaceAll("%S", state);
  const text = PLACES.reduce((all, place) => all.replaceAll(place, join(root, place)), filled);
  const file = join(root, "ccw-loop@cart.service");
  writeFileSync(file, text);
  return { root, text, file, project, socket: join(sockets, "cart.sock") };
}

/** Starts its service as systemd does: without a shell, and with no environment but the unit's. */
export function startService({ text, project }: UnitHost): ChildProcess {
  const [line = ""] = settingsOf(text, "ExecStart");
  const [file = "", ...args] = line.split(" ");
  const variables = settingsOf(text, "Environment").map((set) => set.split(/=(.*)/s, 2));
  const child = spawn(file, args, {
    cwd: project,
    env: Object.fromEntries(variables),
    stdio: ["ignore", "ignore", "inherit"],
  });
  return child;
}

/** Everything that the service of that host started and that still runs, itself included. */
export function processesOf(root: string): number[] {
  const running = runningProcesses().map(({ pid }) => pid);
  return running.filter((pid) => environOf(pid).includes(`${root}/`));
}

/** Does what the unit does behind that, for this user's own group: it waits for the socket. */
export function afterStart({ text }: UnitHost): void {
  const [, script = ""] = /-c '(.*)'$/.exec(settingsOf(text, "ExecStartPost")[0] ?? "") ?? [];
  const own = script.replaceAll("www-data", `${process.getgid?.()}`);
  const { status, stderr } = spawnSync("/bin/sh", ["-c", own], {
    timeout: 30_000,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`ExecStartPost ended with ${status}: ${stderr}`);
}

/** The values of one setting of a unit. */
export function settingsOf(text: string, name: string): string[] {
  const lines = text.split("\n").filter((line) => line.startsWith(`${name}=`));
  return lines.map((line) => line.slice(name.length + 1));
}

/** Everything that `systemd-analyze` says. */
export function analyze(...args: string[]): string {
  const { stdout, stderr } = spawnSync("systemd-analyze", args, {
    encoding: "utf8",
    timeout: 60_000,
  });
  return `${stdout}${stderr}`;
}

/** Between 0 (safe) and 10; NaN where there is no `systemd-analyze` that can tell without a running systemd. */
export function exposureOf(file: string): number {
  const [, level] = /exposure level for .*: ([\d.]+)/.exec(securityOf(file)) ?? [];
  return Number(level ?? Number.NaN);
}

const securityOf = (file: string) => analyze("security", "--offline=true", "--no-pager", file);
