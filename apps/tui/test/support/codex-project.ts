import { cartModel, offlineCodexHome, startModelServer, tempRepo } from "@ccw-loop/testkit";
import { cartFiles } from "../../../../packages/cli/test/support/demo-cart.ts";

/** The demo's cart in a repository, and all that the real Codex needs to talk to a model that repairs it. */
export async function codexProject() {
  const repo = await tempRepo(cartFiles());
  const model = await startModelServer({ script: cartModel() });
  const home = await offlineCodexHome(model.baseUrl);
  return {
    cwd: repo.path,
    env: { ...home.env },
    async [Symbol.asyncDispose]() {
      await model.close();
      await home.remove();
      await repo.remove();
    },
  };
}
