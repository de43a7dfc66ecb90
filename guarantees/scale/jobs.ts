import type { Db } from '../../server/src/platform/db/sql.ts';
import { wait } from '../harness/run.ts';

const POLL_MS = 200;

/** Expires all open codes now. Resolves with their number after the jobs have closed and wiped them. */
export async function expireAll(db: Db): Promise<number> {
  const n = await db.run(
    'update verifications set expires_at = clock_now() where code_hmac is not null and expires_at > clock_now()',
  );
  const due = `select count(*) as n from verifications where code_hmac is not null and expires_at <= clock_now()`;
  while ((await db.one<{ n: number }>(due)).n > 0) await wait(POLL_MS);
  return n;
}

/** A RETENTION_DAYS that makes the job drop the three oldest months and one more day. */
export function retentionOf(oldestMs: number): number {
  const oldest = new Date(oldestMs);
  const limit = Date.UTC(oldest.getUTCFullYear(), oldest.getUTCMonth() + 3, 2);
  return Math.floor((Date.now() - limit) / 86_400_000);
}

const OLDEST = {
  verifications: 'select id from verifications where account_id = $1 order by account_id, id limit 1',
  requests: 'select id from request_logs where account_id = $1 order by account_id, id limit 1',
  history: 'select otp_id as id from status_history where account_id = $1 order by otp_id limit 1',
};

/** Resolves when all older rows have been removed. */
export async function untilRemoved(db: Db, account_id: string, days: number): Promise<void> {
  const limitMs = Date.now() - days * 86_400_000;
  const isOld = async (text: string) => {
    const { id } = await db.one<{ id: string }>(text, [account_id]);
    return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16) < limitMs - 86_400_000;
  };
  for (const text of Object.values(OLDEST)) while (await isOld(text)) await wait(POLL_MS);
}

/** Whether the jobs have counted all days and indexed all months. */
export async function areJobsDone(db: Db): Promise<boolean> {
  const { counted, missing } = await db.one<{ counted: number; missing: number }>(
    `select (select count(*) from counted_days where list in ('verifications', 'routes', 'requests', 'all_verifications', 'all_routes', 'all_requests')
         and until_day >= (clock_now() - interval '1 day' - interval '2 hours')::date) as counted,
       (select count(*) from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent in ('verifications'::regclass, 'request_logs'::regclass) and c.relname ~ '_[0-9]{4}_[0-9]{2}$'
          and right(c.relname, 7) < to_char(clock_now() - interval '2 hours', 'YYYY_MM')
          and not exists (select from pg_index x join pg_class n on n.oid = x.indexrelid
            where x.indrelid = c.oid and x.indisvalid and n.relname = c.relname || '_recipient')) as missing`,
  );
  return counted === 6 && missing === 0;
}
