import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ownHome } from "../../loops/environment.ts";
import { exitOf } from "../../loops/machine.ts";
import { change, prepare } from "./prepare.ts";
import { type Project, testCommand } from "./project.ts";

/** For whoever adds a project: the exit codes of its tests with our bug, with the wrong repair and with the right one. */
export async function byHand(project: Project): Promise<string> {
  const place = await realpath(await mkdtemp(join(tmpdir(), "ccw-loop-projects-")));
  const top = join(place, project.place ?? "project");
  const tests = () =>
    exitOf(testCommand(project), join(top, project.folder ?? "."), ownHome(top), 60_000);
  try {
    await prepare(project, top);
    const bug = tests();
    await change(project.edit, "bug", "wrong", top);
    const wrong = tests();
    await change(project.edit, "wrong", "right", top);
    return `${bug} with the bug, ${wrong} repaired wrongly, ${tests()} repaired`;
  } finally {
    await rm(place, { recursive: true, force: true, maxRetries: 5 });
  }
}
