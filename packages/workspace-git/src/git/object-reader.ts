import { createHash, type Hash } from "node:crypto";
import { LoopError } from "@ccw-loop/core";
import { type Answer, GitSession, type SessionPlace } from "./session.ts";

export type ObjectKind = "blob" | "tree" | "commit";

/** Takes the content of an object that is not held in memory, part by part. */
export type Sink = (part: Buffer) => Promise<void>;

/** Where objects are read. */
export interface ObjectPlace extends SessionPlace {
  hash: "sha1" | "sha256";
}

/** The most bytes of an object that is held in memory. */
const MOST_BYTES = 256 * 1024 * 1024;

/**
 * Reads the objects of a repository through one `git cat-file --batch`, and takes none whose content is not what its name
 * says: an agent can write any content under any name into `.git/objects`, and git believes it.
 */
export class ObjectReader {
  readonly #place: ObjectPlace;
  readonly #session: GitSession;

  constructor(place: ObjectPlace) {
    this.#place = place;
    this.#session = new GitSession(["cat-file", "--batch"], place);
  }

  /** The content; null when there is no such object of that kind. Throws `workspace_unavailable` for a forged one. */
  find(name: string, kind: ObjectKind): Promise<Buffer | null> {
    return this.#ask(name, kind, null);
  }

  /** As `find`, for an object that has to be there: throws `workspace_unavailable` where it is not. */
  async read(name: string, kind: ObjectKind): Promise<Buffer> {
    const content = await this.find(name, kind);
    if (content === null) throw this.#lost(name);
    return content;
  }

  /**
   * Gives the content to `sink`, which may be given a forged one before the error says so. False when there is no such
   * object of that kind.
   */
  async findInto(name: string, kind: ObjectKind, sink: Sink): Promise<boolean> {
    return (await this.#ask(name, kind, sink)) !== null;
  }

  async #ask(name: string, kind: ObjectKind, sink: Sink | null): Promise<Buffer | null> {
    const answer = new ObjectAnswer({ name, kind, sink }, this.#place);
    await this.#session.ask(`${name}\n`, answer);
    if (answer.kind === null) return null;
    if (!answer.isTrue) throw this.#forged(name);
    if (answer.kind !== kind) return null;
    if (answer.failure !== null) throw answer.failure;
    return answer.content;
  }

  #lost(name: string): LoopError {
    const { top } = this.#place;
    return new LoopError(
      "workspace_unavailable",
      `The repository at ${top} has lost the object ${name}. Check it with: git -C ${top} fsck`,
      { details: { object: name, lost: true } },
    );
  }

  #forged(name: string): LoopError {
    const { top } = this.#place;
    return new LoopError(
      "workspace_unavailable",
      `The repository at ${top} holds another content under the name of the object ${name}: it is damaged, or somebody put it there. Check it with: git -C ${top} fsck`,
      { details: { object: name } },
    );
  }
}

interface Asked {
  name: string;
  kind: ObjectKind;
  sink: Sink | null;
}

/** One object as it comes in: a line with its kind and size, its content, a line end. */
class ObjectAnswer implements Answer {
  readonly #asked: Asked;
  readonly #place: ObjectPlace;
  readonly #parts: Buffer[] = [];
  #header = "";
  #hash: Hash | undefined;
  #left = 0;
  /** Null where there is no such object. */
  kind: string | null = null;
  /** Why the sink took no more; the rest is read over. */
  failure: unknown = null;

  constructor(asked: Asked, place: ObjectPlace) {
    this.#asked = asked;
    this.#place = place;
  }

  async take(output: Buffer): Promise<Buffer | null> {
    if (this.#hash !== undefined) return this.#takeContent(output);
    const end = output.indexOf(0x0a);
    this.#header += output.toString("latin1", 0, end < 0 ? output.length : end);
    if (end < 0) return null;
    const rest = output.subarray(end + 1);
    const [, kind, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(this.#header) ?? [];
    if (kind === undefined) return rest;
    const { name, sink, kind: wanted } = this.#asked;
    this.kind = kind;
    this.#left = Number(size);
    if (sink === null && kind === wanted && this.#left > MOST_BYTES) {
      throw tooLarge(name, this.#place.top);
    }
    this.#hash = createHash(this.#place.hash).update(`${kind} ${size}\0`);
    return this.#takeContent(rest);
  }

  async #takeContent(output: Buffer): Promise<Buffer | null> {
    const part = output.subarray(0, this.#left);
    const rest = output.subarray(part.length);
    this.#left -= part.length;
    this.#hash?.update(part);
    // Of another kind it is no answer, however large it is.
    if (part.length > 0 && this.kind === this.#asked.kind) {
      if (this.#asked.sink === null) this.#parts.push(part);
      else if (this.failure === null) {
        await this.#asked.sink(part).catch((error: unknown) => {
          this.failure = error;
        });
      }
    }
    return rest.length > 0 ? rest.subarray(1) : null;
  }

  get isTrue(): boolean {
    return this.#hash?.digest("hex") === this.#asked.name;
  }

  get content(): Buffer {
    return Buffer.concat(this.#parts);
  }
}

function tooLarge(name: string, top: string): LoopError {
  return new LoopError(
    "workspace_unavailable",
    `The object ${name} of the repository at ${top} is larger than ${MOST_BYTES / 1024 / 1024} MB. Check it with: git -C ${top} cat-file -s ${name}`,
  );
}
