import { isOwnPath } from "../own-folder.ts";
import type { OpenRepository } from "./opened.ts";
import { shownPath } from "./paths.ts";
import { git } from "./run-git.ts";

const OTHERS = ["ls-files", "-z", "--others", "--exclude-standard"];

/** Files that are part of the content although nobody added them; repositories inside are none. */
export async function untracked({ repository }: OpenRepository): Promise<string[]> {
  const { stdout } = await git(OTHERS, { cwd: repository.top });
  return stdout
    .split("\0")
    .filter((path) => path !== "" && !path.endsWith("/") && !isOwnPath(path))
    .map((path) => shownPath(repository, path));
}
