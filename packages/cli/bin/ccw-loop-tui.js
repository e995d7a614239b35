#!/usr/bin/env node
import { enableCompileCache } from "node:module";

enableCompileCache?.();
const { main, processIo } = await import("@ccw-loop/cli");
const code = await main(["tui", ...process.argv.slice(2)], processIo());
process.exitCode = code;
// An interrupted command may leave work behind that would keep the process alive.
if (code > 128) process.exit(code);
