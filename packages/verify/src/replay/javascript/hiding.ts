/**
 * Leaves what the recording put beside the modules out of listings: a program may load what it finds in a folder. Done once for
 * all copies of the recorder that a runner makes in one process.
 */
export const HIDING = String.raw`
const OURS = /\.[kr][0-9a-f]{10}\.\w+$/;
const withoutOurs = (found) => Array.isArray(found) ? found.filter((one) => !OURS.test(String(one.name ?? one))) : found;

function hideOurs() {
  const [fs, done] = [require("node:fs"), Symbol.for("listed")];
  const { readdir, readdirSync } = fs;
  const promised = fs.promises.readdir;
  if (readdirSync[done]) return;
  fs.readdirSync = Object.assign((...given) => withoutOurs(readdirSync(...given)), { [done]: true });
  fs.readdir = (...given) => {
    const then = given.pop();
    return readdir(...given, isFunction(then) ? (error, found) => then(error, withoutOurs(found)) : then);
  };
  fs.promises.readdir = async (...given) => withoutOurs(await promised(...given));
  nodeModule.syncBuiltinESMExports?.();
}
hideOurs();
`;
