/**
 * Networks can drop a connection without notifying either end, for example when a firewall is replaced or an address moves. The
 * watchdog therefore probes its own connection every second. If the probe gets no response but a new connection does, the
 * watchdog closes all connections that were opened before the probe. Their statements fail as after any lost connection. The
 * watchdog does not close connections because of an unresponsive database or a slow statement.
 */

import { setTimeout as after } from 'node:timers/promises';
import pg from 'pg';
import { monotonicMs } from '../clock.ts';
import type { Needs } from '../platform.ts';
import { connectionOf } from './tls.ts';

const EVERY_MS = 1_000;
const SILENT_MS = 1_500;
/** Extra time for the probe, because after a stall a database may respond to new connections first. */
const GRACE_MS = 500;

interface Line {
  /** Waits at most `patienceMs` for the response to the pending probe, or to a new one if none is pending. */
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
      const since = monotonicMs();
      line ??= await open(url);
      const state = await line?.ask(SILENT_MS);
      if (state === 'broken') {
        line?.end();
        line = undefined;
      }
      if (state !== 'silent') continue;
      const fresh = await open(url);
      if (!fresh) continue;
      if ((await line?.ask(GRACE_MS)) === 'silent') {
        app.log.warn({}, 'closed unresponsive database connections');
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

/**
 * Opens a connection and waits for one response, because a pooler accepts clients even while its database is unavailable.
 * Undefined if the database does not respond.
 */
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
    // The database is unavailable.
  }
  end();
  return undefined;
}
