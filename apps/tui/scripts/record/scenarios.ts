import type { Studio } from "./studio.ts";
import { develops, developsAndBendsTests, guesses, hitsTheLimit, plans } from "./turns.ts";

const TASK = "Make the shopping cart charge the right price: all tests of the project pass.";
const ID = "cart";
const SCRIPTED = ["--agent", "scripted:agent.json"];
const run = (...args: string[]) => ["run", "--loop-id", ID, "--create", TASK, ...args];
const auto = (...args: string[]) => run("--auto", ...SCRIPTED, ...args);

/** What is recorded, by the name of its file; each answers with the id of the loop. */
export const SCENARIOS: Record<string, (here: Studio) => Promise<string>> = {
  /** The real Codex: the first try fails its tests, DEBUG finds out why, the second one passes. */
  async codex({ cli }) {
    await cli(0, ...run("--auto"));
    return ID;
  },

  /** The demo: two tasks, two hypotheses with probes, one of them rejected. */
  async debugged({ cli, script }) {
    await script();
    await cli(0, ...auto());
    return ID;
  },

  async "usage-limit"({ cli, script }) {
    await script([plans, hitsTheLimit, develops]);
    await cli(75, ...auto("--no-wait"));
    return ID;
  },

  /** All tests pass, and two of them only because they were changed: a person is asked. */
  async objections({ cli, script, dir }) {
    await script([plans, developsAndBendsTests(dir)]);
    await cli(4, ...auto());
    return ID;
  },

  async "no-progress"({ cli, script }) {
    await script([plans, develops, guesses]);
    await cli(4, ...auto("--max-stalled", "3", "--max-iterations", "40"));
    return ID;
  },

  async "out-of-iterations"({ cli, script }) {
    await script([plans, develops, guesses]);
    await cli(3, ...auto("--max-iterations", "3"));
    return ID;
  },

  /** Interactive: the first action is chosen, then it waits at its menu. */
  async menu({ cli, script, interrupted }) {
    await script([plans, develops]);
    await cli(0, "start", "--interactive", ...SCRIPTED, "--loop-id", ID, TASK);
    const untilItAsks = () => interrupted("waiting.started", "supervise", "--events");
    await untilItAsks();
    await cli(0, "answer", ID, "develop");
    await untilItAsks();
    return ID;
  },
};
