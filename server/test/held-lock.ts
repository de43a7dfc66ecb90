import pg from 'pg';
import { expect, vi } from 'vitest';
import type { TestService } from './service.ts';

/** A test transaction that holds a lock which the service needs, until the transaction commits. */
export interface HeldLock extends AsyncDisposable {
  run(text: string, params: unknown[]): Promise<void>;
  commit(): Promise<void>;
}

export async function holdLock(service: TestService, text: string, params: unknown[]): Promise<HeldLock> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  client.on('error', () => {});
  await client.connect();
  await client.query('begin');
  await client.query(text, params);
  return {
    run: async (more, values) => void (await client.query(more, values)),
    commit: async () => void (await client.query('commit')),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** Resolves once a statement of the service that contains this text waits for a lock. */
export async function untilBlocked(service: TestService, text: string): Promise<void> {
  await vi.waitFor(
    async () => {
      const { n } = await service.app.db.one<{ n: number }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and query ilike $1`,
        [`%${text}%`],
      );
      expect(n, `statements with ${text} that wait for a lock`).toBeGreaterThan(0);
    },
    { timeout: 10_000, interval: 20 },
  );
}

/** Resolves once this many statements wait for a lock. */
export async function untilWaiting(service: TestService, count: number): Promise<void> {
  await vi.waitFor(
    async () => {
      const { n } = await service.app.db.one<{ n: number }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      expect(n, 'statements that wait for a lock').toBe(count);
    },
    { timeout: 10_000, interval: 20 },
  );
}
