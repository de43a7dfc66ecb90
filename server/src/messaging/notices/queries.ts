import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import { stillDead } from '../../platform/queue/work.ts';

interface NewNotice {
  id: string;
  account_id: string | null;
  person_id: string | null;
  channel: 'email' | 'sms';
  sealed: Buffer;
  expires_at: string | null;
}

export const insertNotice = (tx: Tx, notice: NewNotice): Promise<number> =>
  tx.run(
    `insert into notices (id, account_id, person_id, channel, sealed, created_at, run_at, expires_at)
     values ($1, $2, $3, $4, $5, clock_now(), clock_now(), coalesce($6, clock_now() + interval '24 hours'))`,
    [notice.id, notice.account_id, notice.person_id, notice.channel, notice.sealed, notice.expires_at],
  );

export const emailOf = async (sql: Queryable, person_id: string): Promise<string | null> =>
  (await sql.one<{ email: string | null }>('select email from people where id = $1', [person_id])).email;

/** The SQL for whether a member `m` gets notices about the operation of the account: as they chose, or by their role. */
export const WANTS_SERVICE_NOTICES = `coalesce(m.service_notices, m.role in ('owner', 'admin', 'developer'))`;

/** Which members of an account get a notice. */
const AUDIENCES = {
  owners: `m.role = 'owner'`,
  responsible: `m.role in ('owner', 'admin')`,
  service: WANTS_SERVICE_NOTICES,
  members: 'true',
} as const;
export type Audience = keyof typeof AUDIENCES;

export interface AudienceMember {
  person_id: string;
  email: string;
  /** the account's place in addresses, if a member has several accounts */
  slug: string | null;
}

/** The whole audience, or only one person of it. */
export const selectAudience = (
  sql: Queryable,
  account_id: string,
  audience: Audience,
  person_id: string | null = null,
): Promise<AudienceMember[]> =>
  sql.rows(
    `select m.person_id, people.email, a.slug
     from memberships m join people on people.id = m.person_id join accounts a on a.id = m.account_id
     where m.account_id = $1 and ${AUDIENCES[audience]} and people.email is not null
       and ($2::uuid is null or m.person_id = $2)
     order by m.joined_at, m.person_id`,
    [account_id, person_id],
  );

/** Counts notices waiting for dispatch. */
export const countNotices = async (sql: Queryable): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from notices')).n;

/** Counts notices that wait because this carrier may have them. */
export const countNoticesOfCarrier = async (sql: Queryable, carrier: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from notices where uncertain_at = $1', [carrier])).n;

interface LoggedNotice {
  id: string;
  account_id: string;
  told_id: string;
  kind: string;
}

const IS_RECENT = "posted_at > clock_now() - interval '24 hours'";

/** Returns how many of its kind were posted within 24 hours, with this one. Undefined if `most` were posted before it. */
export const logNotice = async (
  tx: Tx,
  { id, account_id, told_id, kind }: LoggedNotice,
  most: number,
): Promise<number | undefined> =>
  (
    await tx.maybe<{ n: number }>(
      `with recent as (
         select count(*) as n from notice_log where account_id = $2 and told_id = $3 and kind = $4 and ${IS_RECENT})
       insert into notice_log (id, account_id, told_id, kind, posted_at)
       select $1, $2, $3, $4, clock_now() from recent where n < $5 returning (select n + 1 from recent) as n`,
      [id, account_id, told_id, kind, most],
    )
  )?.n;

export const oldNoticeLog = { table: 'notice_log', where: `not (${IS_RECENT})` };

export const deleteNoticesOf = async (tx: Tx, account_id: string): Promise<void> => {
  await tx.run('delete from notices where account_id = $1', [account_id]);
  await tx.run('delete from notice_log where account_id = $1', [account_id]);
};

export const deleteNoticesOfMember = (tx: Tx, account_id: string, person_id: string): Promise<number> =>
  tx.run('delete from notices where account_id = $1 and person_id = $2', [account_id, person_id]);

export const deleteNoticesOfPerson = (tx: Tx, person_id: string): Promise<number> =>
  tx.run('delete from notices where person_id = $1', [person_id]);

/**
 * Notices with a code or a reset link are urgent: they expire within an hour. So that notices to hundreds of members never delay
 * them, they have their own places in flight and their own index.
 */
export type Lane = 'urgent' | 'ordinary';
const LIFETIME = 'expires_at - created_at';
const LANES: Record<Lane, string> = {
  urgent: `${LIFETIME} <= interval '1 hour'`,
  ordinary: `${LIFETIME} > interval '1 hour'`,
};

export interface ClaimedNotice {
  id: string;
  channel: 'email' | 'sms';
  lane: Lane;
  sealed: Buffer;
  expires_at: string;
  is_expired: boolean;
  remaining_seconds: number;
  claim: string;
  tries: number;
  uncertain_at: string | null;
}

const dueIn = (lane: Lane, most: string): string =>
  `array(
     select id from notices where worker_id is null and ${LANES[lane]} and run_at <= clock_now()
     order by run_at limit ${most} for update skip locked)`;

export const CLAIM = `update notices set worker_id = $1, claim = $2, tries = tries + 1
   where id = any (${dueIn('urgent', '$3')} || ${dueIn('ordinary', '$4')})
   returning id, channel, case when ${LANES.urgent} then 'urgent' else 'ordinary' end as lane, sealed, expires_at,
     expires_at <= clock_now() as is_expired, extract(epoch from expires_at - clock_now()) as remaining_seconds, claim, tries,
     uncertain_at`;

/** `most`: of each lane. Claims the oldest due notices of each. */
export const claimNotices = (
  sql: Sql,
  { worker, claim, most }: { worker: string; claim: string; most: Readonly<Record<Lane, number>> },
): Promise<ClaimedNotice[]> => sql.rows<ClaimedNotice>(CLAIM, [worker, claim, most.urgent, most.ordinary]);

/** Deletes the notice with its sealed contents, unless another worker has claimed it since. */
export const deleteNotice = (sql: Sql, { id, claim }: ClaimedNotice): Promise<number> =>
  sql.run('delete from notices where id = $1 and claim = $2', [id, claim]);

export interface PutBack {
  seconds: number;
  /** the only carrier that may have accepted it */
  uncertain_at: string | null;
  /** whether any carrier was tried; defaults to true */
  is_round?: boolean;
}

export const putNoticeBack = (
  sql: Sql,
  { id, claim }: ClaimedNotice,
  { seconds, uncertain_at, is_round = true }: PutBack,
): Promise<number> =>
  sql.run(
    `update notices set worker_id = null, claim = null, run_at = clock_now() + make_interval(secs => $3), uncertain_at = $4,
       tries = tries - case when $5 then 0 else 1 end
     where id = $1 and claim = $2`,
    [id, claim, seconds, uncertain_at, is_round],
  );

export const freeNotices = (sql: Sql, dead: readonly string[]): Promise<number> =>
  sql.run(`update notices set worker_id = null, claim = null where worker_id = any (${stillDead('$1')})`, [
    dead,
  ]);

/** Releases orphaned claims: those that a live worker holds in the database but no longer processes. */
export const releaseOrphanedClaims = (sql: Sql, worker: string, held: readonly string[]): Promise<number> =>
  sql.run('update notices set worker_id = null, claim = null where worker_id = $1 and claim <> all ($2)', [
    worker,
    [...new Set(held)],
  ]);

/** Which of these workers hold claims on notices. */
export const noticeClaimHolders = async (tx: Tx, workers: readonly string[]): Promise<string[]> =>
  (
    await tx.rows<{ id: string }>('select distinct worker_id as id from notices where worker_id = any ($1)', [
      workers,
    ])
  ).map(({ id }) => id);
