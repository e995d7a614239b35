import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { onTestFinished } from "vitest";

/** A real terminal of 100 × 30 in tmux, with a server of its own that ends with the test. */
export interface Terminal {
  /** What the screen shows now, without trailing blanks. */
  screen(): string;
  /** Types keys as tmux names them: `Enter`, `C-c`, or text. */
  keys(...keys: string[]): void;
}

/** Runs a shell command in it; `EXIT=` and the exit code follow. */
export function openTerminal(command: string, cwd: string, env: Record<string, string>): Terminal {
  const socket = `ccw-${randomBytes(6).toString("hex")}`;
  const tmux = (...args: string[]) =>
    execFileSync("tmux", ["-u", "-L", socket, "-f", "/dev/null", ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "pipe"],
      env: { PATH: process.env.PATH, HOME: cwd, TERM: "xterm-256color", LC_ALL: "C.UTF-8", ...env },
    });
  // Ctrl-C is for the command, not for the shell around it.
  const line = `trap : INT; ${command}; echo EXIT=$?; exec sleep 600`;
  tmux("new-session", "-d", "-s", "t", "-x", "100", "-y", "30", "-c", cwd, "sh", "-c", line);
  onTestFinished(() => {
    tmux("kill-server");
  });
  return {
    screen: () => tmux("capture-pane", "-p", "-t", "t").trimEnd(),
    keys: (...keys) => void tmux("send-keys", "-t", "t", ...keys),
  };
}
