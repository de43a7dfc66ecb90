import {
  BACK_TEST_SENDS_MAX,
  type BackTest,
  backTestRule,
} from '@sixdigit/contract/protection/protection.ts';
import { ERASED } from '../../platform/db/erasure.ts';
import { withinListLimits } from '../../platform/db/list-limits.ts';
import type { Queryable } from '../../platform/db/sql.ts';
import { fairSlots } from '../../platform/fair-slots.ts';
import { disconnected } from '../../platform/http/disconnected.ts';
import { Failure } from '../../platform/http/failure.ts';
import { type Server, serve } from '../../platform/http/serve.ts';
import { inSlices } from '../../platform/queue/slices.ts';
import {
  backTest,
  historyStart,
  type Known,
  type PastSend,
  type PastSends,
  planBackTest,
} from '../../protection/protection.ts';
import type { OtpApp } from '../call.ts';

/**
 * Tests thresholds of a rule on an account's past sends. A process runs one back-test at a time, in short slices, and reads the
 * sends in pages that count as lists, so that sends and the lists of other accounts do not wait for it.
 */
export function backTestRoutes(server: Server, app: OtpApp): void {
  const slots = fairSlots({ anAccount: 1, aProcess: 1, waitingAnAccount: 2, waitingAProcess: 50 });
  serve(server, backTestRule, async ({ caller, body, reply }) => {
    const signal = disconnected(reply);
    const plan = await planBackTest(app, caller.account_id, body);
    return slots.run(
      caller.account_id,
      async () => {
        const now = app.clock.now();
        const past = await readPastSends(app, caller.account_id, { now, signal });
        return inSlices(backTest(plan, past, now), signal);
      },
      { signal },
    );
  });
}

const PAGE = 5_000;
const PAGE_TIMEOUT_MS = 2_000;

/** The newest sends of an account. If a page takes too long, those of the pages before it. */
export async function readPastSends(
  app: Pick<OtpApp, 'db' | 'config'>,
  account_id: string,
  { now, signal }: { now: Date; signal: AbortSignal },
): Promise<PastSends> {
  const start = historyStart(now);
  const kept = new Date(now.getTime() - app.config.recipientRetentionDays * 86_400_000);
  const rows: PastRow[] = [];
  let limited_by: BackTest['limited_by'] = kept > start ? 'retention' : null;
  for (let isMore = true; isMore; ) {
    const before = rows.at(-1)?.id ?? null;
    const page = await withinListLimits(
      app.db,
      account_id,
      (db) => selectPastSends(db, { account_id, since: start, before }),
      { timeoutMs: PAGE_TIMEOUT_MS, signal },
    ).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.reason !== 'list_timeout' || rows.length === 0) throw error;
      limited_by = 'time';
      return [];
    });
    rows.push(...page);
    isMore = page.length === PAGE;
    if (isMore && rows.length >= BACK_TEST_SENDS_MAX) {
      limited_by = 'sends';
      isMore = false;
    }
  }
  const nowMs = now.getTime();
  const sends = rows.filter(({ is_counted }) => is_counted).map((row) => pastSendOf(row, nowMs));
  return { sends: sends.reverse(), limited_by };
}

interface PastRow {
  id: string;
  is_counted: boolean;
  recipient: string;
  country: string | null;
  client_ip: string | null;
  sent_ms: number;
  verified_ms: number | null;
  /** when it failed or was closed; null if it expired by time */
  closed_ms: number | null;
  expires_ms: number;
  own_code: boolean;
  known: Known | null;
  status: string;
  is_superseded: boolean;
  is_void: boolean;
}

/** Bounds the rows that are read, also for an account that sends only e-mails. */
const selectPastSends = (
  sql: Queryable,
  { account_id, since, before }: { account_id: string; since: Date; before: string | null },
): Promise<PastRow[]> =>
  sql.rows<PastRow>(
    `select v.id, c.is_counted, v.recipient, v.country, host(v.client_ip) as client_ip, v.own_code, v.known, v.status,
       floor(extract(epoch from v.created_at) * 1000)::bigint as sent_ms,
       floor(extract(epoch from v.verified_at) * 1000)::bigint as verified_ms,
       floor(extract(epoch from h.closed_at) * 1000)::bigint as closed_ms,
       floor(extract(epoch from v.expires_at) * 1000)::bigint as expires_ms,
       v.closed_by is not distinct from 'superseded' as is_superseded,
       v.sent_at is null and v.cost_credits = 0 as is_void
     from (
       select * from verifications where account_id = $1 and id >= uuid_floor($2) and id < coalesce($3, 'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid)
       order by id desc limit ${PAGE}) v
     cross join lateral (select v.channel <> 'email' and not v.is_test as is_counted) c
     left join lateral (
       -- A report can arrive after the end.
       select min(changed_at) as closed_at from status_history s
       where s.otp_id = v.id and s.account_id = v.account_id and s.new_status = v.status
         and c.is_counted and (v.status = 'failed' or v.closed_by is not null)
         and (v.closed_by is distinct from 'superseded' or s.notes = 'Superseded')
     ) h on true
     order by v.id desc`,
    [account_id, since, before],
  );

function pastSendOf(row: PastRow, nowMs: number): PastSend {
  const { id, recipient, country, client_ip, sent_ms } = row;
  return {
    id,
    number: recipient === ERASED ? null : recipient,
    country,
    client_ip,
    sent_ms,
    has_own_code: row.own_code,
    known: row.known,
    end: endOf(row, nowMs),
  };
}

/** The ends that were counted at the time. A send that another one superseded counts as verified. */
function endOf(row: PastRow, nowMs: number): PastSend['end'] {
  const { verified_ms, closed_ms, expires_ms, status, own_code, is_superseded, is_void } = row;
  if (own_code && !is_void) return null;
  if (verified_ms !== null) return { event: 'verified', at_ms: verified_ms };
  const at_ms = closed_ms ?? expires_ms;
  if (is_superseded) return { event: 'verified', at_ms };
  if (status === 'failed' || status === 'expired')
    return { event: is_void ? 'void' : 'unverified', at_ms: Math.min(at_ms, nowMs) };
  return expires_ms <= nowMs ? { event: 'unverified', at_ms: expires_ms } : null;
}
