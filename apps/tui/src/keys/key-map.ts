/** Which keys do what: the id of a binding with its keys, most usual first. Only what differs from the default. */
export type KeyMap = Readonly<Record<string, readonly string[]>>;
