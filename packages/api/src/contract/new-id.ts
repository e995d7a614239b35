import { z } from "zod";

/** The id of a loop that is to be made. The service refuses an unsafe one, by a code of its own. */
export const NewId = z.string().meta({ pattern: "^[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$" });
