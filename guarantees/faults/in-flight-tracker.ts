import type { Sql } from '../../server/src/platform/db/sql.ts';
import { slowMs } from '../../server/test/fakes/behaviour.ts';
import { wait } from './scenario.ts';

const LOOK_MS = 20;

/** Records which messages were in flight at each fault. Only those may be dispatched twice. */
export interface InFlightTracker {
  /** Records everything in flight until it is stopped, for a long fault. */
  during(): { stop(): Promise<void> };
  /** Records what a paused worker holds: it waits until the messages of the other workers have settled. */
  recordStalled(): Promise<void>;
  /** number of faults at which each message was in flight */
  readonly times: Map<string, number>;
}

export function trackInFlight(sql: Sql): InFlightTracker {
  const times = new Map<string, number>();
  const read = () =>
    sql.rows<{ id: string; claim: string }>('select id, claim from deliveries where claim is not null');
  const count = (ids: Iterable<string>) => {
    for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1);
  };
  return {
    times,
    during() {
      const seen = new Set<string>();
      let ends = false;
      const look = async () => {
        for (const { id } of await read().catch(() => [])) seen.add(id);
      };
      const looking = (async () => {
        for (; !ends; await wait(LOOK_MS)) await look();
        await look();
        count(seen);
      })();
      return {
        stop() {
          ends = true;
          return looking;
        },
      };
    },
    async recordStalled() {
      const before = new Set((await read()).map(({ claim, id }) => claim + id));
      await wait(slowMs + 200);
      count((await read()).filter(({ claim, id }) => before.has(claim + id)).map(({ id }) => id));
    },
  };
}
