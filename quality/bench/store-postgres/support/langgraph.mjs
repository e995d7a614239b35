// Durable steps of LangGraph.js with its PostgreSQL saver: langgraph.mjs PACKAGES URL LOOPS AT_ONCE MILLISECONDS DOCUMENT → steps a second.
import { createRequire } from "node:module";

const [packages, url, loops, atOnce, ms, document] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Annotation, END, START, StateGraph } = require("@langchain/langgraph");
const { PostgresSaver } = require("@langchain/langgraph-checkpoint-postgres");
const STEPS = 20;
let end = 0;
let steps = 0;
let threads = 0;

const checkpointer = PostgresSaver.fromConnString(url);
await checkpointer.setup();
const graph = new StateGraph(Annotation.Root({ left: Annotation(), document: Annotation() }))
  .addNode("step", ({ left }) => {
    steps += 1;
    return { left: left - 1, document: { ...JSON.parse(document), left } };
  })
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ left }) => (left > 0 && performance.now() < end ? "step" : END))
  .compile({ checkpointer });
const run = async (duration) => {
  const began = performance.now();
  end = began + duration;
  steps = 0;
  const lane = async () => {
    while (performance.now() < end) {
      const left = Number(loops) === 1 ? 1_000_000 : STEPS;
      const configurable = { thread_id: `${threads++}` };
      await graph.invoke({ left }, { configurable, recursionLimit: 2_000_000, durability: "sync" });
    }
  };
  await Promise.all(Array.from({ length: Math.min(Number(loops), Number(atOnce)) }, lane));
  return (steps / (performance.now() - began)) * 1000;
};
await run(500);
console.log(await run(Number(ms)));
process.exit(0);
