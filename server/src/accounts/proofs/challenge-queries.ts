import { RESEND_COOLDOWN_SECONDS } from '@sixdigit/contract/accounts/sign-in.ts';
import type { Queryable, Sql, Tx } from '../../platform/db/sql.ts';
import {
  CODE_ENTRY_FAILURES,
  CODE_ENTRY_LOCK_SECONDS,
  CODE_ENTRY_WINDOW_SECONDS,
  CODE_SECONDS,
  CODE_TRIES,
  RESENDS,
  SESSION_TOKEN_SECONDS,
} from '../limits.ts';

export type Purpose = 'sign_in' | 'sign_up' | 'reset_password' | 'phone' | 'step_up' | 'email_change';

export interface Challenge {
  id: string;
  purpose: Purpose;
  person_id: string | null;
  sealed: Buffer;
}

interface NewChallenge extends Challenge {
  token_hash: Buffer;
  code_hmac: Buffer;
}

const seconds = (count: number): string => `interval '${count} seconds'`;
/** A code expires five minutes after its last sending, and never later than its challenge. */
const CODE_UNTIL = `clock_now() + ${seconds(CODE_SECONDS)}`;
const LIVES = `expires_at > clock_now() and tries < ${CODE_TRIES}`;

export const insertChallenge = (tx: Tx, challenge: NewChallenge) =>
  tx.one<{ code_expires_at: string }>(
    `insert into challenges (id, token_hash, purpose, person_id, code_hmac, sealed, code_expires_at, last_sent_at,
       created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, ${CODE_UNTIL}, clock_now(), clock_now(), clock_now() + ${seconds(SESSION_TOKEN_SECONDS)})
     returning code_expires_at`,
    [
      challenge.id,
      challenge.token_hash,
      challenge.purpose,
      challenge.person_id,
      challenge.code_hmac,
      challenge.sealed,
    ],
  );

export const findChallenge = (sql: Sql, token_hash: Buffer, purposes: readonly Purpose[]) =>
  sql.maybe<Challenge>(
    `select id, purpose, person_id, sealed from challenges
     where token_hash = $1 and purpose = any ($2) and ${LIVES}`,
    [token_hash, purposes],
  );

/** Reserves one of five attempts before the comparison, so that parallel requests cannot exceed the limit. */
export const reserveTry = (tx: Tx, id: string) =>
  tx.maybe<{ code_hmac: Buffer; tries: number; is_code_alive: boolean }>(
    `update challenges set tries = tries + 1 where id = $1 and ${LIVES}
     returning code_hmac, tries, code_expires_at > clock_now() as is_code_alive`,
    [id],
  );

/** True for the one caller that consumes the challenge. */
export const consumeChallenge = async (tx: Tx, id: string): Promise<boolean> =>
  (await tx.run('delete from challenges where id = $1', [id])) === 1;

/** The cooldown starts with a resend, not with the first sending (specification, 4). */
export const reserveResend = (tx: Tx, id: string) =>
  tx.maybe<{ code_expires_at: string }>(
    `update challenges set resends = resends + 1, last_sent_at = clock_now(),
       code_expires_at = least(${CODE_UNTIL}, expires_at)
     where id = $1 and ${LIVES} and resends < ${RESENDS}
       and (resends = 0 or last_sent_at <= clock_now() - ${seconds(RESEND_COOLDOWN_SECONDS)})
     returning code_expires_at`,
    [id],
  );

export const resendState = (sql: Sql, id: string) =>
  sql.maybe<{ resends: number; retry_after: number }>(
    `select resends, ceil(extract(epoch from last_sent_at - clock_now())) + ${RESEND_COOLDOWN_SECONDS} as retry_after
     from challenges where id = $1 and ${LIVES}`,
    [id],
  );

/** Deletes the person's pending challenges, for instance because the password that started them has changed. */
export const deleteChallengesOf = (
  tx: Tx,
  person_id: string,
  purpose: Purpose | null = null,
): Promise<number> =>
  tx.run('delete from challenges where person_id = $1 and ($2::text is null or purpose = $2)', [
    person_id,
    purpose,
  ]);

// ── wrong codes of a person ──

/** Serializes code entry of the person until the transaction ends. Take this lock before any challenge of the person. */
export const lockCodeEntry = (tx: Tx, person_id: string): Promise<number> =>
  tx.run(
    `insert into code_entries (person_id) values ($1)
     on conflict on constraint code_entries_pkey do update set person_id = excluded.person_id`,
    [person_id],
  );

/** Wrong codes are counted for each known network, and for all unknown networks together. */
const COUNTED_AT = {
  home: {
    table: 'account_networks',
    failures: 'wrong_codes',
    until: 'codes_locked_until',
    where: 'network = $2::inet',
  },
  elsewhere: {
    table: 'code_entries',
    failures: 'failures',
    until: 'locked_until',
    where: '$2::inet is null',
  },
} as const;
const countedAt = (home: string | null) => COUNTED_AT[home === null ? 'elsewhere' : 'home'];

/** Seconds until code entry is unlocked for this network; 0 if it is not locked. */
export const codeEntryLock = async (
  sql: Queryable,
  person_id: string,
  home: string | null,
): Promise<number> => {
  const { table, until, where } = countedAt(home);
  const row = await sql.maybe<{ locked_seconds: number | null }>(
    `select ceil(extract(epoch from ${until} - clock_now())) as locked_seconds from ${table}
     where person_id = $1 and ${where}`,
    [person_id, home],
  );
  return Math.max(0, row?.locked_seconds ?? 0);
};

export const recordWrongCode = (tx: Tx, person_id: string, home: string | null): Promise<number> => {
  const { table, failures, until, where } = countedAt(home);
  const recent = `array(select failure from unnest(${failures}) failure
    where failure > clock_now() - ${seconds(CODE_ENTRY_WINDOW_SECONDS)})`;
  return tx.run(
    `update ${table} set ${failures} = ${recent} || clock_now(),
       ${until} = case when cardinality(${recent}) + 1 >= ${CODE_ENTRY_FAILURES}
         then clock_now() + ${seconds(CODE_ENTRY_LOCK_SECONDS)} else ${until} end
     where person_id = $1 and ${where}`,
    [person_id, home],
  );
};

/** Call it after a right code and when deleting the person. */
export const forgetWrongCodes = (tx: Tx, person_id: string, home: string | null = null): Promise<number> =>
  home === null
    ? tx.run('delete from code_entries where person_id = $1', [person_id])
    : tx.run(
        `update account_networks set wrong_codes = '{}', codes_locked_until = null
         where person_id = $1 and network = $2::inet`,
        [person_id, home],
      );
