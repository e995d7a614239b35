export { type Bubblewrap, findBubblewrap } from "./bubblewrap.ts";
export { bubblewrapArguments, type Containment } from "./mounts.ts";
export { type ContainmentSpec, containmentOf } from "./places.ts";
export { attemptsOf, type TriedAttempt, tryContainment } from "./trial.ts";
