import { describeLoopStore } from "@ccw-loop/testkit/contracts";
import { postgresStore } from "../src/index.ts";
import { newPlace } from "./places.ts";

describeLoopStore("postgres", async () => postgresStore(await newPlace()));
