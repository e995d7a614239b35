/**
 * Leads a loop through its life with the generated client. `tsc --strict` checks it against the generated types, in
 * the folder that it is copied to. Environment: LOOPS, a JSON object with url, token and settings.
 */
import { client } from "./client/client.gen.js";
import {
  createLoop,
  deleteLoop,
  getLoop,
  listLoops,
  pauseLoop,
  resumeLoop,
  startLoop,
  stopLoop,
} from "./client/index.js";

declare const process: { env: Record<string, string | undefined> };

interface Given {
  url: string;
  token: string;
  settings: { agent: string; verify: string; mode: "auto" };
}

const { url, token, settings }: Given = JSON.parse(process.env.LOOPS ?? "{}");
client.setConfig({ baseUrl: url, auth: () => token });

const steps: string[] = [];
function is<T>(step: string, found: T, wanted: T): void {
  if (found !== wanted) throw new Error(`${step}: ${found}, but ${wanted} is right.`);
  steps.push(step);
}

/** A turn that was stopped may still be ending: `loop_busy` says to try again. */
async function deleted(): Promise<boolean> {
  for (let tries = 0; tries < 300; tries += 1) {
    const { data, error } = await deleteLoop({ path });
    if (data !== undefined) return data.success;
    if (error?.code !== "loop_busy") throw new Error(`delete: ${error?.error}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

const throwOnError = true;
const path = { id: "by-generated-client" };
const one = { path, throwOnError } as const;

const created = await createLoop({
  body: { id: path.id, title: "Mend the cart", settings, limits: { max_turns: 50 } },
  throwOnError,
});
is("create", created.data.data.status, "created");
is("start", (await startLoop(one)).data.data.status, "running");
const { data: list } = await listLoops({ query: { status: "running", limit: 5 }, throwOnError });
is("list", list.data[0]?.loop_id, path.id);
const { data: got, response } = await getLoop(one);
is("get", got.data.loop_id, path.id);
is("pause", (await pauseLoop({ ...one, body: { reason: "Lunch" } })).data.data.status, "paused");
is("resume", (await resumeLoop({ ...one, body: {} })).data.data.status, "running");
is("stop", (await stopLoop({ ...one, body: {} })).data.data.outcome?.code, "stopped_by_user");

const headers = { "If-Match": response.headers.get("etag") ?? "" };
const { error: late } = await deleteLoop({ path, headers });
is("a late delete is refused", late?.code, "revision_conflict");
is("delete", await deleted(), true);
const { error: gone } = await getLoop({ path });
is("gone", gone?.code, "loop_not_found");
console.log(steps.join(", "));
