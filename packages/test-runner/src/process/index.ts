export { testEnvironment } from "./environment.ts";
export { probe, runCommand } from "./run-command.ts";
