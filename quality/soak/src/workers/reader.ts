import { setTimeout as delay } from "node:timers/promises";
import { foreignReader } from "../files/foreign-reader.ts";
import { sendToParent as send } from "./messages.ts";

/** Leaves the processors to those who are to be read about. */
const PAUSE_MS = 8;

/** Reads the files of all loops of a folder again and again, until it is killed. */
export async function readAllTheTime({ folder }: { folder: string }): Promise<void> {
  const reader = foreignReader();
  for (;;) {
    const { files, problems } = reader.read(folder);
    send({ kind: "read", files, problems });
    await delay(PAUSE_MS);
  }
}
