import type { Sql } from '../server/src/db/sql.ts';
import { slowMs } from '../server/test/fakes/behaviour.ts';
import { wait } from './scenario.ts';

const LOOK_MS = 20;

/** What was in the middle of being dispatched at each fault: only that may reach a carrier once more. */
export interface InFlightTracker {
  /** From now until it is expected to stop, whoever has it: for a fault that lasts. */
  during(): { stop(): Promise<void> };
  /** With a worker that stands still: what everybody else has in flight comes to its end meanwhile. */
  recordStalled(): Promise<void>;
  /** How often each message was in flight at a fault. */
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
