import { gitWorkspace } from "../src/index.ts";

await gitWorkspace(process.env.CWD ?? "").restore(process.env.COMMIT ?? "");
