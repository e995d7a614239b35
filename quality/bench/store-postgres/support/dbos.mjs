// Durable steps of DBOS: dbos.mjs PACKAGES URL LOOPS AT_ONCE MILLISECONDS → steps a second. A step returns its number, and nothing else is written.
import { createRequire } from "node:module";

const [packages, url, loops, atOnce, ms] = process.argv.slice(2);
const { DBOS } = createRequire(`${packages}/package.json`)("@dbos-inc/dbos-sdk");
const STEPS = 20;
let end = 0;
let steps = 0;

const workflow = DBOS.registerWorkflow(
  async (longest) => {
    for (let n = 0; n < longest && performance.now() < end; n++) {
      await DBOS.runStep(async () => n, { name: "step" });
      steps += 1;
    }
  },
  { name: "loop" },
);
DBOS.setConfig({ name: "bench", systemDatabaseUrl: url, logLevel: "error", runAdminServer: false });
await DBOS.launch();
const run = async (duration) => {
  const began = performance.now();
  end = began + duration;
  steps = 0;
  const lane = async () => {
    while (performance.now() < end) {
      const handle = await DBOS.startWorkflow(workflow)(Number(loops) === 1 ? Infinity : STEPS);
      await handle.getResult();
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(loops), Number(atOnce)) }, lane));
  return (steps / (performance.now() - began)) * 1000;
};
await run(500);
console.log(await run(Number(ms)));
await DBOS.shutdown();
process.exit(0);
