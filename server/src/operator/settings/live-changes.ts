import { emailsOf } from '../../accounts/accounts.ts';
import { pageOf } from '../../platform/db/page.ts';
import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  changesOf,
  countChanges,
  type LiveSettings,
  lockSetting,
  newestChange,
  storeSetting,
} from '../../settings/live-settings/live-settings.ts';

/** The common part of prices, settings and limits: a newest value with its author, a history, and changes that name their version. */
export type LiveApp = Needs<'db' | 'random' | 'wakeups'> & { live: LiveSettings };

export interface Newest {
  version: number;
  changed_at: string | null;
  changed_by: string | null;
  value: unknown;
}

export async function newestOf(sql: Queryable, name: string): Promise<Newest> {
  const change = await newestChange(sql, name);
  const emails = await emailsOf(sql, [change?.operator_id]);
  return {
    version: change?.position ?? 0,
    changed_at: change?.created_at ?? null,
    changed_by: emails.get(change?.operator_id ?? '') ?? null,
    value: change?.value ?? undefined,
  };
}

/** Locks the setting until the transaction ends, and returns its value. Throws `changed_meanwhile` for another version. */
export async function lockVersion(tx: Tx, name: string, version: number | undefined): Promise<unknown> {
  const value = await lockSetting(tx, name);
  const newest = await newestChange(tx, name);
  if (version !== undefined && (newest?.position ?? 0) !== version) throw new Failure('changed_meanwhile');
  return value;
}

export const storeValue = (
  tx: Tx,
  app: Needs<'random'>,
  by: OperatorCaller,
  change: { name: string; value: unknown },
): Promise<number> => storeSetting(tx, { id: app.random.uuid(), operator_id: by.account_id, ...change });

/** Makes a committed change effective in this process at once; the others follow. */
export async function follow(app: LiveApp): Promise<void> {
  await app.live.refresh();
  app.wakeups.notify('settings');
}

/** A page of the history, newest first, with the authors. */
export async function historyOf(sql: Queryable, name: string, query: { page: number; page_size: number }) {
  const changes = await changesOf(sql, name, pageOf(query));
  const emails = await emailsOf(
    sql,
    changes.map(({ operator_id }) => operator_id),
  );
  return {
    count: await countChanges(sql, name),
    changes: changes.map(({ position, created_at, operator_id, value }) => ({
      version: position,
      created_at,
      changed_by: emails.get(operator_id ?? '') ?? null,
      value,
    })),
  };
}
