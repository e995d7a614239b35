/**
 * What is true of a command: it `reads` and changes nothing; it is about this machine, its files or this tool (`here`), and
 * no control plane can be asked for it; it looks at a few loops and ends (`brief`).
 */
type Fact = "reads" | "here" | "brief";

/** Every command by the heading it has in the help; those of two words by that of the first. */
export const COMMANDS = {
  "Work:": { run: [], resume: [], watch: ["reads"], tui: [], demo: ["reads", "here"] },
  "Work on many:": { start: ["brief"], supervise: ["here"], worker: ["here"] },
  "Serve:": {
    ...{ serve: ["here"], mcp: [], token: [], "token list": ["reads", "here"] },
    ...{ "token add": ["here"], "token rotate": ["here"], "token revoke": ["here"] },
  },
  "Look:": {
    list: ["reads", "brief"],
    show: ["reads", "brief"],
    why: ["reads", "brief"],
    logs: ["reads"],
    replay: ["reads"],
  },
  "Prove, go back:": {
    receipt: ["reads"],
    report: ["reads"],
    verify: ["reads"],
    timeline: ["reads", "brief"],
    diff: ["reads"],
    rewind: [],
    fork: [],
    clean: [],
  },
  "Steer:": {
    ...{ pause: ["brief"], stop: ["brief"], exit: ["brief"], answer: ["brief"] },
    ...{ delete: ["brief"], recover: [], tasks: ["brief"], "tasks list": ["reads"] },
  },
  "Store:": {
    ...{ store: [], "store status": ["reads", "here"], "store migrate": ["here"] },
    ...{ migrate: ["here"], export: ["here"], import: ["here"] },
  },
  "Help:": {
    ...{ init: ["here"], agents: [], "agents list": ["reads", "here"], "agents test": ["here"] },
    ...{ doctor: ["reads", "here"], config: [], "config show": ["reads", "here"] },
    "config test-webhook": ["here"],
    completion: ["reads", "here"],
  },
  hidden: { __complete: ["reads"] },
} satisfies Record<string, Record<string, Fact[]>>;

export function commandsThat(fact: Fact): ReadonlySet<string> {
  const all = Object.values<Record<string, Fact[]>>(COMMANDS).flatMap(Object.entries<Fact[]>);
  return new Set(all.flatMap(([name, facts]) => (facts.includes(fact) ? [name] : [])));
}
