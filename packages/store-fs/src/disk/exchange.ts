import { createRequire } from "node:module";
import { getSystemErrorName } from "node:util";

/** Swaps two files of one folder tree in one step, whatever they are. Throws Node's errors. */
export type Exchange = (a: string, b: string) => void;

/** What we use of koffi's prebuilt binding; https://koffi.dev. */
interface Native {
  load(library: null): { func(definition: string): (...args: (string | number)[]) => number };
  errno(): number;
}

/** The swapping call of each system: its C prototype, and the arguments for two paths. */
const CALLS: Partial<Record<NodeJS.Platform, readonly [string, CallOf]>> = {
  // renameat2(2): AT_FDCWD is -100, RENAME_EXCHANGE is 2.
  linux: ["int renameat2(int, str, int, str, unsigned int)", (a, b) => [-100, a, -100, b, 2]],
  // renamex_np(2): RENAME_SWAP is 2.
  darwin: ["int renamex_np(str, str, unsigned int)", (a, b) => [a, b, 2]],
};
type CallOf = (a: string, b: string) => (string | number)[];

let loaded: Exchange | null | undefined;

/**
 * The system's call for it, which Node does not offer; null where it or its optional binding is missing. The
 * first call takes some milliseconds, so only those ask who are about to publish.
 */
export function exchangeCall(): Exchange | null {
  loaded ??= load();
  return loaded;
}

function load(): Exchange | null {
  const call = CALLS[process.platform];
  if (!call) return null;
  const [prototype, argumentsFor] = call;
  try {
    // Bundled into another package's file this one still finds its own dependencies.
    const own = createRequire(import.meta.url).resolve("@ccw-loop/store-fs/package.json");
    const native: Native = createRequire(own)(`@koromix/koffi-${process.platform}-${process.arch}`);
    const swap = native.load(null).func(prototype);
    return (a, b) => {
      if (swap(...argumentsFor(a, b)) === 0) return;
      const code = getSystemErrorName(-native.errno());
      throw Object.assign(new Error(`${code}: exchange '${a}' and '${b}'`), { code, path: b });
    };
  } catch {
    return null;
  }
}
