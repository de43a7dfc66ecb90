/** The time of this browser in ms since 1970. */
export const nowMs = (): number => Date.now();

/** For durations: never set back, with no date. */
export const elapsedMs = (): number => performance.now();
