/**
 * The processes that the soak kills, reads with and asks: `worker.ts ROLE TASK`, the task as JSON. Each role loads
 * what it needs only, so that a process is at work soon.
 */
const [role = "", task = "{}"] = process.argv.slice(2);
const given = JSON.parse(task);

switch (role) {
  case "driver":
    await (await import("./workers/driver.ts")).drive(given);
    break;
  case "writer":
    await (await import("./workers/writer.ts")).write(given);
    break;
  case "reader":
    await (await import("./workers/reader.ts")).readAllTheTime(given);
    break;
  case "client":
    await (await import("./workers/client.ts")).answerAll(given);
    break;
  case "full-disk":
    await (await import("./workers/full-disk.ts")).meetAFullDisk(given);
    break;
  default:
    throw new RangeError(`There is no worker called ${role}.`);
}
