import { expect, test } from "vitest";
import { documentIn } from "./support/documents.ts";
import { emptyFolder } from "./support/folder.ts";
import { cli } from "./support/run-cli.ts";

test("clients are given tokens, which a script can keep, are listed without them, and lose them", async () => {
  const cwd = emptyFolder();
  const token = (...args: string[]) => cli(cwd, ["token", ...args], { XDG_CONFIG_HOME: cwd });
  const none = await token("list");
  expect(none.out).toContain("token add laptop");
  const made = await token("add", "ci", "--project", "shop", "--project", "blog", "--read-only");
  expect(made.code, made.err).toBe(0);
  expect(made.out).toMatch(/^[\w-]{43}\n$/);
  expect(made.err).toContain("This is shown once.");
  const client = { name: "ci", role: "reader", projects: ["shop", "blog"] };
  const { clients } = documentIn("token list", (await token("list", "--json")).out);
  expect(clients).toMatchObject([client]);
  const { out } = await token("list");
  expect(out).toMatch(/ci +look +shop, blog/);
  expect(out).not.toContain(made.out.trim());
  const next = documentIn("token rotate", (await token("rotate", "ci", "--json")).out);
  expect(next.token).not.toBe(made.out.trim());
  expect((await token("add", "ci")).code).toBe(2);
  expect((await token("revoke", "ci")).code).toBe(0);
  expect((await token("revoke", "ci")).code).toBe(2);
});
