export {
  BUBBLEWRAP,
  canIsolate,
  mountAtProject,
  overwrite,
  placeInRoom,
  type RunPlace,
  roomEnvironment,
  worksHere,
} from "./sandbox.ts";
export { surroundingsSince } from "./surroundings.ts";
