import { gitWorkspace } from "../src/index.ts";

const cwd = process.env.CWD ?? "";
const claim = await gitWorkspace(cwd).claim({ loop: "one", project: cwd, owner: "it" }, 60_000);
process.stdout.write("claimed\n");
setInterval(() => void claim.renew(), 10_000);
