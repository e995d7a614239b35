/** @module-tag slow */
import { describeLoopService } from "@ccw-loop/testkit/contracts";
import { loopClient } from "../../src/client/index.ts";
import { hosted, REMOTE, TOKEN } from "./hosted.ts";

describeLoopService("typed client, in process", {
  ...REMOTE,
  async open(ports, { drives }) {
    const { app, close } = hosted(ports, drives);
    const fetch = (request: Request) => app.fetch(request);
    return { service: loopClient({ url: "http://127.0.0.1", token: TOKEN, fetch }), close };
  },
});
