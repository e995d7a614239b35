/** Leaves a process of the loop `left` behind that no guardian knows of: `leave-behind.ts FOLDER`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { processes } from "@ccw-loop/processes";

const [loops = ""] = process.argv.slice(2);
const family = processes({ folder: join(loops, ".processes") }).processTree({
  loop: "left",
  epoch: 1,
});
const { name, value } = family.environment;
// Not by the family: a guardian would come with it.
const child = spawn("sleep", ["3605"], { detached: true, env: { [name]: value }, stdio: "ignore" });
await once(child, "spawn");
child.unref();
console.log(child.pid);
