import { type Command, InvalidArgumentError, Option } from "commander";
import type { CommandAction } from "./act.ts";
import { addEvents, each, notEmpty, wholeNumber } from "./options.ts";

/** Loops for programs and browsers. */
export function addServeCommand(program: Command, act: CommandAction): void {
  const serve = program
    .command("serve")
    .description("answer over HTTP, and drive the running loops, until Ctrl-C")
    .option("--port <n>", "listen there; 0 for any free port (default: 3456)", port)
    .option("--host <address>", "listen at this address (default: 127.0.0.1)", notEmpty)
    .addOption(
      new Option("--socket <path>", "listen at a Unix socket instead")
        .argParser(notEmpty)
        .conflicts(["port", "host", "public"]),
    )
    .option("--project <folder>", "serve this project instead of the present one; repeatable", each)
    .option("--tls-cert <file>", "speak TLS with this certificate (PEM)", notEmpty)
    .option("--tls-key <file>", "its private key (PEM)", notEmpty)
    .option("--public", "listen where other machines reach it, without TLS")
    .option(
      "--origin <origin>",
      "let pages of this origin ask, such as https://a.example; repeatable",
      each,
    )
    .option("--allow-host <name>", "answer under this host name, too; repeatable", each)
    .option(
      "--token-file <file>",
      "keep the token there, instead of with the user's settings",
      notEmpty,
    )
    .option("--no-rate", "leave limiting clients to the proxy on another machine")
    .option("--concurrency <n>", "loops of each project to drive at once (default: 4)", wholeNumber)
    .option("--no-drive", "only answer; another process drives the loops")
    .addOption(
      new Option(
        "--log-level <level>",
        "what is logged, as lines of JSON on stderr (default: warn)",
      ).choices(["debug", "info", "warn", "error", "silent"]),
    );
  addEvents(serve).action(act(async () => (await import("../commands/serve.ts")).serve));
}

function port(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new InvalidArgumentError("Use a port from 1 to 65535, or 0 for any free one.");
}
