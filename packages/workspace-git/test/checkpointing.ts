import { gitWorkspace } from "../src/index.ts";

const { commit } = await gitWorkspace(process.env.CWD ?? "").checkpoint("loop", 1, "suspended");
process.stdout.write(commit);
