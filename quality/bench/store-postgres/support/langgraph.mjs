// Durable steps of LangGraph.js with its PostgreSQL saver: langgraph.mjs PACKAGES URL LOOPS MILLISECONDS DOCUMENT → steps a second.
import { createRequire } from "node:module";
import { rateOf } from "./rate.mjs";

const [packages, url, loops, ms, document] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Annotation, END, START, StateGraph } = require("@langchain/langgraph");
const { PostgresSaver } = require("@langchain/langgraph-checkpoint-postgres");
const STEPS = 20;
let count;
let threads = 0;

const checkpointer = PostgresSaver.fromConnString(url);
await checkpointer.setup();
const graph = new StateGraph(Annotation.Root({ left: Annotation(), document: Annotation() }))
  .addNode("step", ({ left }) => {
    count.steps += 1;
    return { left: left - 1, document: { ...JSON.parse(document), left } };
  })
  .addEdge(START, "step")
  .addConditionalEdges("step", ({ left }) =>
    left > 0 && performance.now() < count.end ? "step" : END,
  )
  .compile({ checkpointer });
const rate = await rateOf({ loops, ms }, async (counted) => {
  count = counted;
  const left = Number(loops) === 1 ? 1_000_000 : STEPS;
  const configurable = { thread_id: `${threads++}` };
  await graph.invoke({ left }, { configurable, recursionLimit: 2_000_000, durability: "sync" });
});
console.log(rate);
process.exit(0);
