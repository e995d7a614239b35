import { LoopError, PROGRESS_FILES, renderProgress } from "@ccw-loop/core";
import { HttpError } from "../app/http-error.ts";
import { type AppDeps, type Handlers, ndjson } from "../app/serve-operation.ts";
import { JSON_TEXT, MARKDOWN, NDJSON, type PROGRESS } from "../contract/history.ts";

/** Between connections that are taken for dead after a minute or more. */
const QUIET_MS = 15_000;

const TYPES: Readonly<Record<string, string>> = { md: MARKDOWN, log: NDJSON, json: JSON_TEXT };

export function progressHandlers({ service }: AppDeps): Handlers<typeof PROGRESS> {
  return {
    listProgress: async ({ id }) => ({ data: Object.keys(renderProgress(await service.get(id))) }),
    async readProgress({ id, param }) {
      const wanted = PROGRESS_FILES.find((name) => name === param("document"));
      if (wanted === undefined) {
        const known = PROGRESS_FILES.join(", ");
        throw new LoopError("invalid_id", `This is no progress document. There are: ${known}.`);
      }
      const text = renderProgress(await service.get(id), (name) => name === wanted)[wanted];
      if (text === undefined) {
        throw new HttpError(404, `Loop ${id} has no ${wanted} yet.`);
      }
      const type = TYPES[wanted.slice(wanted.lastIndexOf(".") + 1)];
      return new Response(text, { headers: { "Content-Type": `${type}; charset=utf-8` } });
    },
    async loopLogs({ id, query, request }) {
      // An empty log that is followed may say nothing for a long time: whether there is a loop is known now.
      await service.get(id);
      // Nobody reads the body of an answer to HEAD, so nobody would end it either.
      const { after } = query;
      if (!query.follow || request.method === "HEAD") {
        return ndjson(service.activity(id, { after }));
      }
      const over = new AbortController();
      const follow = AbortSignal.any([request.signal, over.signal]);
      const left = () => over.abort();
      const records = service.activity(id, { after, follow });
      return ndjson(records, { left, quietMs: QUIET_MS });
    },
  };
}
