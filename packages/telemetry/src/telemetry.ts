import { randomBytes } from "node:crypto";
import type { LiveEvent, LoopObserver, LoopState } from "@ccw-loop/core";
import { closing, openExporter } from "./export.ts";
import { parseTraceparent } from "./ids.ts";
import { LoopTrace } from "./loop-trace.ts";

export interface TelemetryOptions {
  version: string | null;
  /** Tells the operator a sentence. */
  say: (text: string) => void;
}

export interface Telemetry extends LoopObserver {
  /** `TRACEPARENT` for what is started for this loop; undefined where it is not driven here. */
  traceparent(loop: string): string | undefined;
  /** A request over HTTP was answered: a span in the trace of who asked, if they brought one that is recorded. */
  answered(request: AnsweredRequest): void;
  close(): Promise<void>;
}

/** A request as the API tells its host of it. */
export interface AnsweredRequest {
  method: string;
  /** The pattern of its path. */
  route: string;
  status: number;
  duration_ms: number;
  /** As the caller sent it. */
  traceparent?: string;
  code?: string;
}

/** Where to, and how often, the standard variables of the environment say. */
export function telemetry({ version, say }: TelemetryOptions): Telemetry {
  const traces = new Map<string, LoopTrace>();
  let told = "";
  const exporter = openExporter(version, (why) => {
    if (why !== told) say(`Traces cannot be sent: ${why}. Loops are driven all the same.`);
    told = why;
  });
  return {
    begin(before: LoopState) {
      traces.set(before.loop_id, new LoopTrace(before, exporter.send));
    },
    event(live: LiveEvent) {
      traces.get(live.id)?.take(live);
    },
    end(id) {
      traces.delete(id);
    },
    traceparent: (loop) => traces.get(loop)?.traceparent,
    answered({ method, route, status, duration_ms, traceparent: given = "", code }) {
      const parent = parseTraceparent(given);
      if (!parent) return;
      const end = Date.now();
      exporter.send({
        ...{ traceId: parent.traceId, id: randomBytes(8).toString("hex"), parent: parent.spanId },
        ...{ name: `${method} ${route}`, kind: "server", start: end - duration_ms, end },
        attributes: {
          "http.request.method": method,
          "http.route": route,
          "http.response.status_code": status,
          ...(status >= 500 ? { "error.type": code ?? String(status) } : {}),
        },
      });
    },
    close: () => closing(exporter.close()),
  };
}
