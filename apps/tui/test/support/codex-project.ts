import { cp } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { cartModel, offlineCodexHome, startModelServer, tempRepo } from "@ccw-loop/testkit";

const CART = fileURLToPath(new URL("../../../../packages/cli/demo/cart", import.meta.url));

/** The demo's cart in a repository, and all that the real Codex needs to talk to a model that repairs it. */
export async function codexProject() {
  const repo = await tempRepo();
  await cp(CART, repo.path, { recursive: true });
  await repo.git("add", "--all");
  await repo.git("commit", "--quiet", "--message=The cart");
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
