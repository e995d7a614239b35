export { filesWorkspace } from "./files/files-workspace.ts";
export { gitWorkspace } from "./git/git-workspace.ts";
export { openWorkspace } from "./open-workspace.ts";
