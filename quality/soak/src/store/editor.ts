/**
 * The other program of `foreign.ts`: adds `EACH` fields to a state file, each on top of what it just read, in one way after the
 * other. Its argument is the file.
 */
import fs from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { EACH, EVERY_MS, WAYS } from "./foreign.ts";

/** One edit in so many waits for so long, when it has emptied the file and not written yet. */
const WAITS_EVERY = 50;
const WAITS_MS = 1500;

const [path = ""] = process.argv.slice(2);
for (let n = 0; n < EACH; n++) {
  await delay(EVERY_MS);
  const text = JSON.stringify({ ...JSON.parse(fs.readFileSync(path, "utf8")), [`e${n}`]: n });
  switch (WAYS[n % WAYS.length]) {
    case "rename":
      fs.writeFileSync(`${path}.mine`, text);
      fs.renameSync(`${path}.mine`, path);
      break;
    case "in place": {
      const fd = fs.openSync(path, "w");
      if (n % WAITS_EVERY === 1) await delay(WAITS_MS);
      fs.writeSync(fd, text);
      fs.closeSync(fd);
      break;
    }
    default: {
      const fd = fs.openSync(path, "w");
      fs.writeSync(fd, text.slice(0, text.length >> 1));
      fs.writeSync(fd, text.slice(text.length >> 1));
      fs.closeSync(fd);
    }
  }
}
