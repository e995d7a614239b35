import type { ProjectFiles } from "../../../packages/orchestrator/src/project-files.ts";

/** A project without overrides of prompts or files that prompts name; contents are the workspace's. */
export const noFiles: ProjectFiles = {
  text: async () => null,
  exists: async () => false,
  isFolder: async () => false,
  bytes: async () => null,
  write: async () => undefined,
  remove: async () => undefined,
  inTemporary: (use) => use("/temporary"),
  names: async () => [],
  outputsIn: async () => [],
};
