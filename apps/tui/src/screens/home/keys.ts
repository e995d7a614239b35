/** Keys that the screen names in its text, too. */
export const NEXT = { id: "home.next", keys: ["tab"] } as const;
export const NEW = { id: "home.new", keys: ["n"] } as const;
export const DOCTOR = { id: "home.doctor", keys: ["D"] } as const;
export const HELP = { id: "app.help", keys: ["?"] } as const;
