/**
 * `ccw-loop supervise --events` with a lease of half a second, for tests that suspend it. Who
 * takes its loops over does not end its processes, so that is left to itself:
 * `node short-lease.ts PROJECT`
 */
import { loopService } from "@ccw-loop/orchestrator";
import { compose } from "../../src/compose.ts";
import { noticeRecord } from "../../src/views/supervisor-lines.ts";

const [root = "."] = process.argv.slice(2);
const parts = compose(root, () => undefined);
const loops = loopService({
  ...parts,
  store: await parts.store(),
  cwd: root,
  owner: `short:${process.pid}`,
  leaseTtlMs: 500,
});
const end = new AbortController();
process.once("SIGTERM", () => end.abort("SIGTERM"));
const print = (record: unknown) => void process.stdout.write(`${JSON.stringify(record)}\n`);
await loops.supervise({
  signal: end.signal,
  onEvent: print,
  onNotice: (notice) => print(noticeRecord(new Date().toISOString(), notice)),
});
await parts.close();
