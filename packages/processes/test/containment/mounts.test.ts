import { describe, expect, it, test } from "vitest";
import { bubblewrapArguments, type Containment, mayWrite } from "../../src/containment/mounts.ts";

const NOTHING: Containment = { cwd: "/p", writable: [], readable: [], emptied: [], hidden: [] };

/** The mounts alone, as `how path`, in their order. */
function mounts(containment: Partial<Containment>): string[] {
  const args = bubblewrapArguments({ ...NOTHING, ...containment }, ["agent"]);
  const all = args.join(" ").match(/--(?:ro-bind|bind|tmpfs|remount-ro) \S+/g) ?? [];
  return all.map((one) => one.replace("--", "")).slice(1);
}

describe("bubblewrapArguments", () => {
  it("shows the whole disk to read, with devices and processes of its own", () => {
    const args = bubblewrapArguments(NOTHING, ["agent", "--acp"]).join(" ");
    expect(args).toContain("--unshare-pid");
    expect(args).toContain("--cap-drop ALL --ro-bind / / --dev /dev --proc /proc");
    expect(args).toMatch(/--chdir \/p .* -- agent --acp$/);
  });

  it("puts inner places over outer ones, and what is hidden over all", () => {
    expect(
      mounts({
        writable: ["/p/.git/own", "/p"],
        readable: ["/p/.git"],
        emptied: ["/tmp"],
        hidden: ["/p/.git/own/keys"],
      }),
    ).toEqual([
      ...["tmpfs /tmp", "bind /p", "ro-bind /p/.git", "bind /p/.git/own"],
      ...["tmpfs /p/.git/own/keys", "remount-ro /p/.git/own/keys"],
    ]);
  });

  it.each([
    ["read", { readable: ["/home/.a/local/bin"] }],
    ["hidden", { hidden: ["/home/.a/local/bin"] }],
  ])("keeps the folders above what is %s in a writable place from being moved away", (_, more) => {
    expect(mounts({ writable: ["/home/.a"], ...more })).toContain("bind /home/.a/local");
  });

  it("opens no folder between two that cannot be written to", () => {
    const found = mounts({ writable: ["/p"], readable: ["/p/.git"], hidden: ["/p/.git/a/keys"] });
    expect(found).not.toContain("bind /p/.git/a");
  });
});

test.each([
  ["/p/src/a.js", true],
  ["/p", true],
  ["/p/.git", false],
  ["/p/.git/hooks/pre-commit", false],
  ["/p/.github", true],
  ["/p/.git/own/x", true],
  ["/p/keys/k", false],
  ["/tmp/x", true],
  ["/etc/passwd", false],
])("%s may be written to: %s", (path, expected) => {
  const containment = {
    ...{ cwd: "/p", emptied: ["/tmp"], hidden: ["/p/keys"] },
    ...{ writable: ["/p", "/p/.git/own"], readable: ["/p/.git"] },
  };
  expect(mayWrite(containment, path)).toBe(expected);
});
