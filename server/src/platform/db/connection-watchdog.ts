import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';
import type { Needs } from '../platform.ts';
import { connectionOf } from './tls.ts';

/**
 * A network may forget connections without a word to either end: a firewall that was replaced, an address that moved. What waits
 * on one of them waits for its own limit, and the next in the pool is no better. So a connection of its own is asked every second;
 * where it says nothing although a new one is answered, all that are as old are ended, and what waited on them is done again as after
 * any loss. A database that says nothing to anybody ends none, nor does a statement that takes its time.
 */
const EVERY_MS = 1_000;
const SILENT_MS = 1_500;
/** A database that goes on after a standstill answers everybody, but not everybody first. */
const GRACE_MS = 500;

interface Line {
  /** Of a question that is still open, or of a new one. */
  ask(patienceMs: number): Promise<'answered' | 'silent' | 'broken'>;
  end(): void;
}

export function startConnectionWatchdog(
  app: Needs<'db' | 'clock' | 'log'>,
  url: string,
): { stop(): Promise<void> } {
  const ending = new AbortController();
  const watch = async () => {
    let line: Line | undefined;
    while (!ending.signal.aborted) {
      await app.clock.sleep(EVERY_MS, ending.signal);
      const since = performance.now();
      line ??= await open(url);
      const said = await line?.ask(SILENT_MS);
      if (said === 'broken') {
        line?.end();
        line = undefined;
      }
      if (said !== 'silent') continue;
      const fresh = await open(url);
      if (!fresh) continue;
      if ((await line?.ask(GRACE_MS)) === 'silent') {
        app.log.warn({}, 'database connections that said nothing are ended');
        app.db.endOlder(since);
      }
      line?.end();
      line = fresh;
    }
    line?.end();
  };
  const watching = watch();
  return {
    stop() {
      ending.abort();
      return watching;
    },
  };
}

/** None where nobody answers: a pooler lets anybody in while it waits for its database. */
async function open(url: string): Promise<Line | undefined> {
  const client = new pg.Client({
    ...connectionOf(url),
    application_name: 'sixdigit watch',
    connectionTimeoutMillis: SILENT_MS,
  });
  client.on('error', () => undefined);
  const end = () => void client.end().catch(() => undefined);
  let asked: Promise<'answered' | 'broken'> | undefined;
  const ask: Line['ask'] = (patienceMs) => {
    asked ??= client
      .query('select 1')
      .then(() => 'answered' as const)
      .catch(() => 'broken' as const)
      .finally(() => {
        asked = undefined;
      });
    return Promise.race([asked, after(patienceMs, 'silent' as const, { ref: false })]);
  };
  try {
    await client.connect();
    if ((await ask(SILENT_MS)) === 'answered') return { ask, end };
  } catch {
    // Away.
  }
  end();
  return undefined;
}
