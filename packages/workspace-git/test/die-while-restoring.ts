// Kills its own process, as a crash would, when the tenth file is to get its name.
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const { rename } = fs;
let renamed = 0;
fs.rename = async (from, to) => {
  // Objects get their names in the same way.
  if (!`${to}`.includes("/.workflow/")) renamed += 1;
  if (renamed === 10) process.kill(process.pid, "SIGKILL");
  return rename(from, to);
};
syncBuiltinESMExports();
