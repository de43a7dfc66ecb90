import type { Sql } from '../../server/src/platform/db/sql.ts';
import { FIRST_CREDITS } from './accounts.ts';
import type { Fleet } from './processes.ts';
import { type Answer, ask, type Recorder } from './recorder.ts';
import { type Check, check, countsOf, none, until } from './run.ts';

interface Message {
  id: string;
  code: string;
}

/** Compares the database and the carrier's messages with what the service acknowledged. */
export async function auditLedger(
  sql: Sql,
  messages: readonly Message[],
  { acknowledged, verified }: Recorder,
): Promise<{ checks: Check[]; dispatchedTwice: number }> {
  const dispatched = Map.groupBy(messages, ({ id }) => id);
  const withTwoCodes = [...dispatched.values()].filter(
    (all) => new Set(all.map(({ code }) => code)).size > 1,
  );
  const rows = await sql.rows<{ id: string; status: string; debits: number; refunds: number }>(
    `select v.id, v.status,
       (select count(*) from ledger l where l.account_id = v.account_id and l.id = v.id and l.kind = 'usage') as debits,
       (select count(*) from ledger l where l.kind = 'refund' and l.reference = 'refund:' || v.id) as refunds
     from verifications v`,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const missing = [...acknowledged.keys()].filter((id) => !byId.has(id));
  const unverified = [...verified].filter((id) => byId.get(id)?.status !== 'verified');
  return {
    checks: [
      none('acknowledged sends that are missing', missing.length, acknowledged.size),
      none('acknowledged successes that are missing', unverified.length, verified.size),
      none('sends without exactly one debit', rows.filter(({ debits }) => debits !== 1).length),
      none(
        'neither dispatched nor refunded',
        rows.filter(({ id, refunds }) => !dispatched.has(id) && refunds === 0).length,
      ),
      none('dispatched with two codes', withTwoCodes.length),
      await balanced(sql),
      ...(await auditPlans(sql)),
    ],
    dispatchedTwice: [...dispatched.values()].filter((all) => all.length > 1).length,
  };
}

/** Steps of plans: each at most once, none after the end of its code, and none forgotten. */
async function auditPlans(sql: Sql): Promise<Check[]> {
  const { steps, twice, after_end, lost } = await sql.one<
    Record<'steps' | 'twice' | 'after_end' | 'lost', number>
  >(
    `select count(*) as steps, count(*) - count(distinct s.resend_of) as twice,
       count(*) filter (where s.code_hmac is not null and f.code_hmac is null) as after_end,
       (select count(*) from plans p where p.run_at < clock_now() - interval '15 seconds') as lost
     from verifications s join verifications f on f.account_id = s.account_id and f.id = s.resend_of
     where s.plan is not null`,
  );
  return [
    none('steps of plans that started twice', twice, steps),
    none('steps that started after the end of their code', after_end, steps),
    none('due steps that no worker has started', lost, steps),
  ];
}

/** Checks that every balance minus its debt equals the opening balance plus the sum of the account's ledger rows. */
export async function balanced(sql: Sql): Promise<Check> {
  const { unbalanced } = await sql.one<{ unbalanced: number }>(
    `select count(*) as unbalanced from balances b
     where b.credits - b.debt <> ${FIRST_CREDITS} +
       coalesce((select sum(l.credits) from ledger l where l.account_id = b.account_id), 0)`,
  );
  return none('accounts whose ledger does not balance', unbalanced);
}

/** Verifies 200 used codes again, each at all of these ports in parallel. Resolves with all responses. */
export async function verifyAgain(
  ports: readonly number[],
  { verified, acknowledged }: Recorder,
  messages: readonly Message[],
): Promise<(Answer | undefined)[]> {
  const codes = new Map(messages.map(({ id, code }) => [id, code]));
  const answers: (Answer | undefined)[] = [];
  for (const otp_id of [...verified].slice(-200)) {
    const key = acknowledged.get(otp_id)?.key ?? '';
    const body = { otp_id, code: codes.get(otp_id) };
    const asked = ports.map((port) => ask(port, '/api/v1/otp/verify/', key, body).catch(() => undefined));
    answers.push(...(await Promise.all(asked)));
  }
  return answers;
}

/** The responses that callers may get during a fault. */
export const DURING_A_FAULT =
  /^(201|429|503|verify (200|429 .*|503 .*|400 otp_already_verified|unacknowledged))$/;

/** Checks that `allowed` matches every response's status. */
export function onlyAllowed(what: string, { answers }: Recorder, allowed: RegExp): Check {
  const others = [...answers].filter(([status]) => !allowed.test(status));
  return check(what, 'none', countsOf(others), others.length === 0);
}

/** Milliseconds until no message is queued and no step of a plan waits, or `mostMs`. */
export const untilDrained = (sql: Sql, mostMs: number): Promise<number> =>
  until(
    mostMs,
    async () =>
      (await sql.maybe('select from plans where run_at < expires_at limit 1')) === undefined &&
      (await countQueued(sql)) === 0,
  );

export const countQueued = async (sql: Sql): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from deliveries')).n;

/** The number of restarts of the service's processes. */
export const restartsOf = ({ apis, workers }: Fleet): number =>
  [...apis, ...workers].reduce((sum, { starts }) => sum + starts - 1, 0);
