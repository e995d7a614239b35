export {
  type Bubblewrap,
  bubblewrapError,
  findBubblewrap,
  mountProblem,
} from "./bubblewrap.ts";
export { holdPlaces } from "./empty-places.ts";
export { bubblewrapArguments, type Containment } from "./mounts.ts";
export { type ContainmentSpec, containmentOf } from "./places.ts";
export { attemptsOf, type TriedAttempt, tryContainment } from "./trial.ts";
