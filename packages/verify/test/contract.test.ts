import { describeVerifier } from "@ccw-loop/testkit/contracts";
import { verifier } from "../src/index.ts";

describeVerifier("this machine's own runners", async () => verifier({ graceMs: 500 }));
