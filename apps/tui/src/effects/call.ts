import { type LoopService, toLoopError } from "@ccw-loop/core";
import type { Finding } from "@ccw-loop/view";
import type { Answer, Call, CallName, Calls } from "../model/calls.ts";

/** What calls are answered with. */
export interface CallDeps {
  service: LoopService;
  examine: () => Promise<readonly Finding[]>;
  copy: (text: string) => void;
  save: (file: string, text: string) => Promise<string>;
  /** Goes on with a loop that was just made. */
  drive: (id: string) => void;
}

type Handlers = {
  [N in CallName]: (with_: CallDeps, args: Calls[N]["args"]) => Promise<Calls[N]["result"]>;
};

const HANDLERS: Handlers = {
  async create({ service, drive }, { spec, drive: start }) {
    const state = await service.create(spec);
    if (start) drive(state.loop_id);
    return state;
  },
  send: ({ service }, { id, command }) => service.send(id, command),
  async delete({ service }, { id }) {
    await service.delete(id);
    return null;
  },
  async steer({ service }, { id, text }) {
    await service.steer(id, text);
    return null;
  },
  why: ({ service }, { id }) => service.why(id),
  timeline: ({ service }, { id }) => service.timeline(id),
  diff: ({ service }, { id, from, to }) => service.diff(id, { from, to }),
  rewind: ({ service }, { id, to, force }) => service.rewind(id, to, { force }),
  fork: ({ service }, { id, from, title }) => service.fork(id, from, { title }),
  verify: ({ service }, { id }) => service.verify(id),
  generate: ({ service }, { id, count }) => service.generateTasks(id, { count }),
  import: ({ service }, { id, issue }) => service.importTasks(id, issue),
  doctor: ({ examine }) => examine(),
  async copy({ copy }, { text }) {
    copy(text);
    return null;
  },
  save: ({ save }, { file, text }) => save(file, text),
};

/** Does what a screen asked for. Never rejects: a refusal is an answer. */
export async function performCall(call: Call, answering: CallDeps): Promise<Answer> {
  // One handler for each name, which the compiler cannot follow through the index.
  const handler = HANDLERS[call.name] as (with_: CallDeps, args: Call) => Promise<unknown>;
  try {
    const value = await handler(answering, call);
    return { name: call.name, call, ok: true, value } as Answer;
  } catch (error) {
    return { name: call.name, call, ok: false, error: toLoopError(error) };
  }
}
