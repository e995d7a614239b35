import { type AppDeps, type Handlers, ndjson } from "../app/serve-operation.ts";
import type { HISTORY, PROOF } from "../contract/history.ts";

export function historyHandlers({ service }: AppDeps): Handlers<typeof HISTORY> {
  return {
    whyLoop: async ({ id }) => ({ data: await service.why(id) }),
    loopTimeline: async ({ id }) => ({ data: await service.timeline(id) }),
    loopReceipts: async ({ id }) => ({ data: (await service.get(id)).receipts ?? [] }),
    loopJournal: ({ id, query }) => ndjson(service.events(id, query.after)),
    async rewindLoop({ id, revision, body: { to, force = false } }) {
      return { data: await service.rewind(id, to, { force, revision: await revision() }) };
    },
    async forkLoop({ id, revision, opId, body: { from, ...spec } }) {
      const bound = { opId, revision: await revision() };
      const data = await service.fork(id, from, spec, bound);
      return { data, message: "Loop forked" };
    },
    async recoverLoop({ id, revision, body: { dry_run: dryRun } }) {
      // The loop may be one that cannot be read: its state is the one that would be rebuilt.
      const plan = async () => (await service.recover(id, { dryRun: true })).state;
      return { data: await service.recover(id, { dryRun, revision: await revision(plan) }) };
    },
    async cleanWorktrees({ body: { dry_run, force } }) {
      return { data: await service.clean({ dryRun: dry_run === true, force: force === true }) };
    },
  };
}

export function proofHandlers({ service }: AppDeps): Handlers<typeof PROOF> {
  return {
    diffLoop: async ({ id, query }) => ({ data: await service.diff(id, query) }),
    async loopReceipt({ id, revision }) {
      return { data: await service.receipt(id, { revision: await revision() }) };
    },
    async verifyLoop({ id, body, revision, signal }) {
      return { data: await service.verify(id, { ...body, signal, revision: await revision() }) };
    },
  };
}
