/**
 * The terminal interface with something wrong in it: `crashing-tui.ts title` throws as soon as a rule looks at a title,
 * `frame` when a frame is drawn, some frames after the first, `later` out of nowhere.
 */
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LoopState, summaryOf } from "@ccw-loop/core";
import { loopsIn } from "./make-loop.ts";
import { openHere } from "./open-here.ts";

const [kind] = process.argv.slice(2);
const at = "2026-01-22T10:00:00.000Z";
const hostile = summaryOf(
  LoopState.parse({
    loop_id: "hostile",
    title: "t",
    status: "running",
    created_at: at,
    updated_at: at,
  }),
);
if (kind === "title") {
  Object.defineProperty(hostile, "title", {
    get() {
      throw new Error("This title cannot be read.");
    },
  });
}
const { service } = loopsIn(join(tmpdir(), "ccw-nowhere"));
const summaries = async () => {
  if (kind === "later") {
    setTimeout(() => {
      throw new Error("Thrown out of nowhere.");
    }, 300);
  }
  return { loops: [hostile], total: 1, damaged: [] };
};
let looks = 0;
const place = {
  drives: true,
  get name() {
    looks += 1;
    if (kind === "frame" && looks > 5) throw new Error("This frame cannot be drawn.");
    return "nowhere";
  },
};
try {
  await openHere({ service: { ...service, summaries }, place });
} catch (error) {
  console.error(`It crashed: ${error instanceof Error ? error.message : error}`);
  process.exit(1);
}
