import type { Channel } from '@sixdigit/contract/channels.ts';
import type { Language } from '@sixdigit/contract/languages.ts';
import type { Dlt } from '@sixdigit/contract/templates.ts';
import type { OtpStatus } from '@sixdigit/contract/verifications.ts';
import type { Queryable, Sql } from '../../platform/db/sql.ts';
import { stillDead } from '../../platform/queue/work.ts';
import { type Change, changesTogether } from '../change.ts';

/** A claimed message. The claim's token fences every later change of the row. */
export interface Claimed {
  id: string;
  account_id: string;
  channel: Channel;
  sealed: Buffer;
  /** The plain code, if this process has just drawn it. */
  digits?: string | undefined;
  expires_at: string;
  claim: string;
  /** The first carrier to try; null if every available carrier has permanently refused the message. */
  carrier: string | null;
  /** The carriers that permanently refused this message. */
  refused_by: string[];
  uncertain: number;
  /** Rounds over the carriers so far, including this one. */
  tries: number;
  recipient: string | null;
  /** ISO 3166-1 alpha-2; null for e-mail; undefined if it must be derived from the number */
  country?: string | null;
  status: string | null;
  cost_credits: number;
  message: string | null;
  subject: string | null;
  /** Of our text; null for the sender's own. */
  language: string | null;
  /** As requested. */
  locale: string | null;
  sender_name: string;
  reply_to_email: string;
  default_message: string;
  default_subject: string;
  default_language: Language;
  /** The text's ids in India's register. */
  dlt: Dlt | null;
  seconds: number;
  now_ms: number;
}

type Texts = Pick<Claimed, 'message' | 'subject' | 'language' | 'locale' | 'sender_name' | 'reply_to_email'> &
  Pick<Claimed, 'default_message' | 'default_subject' | 'default_language' | 'dlt'>;
type ClaimedRow = Omit<Claimed, keyof Texts> & { texts: Texts };

/** A worker's capacity for one channel, and the carriers that may be tried, in order. */
export interface Wanted {
  /** `test` covers the messages of test verifications on every channel. */
  channel: Channel | 'test';
  most: number;
  carriers: string[];
}

type Claim = Pick<Claimed, 'id' | 'claim'>;

/** How long to wait for a delivery report that settles an uncertain outcome. */
const UNCERTAIN_SECONDS = 10;

export const claimDeliveries = async (
  sql: Queryable,
  { worker_id, claim, wanted }: { worker_id: string; claim: string; wanted: readonly Wanted[] },
): Promise<Claimed[]> =>
  (
    await sql.rows<ClaimedRow>('select * from claim_messages($1, $2, $3::jsonb)', [
      worker_id,
      claim,
      JSON.stringify(wanted),
    ])
  ).map(({ texts, ...row }) => ({ ...row, ...texts }));

export const finishDeliveries = (
  db: Sql,
  claims: readonly Claim[],
  changes: readonly Change[],
): Promise<number> =>
  db.run('select finish_deliveries($1, $2)', [
    JSON.stringify(claims.map(({ id, claim }) => ({ id, claim }))),
    JSON.stringify(changesTogether(changes)),
  ]);

/**
 * Stores the next carrier to try and the permanent refusals. Returns false if the claim is no longer valid or the verification
 * was closed.
 */
export const nameCarrier = async (
  db: Sql,
  { account_id, id, claim, refused_by }: Claimed,
  carrier: string,
): Promise<boolean> =>
  (await db.run(
    `update deliveries set carrier = $3, refused_by = $4 where id = $1 and claim = $2
       and exists (select from verifications where account_id = $5 and id = $1 and status = 'pending')`,
    [id, claim, carrier, refused_by, account_id],
  )) === 1;

/** Counts queued messages that are in flight at this carrier, or that it may have. */
export const countDeliveriesOfCarrier = async (sql: Queryable, carrier: string): Promise<number> =>
  (await sql.one<{ n: number }>('select count(*) as n from deliveries where carrier = $1', [carrier])).n;

/** The verification's current status; undefined if the claim is no longer valid. */
export const statusNow = async (
  db: Sql,
  { account_id, id, claim }: Claimed,
): Promise<OtpStatus | undefined> =>
  (
    await db.maybe<{ status: OtpStatus }>(
      `select v.status from deliveries d join verifications v on v.id = d.id
       where d.id = $1 and d.claim = $2 and v.account_id = $3 and v.id = $1`,
      [id, claim, account_id],
    )
  )?.status;

const FREED = 'worker_id = null, claim = null';

/** Requeues the message for another round over the carriers that have not permanently refused it. */
export const scheduleRetry = (
  db: Sql,
  { id, claim, refused_by }: Claimed,
  { seconds, failure }: { seconds: number; failure: string | undefined },
): Promise<number> =>
  db.run(
    `update deliveries set ${FREED}, carrier = null, refused_by = $3, last_failure = coalesce($4, last_failure),
       run_at = clock_now() + make_interval(secs => $5)
     where id = $1 and claim = $2`,
    [id, claim, refused_by, failure ?? null, seconds],
  );

/** Undoes the claim because no carrier was available. The message keeps its place in the queue. */
export const unclaim = (db: Sql, { id, claim }: Claimed): Promise<number> =>
  db.run(`update deliveries set ${FREED}, carrier = null, tries = tries - 1 where id = $1 and claim = $2`, [
    id,
    claim,
  ]);

/** Undoes the claim of a message that only another process can read. It keeps the carrier that may have the message. */
export const passOn = (db: Sql, { id, claim }: Claimed): Promise<number> =>
  db.run(
    `update deliveries set ${FREED}, tries = tries - 1, carrier = case when uncertain > 0 then carrier end,
       run_at = clock_now() + interval '1 second' where id = $1 and claim = $2`,
    [id, claim],
  );

/**
 * Schedules one retry at the same carrier in case no report arrives. After the second uncertain outcome, the message leaves the
 * queue, and only a report or the expiry ends the verification.
 */
export const awaitReport = (
  db: Sql,
  { id, claim, uncertain: before }: Claimed,
  failure: string,
): Promise<number> =>
  before > 0
    ? db.run('delete from deliveries where id = $1 and claim = $2', [id, claim])
    : db.run(
        `update deliveries set ${FREED}, last_failure = $3, uncertain = uncertain + 1,
           run_at = clock_now() + make_interval(secs => $4)
         where id = $1 and claim = $2`,
        [id, claim, failure, UNCERTAIN_SECONDS],
      );

/**
 * The carrier named in an orphaned claim may have the message, so the row waits for a report as after any uncertain outcome.
 */
const FREE_LOST = `update deliveries set ${FREED},
  run_at = clock_now() + case when carrier is null then interval '0' else make_interval(secs => $2) end,
  uncertain = uncertain + case when carrier is null then 0 else 1 end`;

export const freeClaimsOf = (db: Sql, workers: readonly string[]): Promise<number> =>
  db.run(`${FREE_LOST} where worker_id = any (${stillDead('$1')})`, [workers, UNCERTAIN_SECONDS]);

/** Releases one message of a claim; the worker may still be working on the others. */
export const freeClaim = (db: Sql, { id, claim }: Claim): Promise<number> =>
  db.run(`${FREE_LOST} where claim = $1 and id = $3`, [claim, UNCERTAIN_SECONDS, id]);

/** Releases a live worker's orphaned claims: those that the worker no longer holds in memory. */
export const freeUnknownClaims = (db: Sql, worker_id: string, known: readonly string[]): Promise<number> =>
  db.run(
    `update deliveries set ${FREED}, tries = tries - 1, carrier = case when uncertain > 0 then carrier end
     where worker_id = $1 and claim <> all ($2)`,
    [worker_id, [...new Set(known)]],
  );
