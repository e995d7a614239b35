import { PassThrough } from "node:stream";
import { createProgram } from "../src/program/program.ts";

/** What `ccw-loop --help` prints, as commander makes it for 80 columns. */
export function fullHelp(): string {
  const stdout = new PassThrough();
  const io = { stdin: stdout, stdout, stderr: stdout, env: {}, cwd: "." };
  createProgram(io, () => undefined).outputHelp();
  return String(stdout.read());
}
