/**
 * Orphaned claims carry the id of a live worker that does not process them, because the response to the claim was lost or a
 * failover reverted its end. A claim whose commit waits for a standby may appear minutes after the worker has given it up.
 * Workers therefore search for orphans periodically, and soon after a lost response.
 */

import { monotonicMs } from '../clock.ts';
export interface OrphanedClaims {
  /** Reports that the response to a claim was lost. */
  suspect(): void;
  /** Frees orphaned claims if a search is due. Concurrent calls share one search. */
  free(search: () => Promise<unknown>): Promise<void>;
}

const SEARCH_MS = 2_000;

export function orphanedClaims(): OrphanedClaims {
  let nextMs = 0;
  let searching: Promise<void> | undefined;
  return {
    suspect() {
      nextMs = 0;
    },
    async free(search) {
      if (!searching && monotonicMs() < nextMs) return;
      searching ??= search()
        .then(() => {
          nextMs = monotonicMs() + SEARCH_MS;
        })
        .finally(() => {
          searching = undefined;
        });
      await searching;
    },
  };
}
