/**
 * The rotation of SECRET_KEY. The database names the key under which all processes write. Each process states every second
 * which SECRET_KEY it has. Once all of them have had the same one for ten seconds, the database names that one. Until then, new
 * processes write under the old key, so no process meets a value that it cannot read, in whatever order they restart.
 *
 * A process that was away for longer than that, and lacks the key when it returns, neither serves nor works until it is
 * restarted with the key.
 */

import type { OldRows } from '../db/retention.ts';
import type { Sql } from '../db/sql.ts';
import type { Needs } from '../platform.ts';
import { KEY_ID } from './secret-key.ts';

const EVERY_MS = 1_000;
const GONE_SECONDS = 10;
const LOG_EVERY_MS = 60_000;

export interface KeyRotation {
  /** States this process's key, reads the database's, and changes it if every process has the new one. */
  round(): Promise<void>;
  /** Repeats the round every second. */
  start(): void;
  /** Other processes then no longer wait for this one. */
  stop(): Promise<void>;
}

export function keyRotation(app: Needs<'db' | 'clock' | 'log' | 'random' | 'vault'>): KeyRotation {
  const { vault, log } = app;
  const id = app.random.uuid();
  const ending = new AbortController();
  let working: Promise<void> = Promise.resolve();
  let loggedMs = Number.NEGATIVE_INFINITY;

  const round = async (): Promise<void> => {
    await showKey(app.db.reserve, id, vault.keyId);
    const named = await readKey(app.db.reserve);
    const changed = named === vault.keyId ? undefined : await nameKey(app.db.reserve, id, vault.keyId);
    if (changed)
      log.info({ server_key: changed }, 'all processes have the new SECRET_KEY and use it from now on');
    vault.writeUnder(changed ?? named);
    if (vault.lacksKey === undefined) return;
    const nowMs = app.clock.now().getTime();
    if (Math.abs(nowMs - loggedMs) < LOG_EVERY_MS) return;
    loggedMs = nowMs;
    log.error(
      { server_key: vault.lacksKey },
      'the other processes use a SECRET_KEY that this process does not have, so it neither serves requests nor works: set SECRET_KEY to that key, and restart the process',
    );
  };

  const loop = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await round().catch((err: unknown) => log.debug({ err }, 'could not read the state of the server key'));
      await app.clock.sleep(EVERY_MS, ending.signal);
    }
  };

  return {
    round,
    start() {
      working = loop();
    },
    async stop() {
      ending.abort();
      await working;
      await app.db.run('delete from server_key_holders where id = $1', [id]).catch(() => 0);
    },
  };
}

/** Those of processes that did not stop in order. */
export const oldKeyHolders: OldRows = {
  table: 'server_key_holders',
  where: `seen_at < clock_timestamp() - interval '1 day'`,
};

/** Uses the database's real clock, as heartbeats of workers do. */
const showKey = (sql: Sql, id: string, keyId: string): Promise<number> =>
  sql.run(
    `insert into server_key_holders (id, key_id, since, seen_at) values ($1, $2, clock_timestamp(), clock_timestamp())
     on conflict (id) do update set seen_at = clock_timestamp()`,
    [id, keyId],
  );

const readKey = async (sql: Sql): Promise<string> =>
  (await sql.one<{ value: string }>('select value from service_facts where name = $1', [KEY_ID])).value;

/**
 * Names this process's key if no live process has another one. The process itself must have stated its key for some time,
 * because the table is empty after a failover. Returns the key if this call changed it.
 */
const nameKey = async (sql: Sql, id: string, keyId: string): Promise<string | undefined> =>
  (
    await sql.maybe<{ value: string }>(
      `update service_facts set value = $2, changed_at = clock_now()
       where name = $3 and value <> $2
         and exists (select from server_key_holders
           where id = $1 and since < clock_timestamp() - make_interval(secs => $4))
         and not exists (select from server_key_holders
           where key_id <> $2 and seen_at > clock_timestamp() - make_interval(secs => $4))
       returning value`,
      [id, keyId, KEY_ID, GONE_SECONDS],
    )
  )?.value;
