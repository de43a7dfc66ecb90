/**
 * OrphanedClaims are claims in a live worker's name that are in nobody's hands: the answer to the claim was lost, or a failover took
 * its end back. A claim whose commit waits for a standby may come through minutes after it was given up, so they are looked
 * for now and then for as long as the worker lives, and soon after an answer was lost.
 */
export interface OrphanedClaims {
  /** A claim's answer was lost. */
  suspect(): void;
  /** Frees them, should it be time. Not while a claim is being made: nobody has that in flight yet. */
  free(search: () => Promise<unknown>): Promise<void>;
}

const SEARCH_MS = 2_000;

export function orphanedClaims(): OrphanedClaims {
  let nextMs = 0;
  return {
    suspect() {
      nextMs = 0;
    },
    async free(search) {
      if (performance.now() < nextMs) return;
      await search();
      nextMs = performance.now() + SEARCH_MS;
    },
  };
}
