import { join } from "node:path";
/**
 * `ccw-loop supervise --events` with a lease of TTL milliseconds, for tests that suspend it. Who
 * takes its loops over does not end its processes, so that is left to its guardian:
 * `node short-lease.ts PROJECT TTL`
 */
import { loopService } from "@ccw-loop/orchestrator";
import { noticeRecord } from "../../src/output/supervisor-report.ts";
import { compose } from "../../src/runtime/compose.ts";

const [root = ".", ttl = ""] = process.argv.slice(2);
const parts = compose(root, {
  warn: () => undefined,
  keyFile: join(root, ".workflow", "receipt.key"),
});
const loops = loopService({
  ...parts,
  store: await parts.store(),
  cwd: root,
  owner: `short:${process.pid}`,
  leaseTtlMs: Number(ttl),
  keepAlive: async (scope, until) => (await parts.processes()).keepAlive(scope, until),
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
