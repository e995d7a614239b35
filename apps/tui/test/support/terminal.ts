import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";

const run = promisify(execFile);

export interface TerminalOptions {
  cwd: string;
  /** All that the command gets beside PATH and what says how this terminal is. */
  env: Record<string, string>;
  columns?: number;
  rows?: number;
}

/** What is to be on the screen: a text, a match, or whatever the function says. */
export type Wanted = string | RegExp | ((screen: string) => boolean);

/** What a terminal is in, beside what it shows. */
export interface Modes {
  /** The screen that programs take for themselves, without a history. */
  alternate: boolean;
  cursor: boolean;
}

/** A real terminal in tmux, with a server of its own that ends with it. */
export interface Terminal extends AsyncDisposable {
  /** What it shows now, without trailing blanks. */
  screen(): Promise<string>;
  /** The same with the codes of its colors. */
  colored(): Promise<string>;
  modes(): Promise<Modes>;
  /** Presses keys as tmux names them: `Enter`, `C-c`, `Up`, or one character. */
  press(...keys: string[]): Promise<void>;
  type(text: string): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Resolves with the screen as soon as it is as wanted. Throws with what is there instead. */
  shows(wanted: Wanted, withinMs?: number): Promise<string>;
  /** Everything that is written to the terminal from now on goes to this file as well. */
  recordTo(file: string): Promise<void>;
}

const PATIENCE_MS = 60_000;
const LOOK_EVERY_MS = 25;

/** Runs a shell command in a terminal; `EXIT=` and its exit code follow on the screen. */
export async function openTerminal(
  command: string,
  { cwd, env, columns = 100, rows = 30 }: TerminalOptions,
): Promise<Terminal> {
  const folder = await mkdtemp(join(tmpdir(), "ccw-tmux-"));
  const socket = join(folder, "tmux");
  const own = {
    PATH: process.env.PATH,
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
    ...env,
  };
  const tmux = async (...args: string[]) => {
    const all = ["-u", "-S", socket, "-f", "/dev/null", ...args];
    return (await run("tmux", all, { env: own, maxBuffer: 1 << 26 })).stdout;
  };
  // Ctrl-C is for the command, not for the shell around it.
  const line = `trap : INT; ${command}; echo EXIT=$?; exec sleep 600`;
  const size = ["-x", `${columns}`, "-y", `${rows}`];
  // A terminal in which programs are told of a lone Esc at once, and without a line of tmux's own.
  const options = ["set", "-g", "status", "off", ";", "set", "-sg", "escape-time", "0"];
  const session = ["new-session", "-d", "-s", "t", ...size, "-c", cwd, "sh", "-c", line];
  await tmux("start-server", ";", ...options, ";", ...session);
  // Whoever opened it may be killed.
  const alone = `while kill -0 ${process.pid} && [ -e '${socket}' ]; do sleep 1; done 2>/dev/null`;
  await tmux("run-shell", "-b", `${alone}; tmux -S '${socket}' kill-server; rm -rf '${folder}'`);
  const screen = async () => (await tmux("capture-pane", "-p", "-t", "t")).trimEnd();
  return {
    screen,
    colored: () => tmux("capture-pane", "-e", "-N", "-p", "-t", "t"),
    async modes() {
      const text = await tmux("display", "-p", "-t", "t", "#{alternate_on} #{cursor_flag}");
      const [alternate, cursor] = text.trim().split(" ");
      return { alternate: alternate === "1", cursor: cursor === "1" };
    },
    press: async (...keys) => void (await tmux("send-keys", "-t", "t", ...keys)),
    type: async (text) => void (await tmux("send-keys", "-t", "t", "-l", "--", text)),
    resize: async (x, y) =>
      void (await tmux("resize-window", "-t", "t", "-x", `${x}`, "-y", `${y}`)),
    recordTo: async (file) => void (await tmux("pipe-pane", "-t", "t", "-O", `cat > '${file}'`)),
    async shows(wanted, withinMs = PATIENCE_MS) {
      const until = performance.now() + withinMs;
      for (;;) {
        const seen = await screen();
        if (isAsWanted(seen, wanted)) return seen;
        if (performance.now() > until) throw new Error(`Not on the screen: ${wanted}\n${seen}`);
        await delay(LOOK_EVERY_MS);
      }
    },
    async [Symbol.asyncDispose]() {
      await tmux("kill-server").catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function isAsWanted(screen: string, wanted: Wanted): boolean {
  if (typeof wanted === "string") return screen.includes(wanted);
  return typeof wanted === "function" ? wanted(screen) : wanted.test(screen);
}
