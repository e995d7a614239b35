// Durable steps of DBOS: dbos.mjs PACKAGES URL LOOPS MILLISECONDS → steps a second. A step returns its number, and nothing else is written.
import { createRequire } from "node:module";
import { rateOf } from "./rate.mjs";

const [packages, url, loops, ms] = process.argv.slice(2);
const { DBOS } = createRequire(`${packages}/package.json`)("@dbos-inc/dbos-sdk");
const STEPS = 20;
let count;

const workflow = DBOS.registerWorkflow(
  async (longest) => {
    for (let n = 0; n < longest && performance.now() < count.end; n++) {
      await DBOS.runStep(async () => n, { name: "step" });
      count.steps += 1;
    }
  },
  { name: "loop" },
);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error", runAdminServer: false });
await DBOS.launch();
const rate = await rateOf({ loops, ms }, async (counted) => {
  count = counted;
  const handle = await DBOS.startWorkflow(workflow)(Number(loops) === 1 ? Infinity : STEPS);
  await handle.getResult();
});
console.log(rate);
await DBOS.shutdown();
process.exit(0);
