import { once } from "node:events";
import { lstat, mkdir, unlink } from "node:fs/promises";
import { connect } from "node:net";
import { dirname } from "node:path";
import { LoopError } from "@ccw-loop/core";
import { codeOf } from "./errors.ts";

/** The shortest bound of the systems we know, with the zero at its end. */
const LONGEST = 103;

/**
 * Makes room for a socket at `path`: one that nobody answers at is what a killed server left, and goes away. Throws
 * `invalid_input` when somebody answers, or something else is there.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST) {
    throw new LoopError(
      "invalid_input",
      `${path} is too long for a socket: ${LONGEST} bytes at most. Choose another path with --socket.`,
    );
  }
  await mkdir(dirname(path), { mode: 0o700 }).catch((error) => {
    if (codeOf(error) === "EEXIST") return;
    throw new LoopError(
      "invalid_input",
      `${dirname(path)} is not there and cannot be made. Choose another path with --socket.`,
      { cause: error },
    );
  });
  const info = await lstat(path).catch((error) => {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new LoopError("invalid_input", `${path} cannot be used: ${String(error)}`, {
      cause: error,
    });
  });
  if (info === undefined) return;
  if (!info.isSocket()) {
    throw new LoopError("invalid_input", `${path} is there already and is no socket.`);
  }
  if (await answers(path)) {
    throw new LoopError(
      "invalid_input",
      `Another server listens at ${path}. End it first, or choose another path with --socket.`,
    );
  }
  await unlink(path);
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, "connect");
    return true;
  } catch (error) {
    // Anything else, such as a queue that is full, is a server that lives.
    return codeOf(error) !== "ECONNREFUSED";
  } finally {
    socket.destroy();
  }
}
