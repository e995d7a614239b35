import { existsSync } from "node:fs";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { PROFILES } from "../../src/index.ts";
import { homePaths, makeHomes } from "../../src/launch/homes.ts";

test.each([
  ["a folder of the user's", ["~/.mine"], {}, ["/home/me/.mine"]],
  ["one that is made", ["~/.mine/"], {}, ["/home/me/.mine"]],
  ["one below a variable that is set", ["$MINE/data"], { MINE: "/srv" }, ["/srv/data"]],
  ["one below a variable that is not set", ["$MINE/data"], {}, []],
  ["one below a variable that names no place", ["$MINE/data"], { MINE: "here" }, []],
  ["the first of two", ["$MINE/data|~/.mine/"], { MINE: "/srv" }, ["/srv/data"]],
  ["the second of two", ["$MINE/data|~/.mine/"], {}, ["/home/me/.mine"]],
  ["a path", ["/srv/mine"], {}, ["/srv/mine"]],
] as const)("%s", (_, homes, env, expected) => {
  expect(homePaths(homes, { HOME: "/home/me", ...env })).toEqual(expected);
});

test.each(["mine", "~you/.mine", "$MINE.d"])("%s is refused: it names no place", (home) => {
  expect(() => homePaths([home], { HOME: "/home/me", MINE: "/srv" })).toThrow("in homes names no");
});

test("every agent finds its folders made where it has a home of its own and nothing in it", async () => {
  const HOME = await realpath(await mkdtemp(join(tmpdir(), "ccw-home-")));
  for (const { name, homes } of Object.values(PROFILES)) {
    makeHomes(homes, { HOME });
    const [first = "", ...others] = homePaths(homes, { HOME });
    expect(existsSync(first), name).toBe(true);
    expect(others.filter((path) => !existsSync(path)).every((path) => path.endsWith(".json"))).toBe(
      true,
    );
  }
  expect(existsSync(join(HOME, ".local/share/opencode"))).toBe(true);
  await rm(HOME, { recursive: true });
});
