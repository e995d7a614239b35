/** Reads and parses a file without a pause, as any program might, so many times or until it is told to stop. */
import { readFileSync } from "node:fs";

const [path = "", most = "Infinity"] = process.argv.slice(2);
let reads = 0;
let newest = 0;
const problems: string[] = [];
let stopped = false;
process.on("message", () => {
  stopped = true;
});

function read(): void {
  for (let i = 0; i < 20; i++) {
    reads += 1;
    try {
      const { revision } = JSON.parse(readFileSync(path, "utf8"));
      newest = Math.max(newest, revision);
    } catch (error) {
      problems.push(String(error));
    }
  }
  if (!stopped && reads < Number(most)) setImmediate(read);
  else process.send?.({ reads, newest, problems }, () => process.disconnect());
}
read();
