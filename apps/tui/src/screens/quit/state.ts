/** Asked when this process drives loops: pause them, leave them running for the next supervisor, or stay. */
export interface QuitState {
  kind: "quit";
}
