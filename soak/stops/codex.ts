import { codexAgent } from "../../packages/agent-codex/src/index.ts";
import {
  message,
  offlineCodexHome,
  runCommand,
  startModelServer,
} from "../../packages/testkit/src/index.ts";
import type { Random } from "../src/random.ts";
import type { Ground, Instant } from "./ground.ts";
import { type Stop, stopLoop } from "./stopped.ts";

/** The real Codex, whose model asks for the script of the ground. */
export async function stopCodex(ground: Ground, random: Random, instant: Instant): Promise<Stop> {
  const model = await startModelServer({
    script: ({ toolOutputs }) => ({
      items: [
        toolOutputs.length === 0
          ? runCommand(`sh ${ground.dir}/work.sh`)
          : message("never", "final_answer"),
      ],
    }),
  });
  const home = await offlineCodexHome(model.baseUrl);
  try {
    const agent = codexAgent({
      env: { ...process.env, ...home.env },
      // The sandbox would end much by itself.
      sandbox: random.below(3) === 0 ? "workspace-write" : "danger-full-access",
      processes: ground.registry,
    });
    return await stopLoop(ground, random, instant, agent);
  } finally {
    await model.close();
    await home.remove();
  }
}
