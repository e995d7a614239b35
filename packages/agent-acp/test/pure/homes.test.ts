import { existsSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { containmentOf } from "@ccw-loop/processes/containment";
import { expect, test } from "vitest";
import { PROFILES } from "../../src/index.ts";
import { homePaths } from "../../src/launch/homes.ts";

test.each([
  ["a folder of the user's", ["~/.mine"], {}, ["/home/me/.mine"]],
  ["one that is made", ["~/.mine/"], {}, ["/home/me/.mine/"]],
  ["one below a variable that is set", ["$MINE/data"], { MINE: "/srv" }, ["/srv/data"]],
  ["one below a variable that is not set", ["$MINE/data"], {}, []],
  ["one below a variable that names no place", ["$MINE/data"], { MINE: "here" }, []],
  ["the first of two", ["$MINE/data|~/.mine/"], { MINE: "/srv" }, ["/srv/data/"]],
  ["the second of two", ["$MINE/data|~/.mine/"], {}, ["/home/me/.mine/"]],
  ["a path", ["/srv/mine"], {}, ["/srv/mine"]],
] as const)("%s", (_, homes, env, expected) => {
  expect(homePaths(homes, { HOME: "/home/me", ...env })).toEqual(expected);
});

test.each(["mine", "~you/.mine", "$MINE.d"])("%s is refused: it names no place", (home) => {
  expect(() => homePaths([home], { HOME: "/home/me", MINE: "/srv" })).toThrow("in homes names no");
});

test("every agent finds its folders made where it has a home of its own and nothing in it", async () => {
  const top = await realpath(await mkdtemp(join(tmpdir(), "ccw-home-")));
  const [HOME, cwd] = [join(top, "home"), join(top, "project")];
  await mkdir(HOME);
  await mkdir(cwd);
  for (const { name, homes: named } of Object.values(PROFILES)) {
    const homes = homePaths(named, { HOME });
    const spec = { cwd, protect: [], hidden: [], command: [], env: { HOME, PATH: "" } };
    containmentOf({ ...spec, homes });
    expect(existsSync(homes[0] ?? ""), name).toBe(true);
    const missing = homes.filter((path) => !existsSync(path));
    expect(missing.filter((path) => !path.endsWith(".json"))).toEqual([]);
  }
  expect(existsSync(join(HOME, ".local/share/opencode"))).toBe(true);
  await rm(top, { recursive: true });
});
