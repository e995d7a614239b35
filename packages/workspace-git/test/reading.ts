import { gitWorkspace } from "../src/index.ts";

await gitWorkspace(process.env.CWD ?? "").checkpoint("loop", 0, "Start");
process.stdout.write("kept\n");
if (process.env.STAYS) setInterval(() => undefined, 60_000);
