import type { Limits } from "../../src/node/options.ts";
import type { Door } from "../node/served.ts";

/** A check over a real socket. */
export interface Check {
  name: string;
  /** Of its server, where the usual ones would take long. */
  limits?: Partial<Limits>;
  /** It waits for a limit that no option makes shorter. */
  waits?: boolean;
  run(door: Door): Promise<void>;
}

/** An attack with the checks of the network door, and where other doors are checked. */
export interface Row {
  attack: string;
  here?: readonly Check[];
  /** Files of other tests, with the name of a test or group in each. */
  elsewhere?: readonly { file: string; test: string }[];
}
