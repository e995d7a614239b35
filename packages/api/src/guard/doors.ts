/** Answered to everybody: that the server is there and works, and how it is talked to. Nothing about a loop. */
const PUBLIC = new Set(["/", "/api/health", "/api/ready", "/api/openapi.json", "/api/docs"]);

export function isPublic(method: string, path: string): boolean {
  return (method === "GET" || method === "HEAD") && PUBLIC.has(path);
}

const STREAMS = /^\/api\/(?:events|loops\/v2\/[^/]+\/events)$/;

/** Where a ticket stands in for the token. `/ws` of the Node server is the first of them in other clothes. */
export function takesTicket(method: string, path: string): boolean {
  return method === "GET" && STREAMS.test(path);
}

export function isTicketEndpoint(path: string): boolean {
  return path === "/api/tickets";
}

/** Names of query parameters under which other servers take tokens. */
const TOKEN_NAMES = ["token", "access_token", "bearer", "authorization", "api_key"];

/** A URL is kept by proxies, histories and logs: a token in it counts as given away. */
export function hasTokenInQuery(query: URLSearchParams): boolean {
  return TOKEN_NAMES.some((name) => query.has(name));
}
