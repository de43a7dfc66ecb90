/** The time of this browser in ms since 1970. */
export const nowMs = (): number => Date.now();

/** A monotonic clock, for durations. */
export const elapsedMs = (): number => performance.now();
