import { join } from "node:path";
import { LoopError } from "@ccw-loop/core";
import type { ProjectFiles } from "../project-files.ts";
import { BUILT_IN, type PromptName } from "./built-in.ts";

const PLACEHOLDER = /\{\{([a-z_]+)\}\}/g;

/** The prompts of a project: ours, unless `.workflow/prompts/{name}.md` replaces one. */
export class PromptLibrary {
  readonly #cwd: string;
  readonly #files: ProjectFiles;

  constructor(cwd: string, files: ProjectFiles) {
    this.#cwd = cwd;
    this.#files = files;
  }

  /** The prompt with its placeholders filled. Throws `invalid_input` for one that an override misspells. */
  async render(name: PromptName, values: Readonly<Record<string, string>>): Promise<string> {
    const path = join(this.#cwd, ".workflow", "prompts", `${name}.md`);
    const override = await this.#files.text(path).catch((error: NodeJS.ErrnoException) => {
      throw new LoopError("invalid_input", `The prompt ${path} cannot be read: ${error.message}`);
    });
    const text = override ?? BUILT_IN[name];
    return text.replaceAll(PLACEHOLDER, (_, key: string) => {
      const value = values[key];
      if (value !== undefined) return value;
      const known = Object.keys(values).sort().join(", ") || "none";
      throw new LoopError(
        "invalid_input",
        `The prompt ${override ? path : name} uses {{${key}}}, which does not exist here. Known: ${known}.`,
      );
    });
  }
}
