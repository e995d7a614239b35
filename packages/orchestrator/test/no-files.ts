import type { ProjectFiles } from "../src/project-files.ts";

/** A project folder in which nothing lies that the orchestrator reads by itself. */
export const noFiles: ProjectFiles = {
  text: async () => null,
  exists: async () => false,
  isFolder: async () => false,
  bytes: async () => null,
  write: async () => undefined,
  remove: async () => undefined,
  inTemporary: (use) => use("/temporary"),
  outputsIn: async () => [],
};
