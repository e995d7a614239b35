import { withProductionEnv } from "../../src/app/tui.ts";

// As the interface loads it; the build for development draws at a third of the speed.
await withProductionEnv(() => Promise.all([import("ink"), import("react/jsx-runtime")]));
