import { spawnSync } from "node:child_process";
import {
  appendText,
  deleteFile,
  replaceText,
  writeWhole,
} from "../../../packages/testkit/src/agent/edit-file.ts";
import { environment } from "../../../quality/loops/environment.ts";
import type { stepsOf } from "./script.ts";

/**
 * Plays steps without an agent: to prepare a project, or to try a case. Only what changes files is played. Throws
 * when a command fails, unless `lenient`: an agent's turn goes on behind one.
 */
export async function playSteps(
  steps: ReturnType<typeof stepsOf>,
  cwd: string,
  { lenient = false, env = environment() } = {},
): Promise<void> {
  for (const step of steps) {
    if (step.write) await writeWhole(cwd, step.write.path, step.write.content);
    if (step.replace) await replaceText(cwd, step.replace);
    if (step.append) await appendText(cwd, step.append.path, step.append.text);
    if (step.delete !== undefined) await deleteFile(cwd, step.delete);
    if (step.run !== undefined) {
      const { status, stderr } = spawnSync("/bin/sh", ["-c", step.run], {
        cwd,
        env,
      });
      if (status !== 0 && !lenient) throw new Error(`\`${step.run}\` fails: ${stderr}`);
    }
  }
}
