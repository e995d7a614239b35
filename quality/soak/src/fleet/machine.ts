import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { environment } from "../../../support/environment.ts";

const OWN = ["--mount", "--pid", "--uts"];
const IN_USER = ["--user", "--map-root-user"];
const UNSHARE = ["--fork", "--kill-child", "--mount-proc"];

/** A disk that ends with the machine, and a name; its first process waits for its input, and takes the orphans. */
const BEGIN = 'mount -t tmpfs -o mode=755 disk "$0" && hostname "$1" && echo up && cat > /dev/null';

/** Namespaces of processes, files and names that are permitted here. */
export interface Namespaces {
  unshare: readonly string[];
  nsenter: readonly string[];
}

/** As root, or in a user namespace; null where neither is permitted. `folder` can be covered by a disk. */
export function permittedNamespaces(folder: string): Namespaces | null {
  for (const user of [[], IN_USER]) {
    const unshare = [...user, ...OWN, ...UNSHARE];
    const tried = spawnSync("unshare", [...unshare, "sh", "-c", BEGIN, folder, "trial"]);
    const nsenter = [...(user.length > 0 ? ["--user", "--preserve-credentials"] : []), ...OWN];
    if (tried.status === 0) return { unshare, nsenter };
  }
  return null;
}

interface MachineOptions {
  name: string;
  namespaces: Namespaces;
  /** Covered by the disk of each machine: the same path, and other files. */
  disk: string;
}

/** Processes, files and a name of its own; it shares the loopback with others, and the folders that are not its disk. */
export class Machine {
  readonly #options: MachineOptions;
  #unshare: ChildProcess | undefined;
  #first = 0;

  constructor(options: MachineOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Begins with an empty disk. */
  async boot(): Promise<void> {
    const { name, namespaces, disk } = this.#options;
    const line = [...namespaces.unshare, "sh", "-c", BEGIN, disk, name];
    this.#unshare = spawn("unshare", line, { stdio: ["pipe", "pipe", "ignore"] });
    if (this.#unshare.stdout) await once(this.#unshare.stdout, "data");
    this.#first = await childOf(this.#unshare.pid ?? 0);
    this.#run("mkdir", `${disk}/home`, `${disk}/tmp`);
  }

  #entering(): string[] {
    return [...this.#options.namespaces.nsenter, "--target", `${this.#first}`, "--"];
  }

  #run(...line: string[]): void {
    execFileSync("nsenter", [...this.#entering(), ...line]);
  }

  /** Starts a program in its home folder; `onLine` is told each line of its output. */
  async start(
    line: readonly string[],
    env: NodeJS.ProcessEnv,
    onLine: (line: string) => void,
  ): Promise<Program> {
    const { disk } = this.#options;
    const inHome = ["sh", "-c", 'cd "$HOME" && exec "$@"', "sh", ...line];
    const child = spawn("nsenter", [...this.#entering(), ...inHome], {
      env: { ...environment(), HOME: `${disk}/home`, TMPDIR: `${disk}/tmp`, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    return programOf(child, onLine);
  }

  /** All of its processes end in the same moment, and its disk with them. */
  async crash(): Promise<void> {
    if (!this.#unshare) return;
    const over = once(this.#unshare, "exit");
    process.kill(this.#first, "SIGKILL");
    await over;
    this.#unshare = undefined;
  }
}

/** A program on a machine, with its process id here. */
export interface Program {
  pid: number;
  signal(name: NodeJS.Signals): void;
  /** Resolves when it has ended and all of its output was read. */
  gone: Promise<void>;
  /** The end of what it wrote on stderr. */
  complaint(): string;
}

const KEPT = 2000;

async function programOf(child: ChildProcess, onLine: (line: string) => void): Promise<Program> {
  let stderr = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr = (stderr + text).slice(-KEPT);
  });
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on("line", onLine);
  const gone = Promise.all([once(lines, "close"), once(child, "close")]).then(() => undefined);
  const pid = await childOf(child.pid ?? 0);
  const signal = (name: NodeJS.Signals) => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    process.kill(pid, name);
    // nsenter suspends itself with its child, and would not notice its end.
    if (name !== "SIGSTOP") child.kill("SIGCONT");
  };
  return { pid, signal, gone, complaint: () => stderr };
}

/** The only child of a process, as soon as it has one. */
async function childOf(pid: number): Promise<number> {
  for (;;) {
    const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ");
    if (child) return Number(child);
    await delay(5);
  }
}
