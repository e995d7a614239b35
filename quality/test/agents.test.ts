/** @module-tag slow */
/** The contract of the agent port on real agents, whose model alone is staged, and what a contained one cannot reach. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Sandbox } from "@ccw-loop/agent-acp";
import { describeAgent } from "@ccw-loop/testkit/contracts";
import { afterAll, describe, expect, test } from "vitest";
import { CONTAINED, CONTAINS } from "../../packages/agent-acp/test/fake.ts";
import { BIN } from "../../packages/cli/test/support/bin.ts";
import { ownConfig, put } from "../../packages/cli/test/support/own-module.ts";
import { stateOf } from "../../packages/cli/test/support/project.ts";
import { waitingProject } from "../../packages/cli/test/support/tested-project.ts";
import { attack, REACHED } from "../agents/src/attack.ts";
import { chosenAgents, endHomes, homeOf, isNamed } from "../agents/src/chosen.ts";
import { harnessOf } from "../agents/src/real-agent.ts";

const OFF: Sandbox = { kind: "off" };
const sandboxes = [...(CONTAINS ? [CONTAINED] : []), ...(CONTAINS && !isNamed ? [] : [OFF])];

afterAll(endHomes);

describe.each(chosenAgents())("$name", (recipe) => {
  for (const sandbox of sandboxes) {
    const isContained = sandbox.kind === "workspace";
    describeAgent(
      isContained ? "contained" : "not contained",
      async () => harnessOf(recipe, await homeOf(recipe), sandbox),
      { longestMs: 300_000, ...recipe.traits, forks: false, executes: isContained },
    );
  }

  test.runIf(CONTAINS)(
    "contained it changes neither the loop's state nor what git runs, reads no key, and answers for nobody",
    { timeout: 300_000 },
    async () => {
      await using here = await waitingProject();
      await using own = await ownConfig();
      const before = here.read();
      await put(join(dirname(own.file), "receipt.key"), "secret");
      await put(
        join(here.dir, "attack.sh"),
        attack({ bin: BIN, configuration: dirname(own.file) }),
      );

      const real = await homeOf(recipe);
      const agent = real.agent(CONTAINED, [dirname(own.file)]);
      const moves = [{ run: "sh attack.sh" }, { say: "Done." }];
      real.model.play(() => moves.shift() ?? { say: "Done." });
      const session = await agent.open({ cwd: here.dir, instructions: "" });
      await session.run("Go on.", { signal: AbortSignal.timeout(200_000) });
      await session.close();
      const said = readFileSync(join(here.dir, "said.txt"), "utf8").trim().split("\n");
      expect(said).toEqual(REACHED);
      expect(here.read()).toBe(before);
      expect((await stateOf(here, "a")).accepted).toBeUndefined();
    },
  );
});
