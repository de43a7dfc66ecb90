/**
 * Rate limits across all processes. An attempt is reserved before it is made, so that parallel attempts cannot exceed the
 * limit. A successful attempt releases its reservation.
 */

import {
  INVITATION_MAILS_A_DAY,
  INVITATION_MAILS_TO_ADDRESS,
  INVITATION_MAILS_TO_ADDRESS_OF_ALL,
} from '@sixdigit/contract/accounts/invitations.ts';
import type { FailureReason } from '@sixdigit/contract/errors.ts';
import type { Sql } from '../platform/db/sql.ts';
import { Failure } from '../platform/http/failure.ts';
import type { Needs } from '../platform/platform.ts';

export interface Throttle {
  limit: Limit;
  /** the accounts, addresses or networks that together have one count */
  subjects: readonly string[];
}

export const throttle = (limit: Limit, ...subjects: string[]): Throttle => ({ limit, subjects });

export interface Reservation {
  /** Call it after a success, because successes do not count. */
  release(): Promise<void>;
}

/** Reserves one attempt of each throttle. If one is exhausted, reserves none and throws the refusal of its limit. */
export async function reserve(
  app: Needs<'db' | 'vault'>,
  throttles: readonly Throttle[],
): Promise<Reservation> {
  const reserved: Buffer[] = [];
  const release = async () => {
    for (const key of reserved) await giveBack(app.db, key);
  };
  for (const one of throttles) {
    const key = keyOf(app, one);
    if (!(await reserveOne(app.db, key, one.limit))) {
      await release();
      throw new Failure(one.limit.refusal ?? 'too_many_requests', {
        retry_after: await secondsUntilFree(app.db, key),
      });
    }
    reserved.push(key);
  }
  return { release };
}

/** Like `reserve`, but returns whether an attempt was left instead of throwing. */
export const count = (app: Needs<'db' | 'vault'>, one: Throttle): Promise<boolean> =>
  reserveOne(app.db, keyOf(app, one), one.limit);

export const uncount = (app: Needs<'db' | 'vault'>, one: Throttle): Promise<number> =>
  giveBack(app.db, keyOf(app, one));

/**
 * Records one event, or returns undefined if the pace does not allow one yet. The column `until` is the time at which the whole
 * burst is available again.
 */
export async function keepPace(
  app: Needs<'db' | 'vault'>,
  pace: Pace,
  ...subjects: string[]
): Promise<Reservation | undefined> {
  const key = keyOf(app, { limit: pace, subjects });
  const reserved = await app.db.run(
    `insert into throttles as t (key, used, until) values ($1, 1, clock_now() + make_interval(secs => $2))
     on conflict (key) do update set until = greatest(t.until, clock_now()) + make_interval(secs => $2)
     where t.until <= clock_now() + make_interval(secs => $2 * ($3 - 1))`,
    [key, pace.everySeconds, pace.burst],
  );
  if (reserved === 0) return undefined;
  return {
    release: async () => {
      await app.db.run('update throttles set until = until - make_interval(secs => $2) where key = $1', [
        key,
        pace.everySeconds,
      ]);
    },
  };
}

const keyOf = (
  app: Needs<'vault'>,
  { limit, subjects }: { limit: Pick<Limit, 'name'>; subjects: readonly string[] },
): Buffer => app.vault.fingerprint('throttle', JSON.stringify([limit.name, ...subjects]));

const reserveOne = async (sql: Sql, key: Buffer, { most, seconds }: Limit): Promise<boolean> =>
  (await sql.run(
    `insert into throttles as t (key, used, until) values ($1, 1, clock_now() + make_interval(secs => $3))
     on conflict (key) do update set
       used = case when t.until <= clock_now() then 1 else t.used + 1 end,
       until = case when t.until <= clock_now() then excluded.until else t.until end
     where t.until <= clock_now() or t.used < $2`,
    [key, most, seconds],
  )) === 1;

const giveBack = (sql: Sql, key: Buffer): Promise<number> =>
  sql.run('update throttles set used = used - 1 where key = $1 and used > 0', [key]);

const secondsUntilFree = async (sql: Sql, key: Buffer): Promise<number> => {
  const row = await sql.maybe<{ seconds: number }>(
    'select ceil(extract(epoch from until - clock_now())) as seconds from throttles where key = $1',
    [key],
  );
  return Math.max(1, row?.seconds ?? 1);
};

/**
 * Rate limits of the unauthenticated calls. An address is one IPv4 address or one IPv6 /64; a network is a /24 or a /56; the known
 * networks of an account are those from which it signed in. Known networks have separate limits, which strangers cannot exhaust.
 */
export interface Limit {
  name: string;
  /** events within the window; the first event starts the window */
  most: number;
  seconds: number;
  /** defaults to `too_many_requests` */
  refusal?: FailureReason;
}

/** Allows a burst, then one event per interval. */
export interface Pace {
  name: string;
  burst: number;
  everySeconds: number;
}

const QUARTER = 15 * 60;
const HOUR = 60 * 60;
const DAY = 24 * HOUR;

const limit = (name: string, most: number, seconds: number): Limit => ({ name, most, seconds });

/** Failed sign-ins. No limit counts by account alone, so that a flood from other networks cannot lock the owner out. */
export const SIGN_IN_BY_ADDRESS = limit('sign-in', 100, QUARTER);
export const SIGN_IN_BY_ACCOUNT_AND_ADDRESS = limit('sign-in account', 10, QUARTER);
export const SIGN_IN_BY_ACCOUNT_AND_NETWORK = limit('sign-in account network', 30, QUARTER);
/**
 * After this many failures from unknown networks, sign-ins from them also require a code. Each known network has a separate
 * count.
 */
export const SIGN_IN_BY_ACCOUNT = limit('sign-in failures', 100, HOUR);
/**
 * How many sign-ins and password resets from a known network get priority in the hash queue. Further ones wait with all others.
 */
export const FIRST_IN_QUEUE = limit('first in queue', 30, QUARTER);

/** By IPv4 /24 and IPv6 /56. Completed sign-ups count too, except in a sandbox that is not public. */
export const SIGN_UPS_BY_NETWORK = limit('sign-up', 60, HOUR);
/** Messages that sign-ups can send to one recipient. */
export const ANONYMOUS_BY_RECIPIENT_AND_ADDRESS = limit('anonymous recipient address', 10, HOUR);
export const ANONYMOUS_BY_RECIPIENT = limit('anonymous recipient', 30, HOUR);

/**
 * Password reset mails. The pace refuses a mail only if the last one is younger than the interval, and links stay valid for
 * longer than the interval. So the owner always has a valid link.
 */
export const FORGOT_BY_ADDRESS = limit('forgot', 60, HOUR);
export const RESET_LINK_SECONDS = 30 * 60;
export const RESET_MAILS: Pace = { name: 'reset mails', burst: 3, everySeconds: 20 * 60 };
export const RESET_MAILS_OF_NETWORK: Pace = { name: 'reset mails network', burst: 5, everySeconds: 10 * 60 };
/** Reset mails that also carry a code: each code allows five guesses. */
export const RESET_CODES = limit('reset codes', 5, DAY);
export const RESET_CODES_OF_NETWORK = limit('reset codes network', 20, DAY);

/** Codes for sign-in and for proving a phone number, sent after the right password. */
export const CODES_BY_ACCOUNT = limit('codes', 30, HOUR);
export const CODES_BY_ACCOUNT_AND_NETWORK = limit('codes network', 30, HOUR);

/**
 * SMS that the dashboard sends. Counted separately for requests that anyone can make, for sign-ins from new networks, and for
 * sign-ins from known networks.
 */
export const OWN_SMS_BY_NUMBER = { most: 5, seconds: DAY } as const;
export const OWN_SMS_NUMBERS_BY_ACCOUNT = { most: 3, seconds: DAY } as const;
/** By IPv4 /24 and IPv6 /56. Sign-ins from a known network are not counted. */
export const OWN_SMS_BY_NETWORK = { most: 30, seconds: HOUR } as const;
export const OWN_SMS_DEPLOYMENT_SECONDS = HOUR;
/** The share of OWN_SMS_PER_HOUR above which a text is refused. The rest is reserved for owners who sign in. */
export const OWN_SMS_SHARES = { anyone: 0.5, new_network: 0.75, known_network: 1 } as const;

/** Requests of operators to change the e-mail address of an account. Each sends a code to the new address. */
export const EMAIL_CHANGES_BY_ACCOUNT = limit('email changes account', 5, DAY);
export const EMAIL_CHANGES_BY_ADDRESS = limit('email changes address', 5, DAY);
export const EMAIL_CHANGES_BY_OPERATOR = limit('email changes operator', 30, HOUR);

/** Test messages of operators through single carriers. Each costs the deployment money. */
const CARRIER_TESTS_BY_OPERATOR = limit('carrier tests operator', 20, HOUR);

/** Throws `too_many_requests`. */
export const reserveCarrierTest = (app: Needs<'db' | 'vault'>, operator_id: string): Promise<Reservation> =>
  reserve(app, [throttle(CARRIER_TESTS_BY_OPERATOR, operator_id)]);

/**
 * Wrong proofs of identity in a session: passwords in any call, codes and passkeys. Counted by session, so that only the
 * session's holder can exhaust the limit, and a new sign-in has a limit of its own.
 */
export const PROOFS_BY_SESSION = limit('step-up', 10, QUARTER);
export const STEP_UP_CODES_BY_SESSION = limit('step-up codes', 10, HOUR);

/** Accounts that a person creates after their first. */
export const ACCOUNTS_BY_PERSON = limit('accounts', 10, DAY);

/**
 * Mails with invitations. Revoking an invitation gives nothing back. The limit by address holds for all accounts together, so that
 * many accounts cannot flood one mailbox. Each account and each person can use a tenth of the limit, so blocking invitations to an
 * address takes ten accounts of ten people.
 */
export const INVITATIONS_BY_ACCOUNT = limit('invitations account', INVITATION_MAILS_A_DAY, DAY);
export const INVITATIONS_BY_PERSON = limit('invitations person', 100, DAY);
const toAddress = (name: string, most: number): Limit => ({
  ...limit(name, most, DAY),
  refusal: 'invited_too_often',
});
export const INVITATIONS_BY_ACCOUNT_AND_ADDRESS = toAddress(
  'invitations account address',
  INVITATION_MAILS_TO_ADDRESS,
);
export const INVITATIONS_BY_PERSON_AND_ADDRESS = toAddress(
  'invitations person address',
  INVITATION_MAILS_TO_ADDRESS,
);
export const INVITATIONS_BY_ADDRESS = toAddress('invitations address', INVITATION_MAILS_TO_ADDRESS_OF_ALL);

/** Wrong codes. */
export const CODE_ENTRY_BY_ADDRESS = limit('code entry', 300, QUARTER);

/**
 * Ten wrong codes within an hour after a right password lock code entry for fifteen minutes: for the known network they came
 * from, or for all unknown networks together.
 */
export const CODE_ENTRY_FAILURES = 10;
export const CODE_ENTRY_WINDOW_SECONDS = HOUR;
export const CODE_ENTRY_LOCK_SECONDS = QUARTER;

/** Passkey challenges for sign-ins without a password, and refused passkeys. */
export const PASSKEY_OPTIONS_BY_ADDRESS = limit('passkey options', 300, QUARTER);
export const PASSKEY_BY_ADDRESS = limit('passkey', 100, QUARTER);

/** Wrong codes of an authenticator app, counted by account and known network. All unknown networks share one count. */
export const AUTHENTICATOR_BY_ACCOUNT = limit('authenticator', 30, DAY);

/**
 * Single sign-on: each start makes a row, and each callback up to three calls to the provider. A completed sign-in releases both,
 * because a company's users share an address.
 */
export const SSO_STARTS_BY_ADDRESS = limit('sso start', 300, QUARTER);
export const SSO_CALLBACKS_BY_ADDRESS = limit('sso callback', 100, QUARTER);
/** New members with SSO. Each is a person, so an account's own provider could make any number. */
export const SSO_JOINS_BY_ACCOUNT = limit('sso joins', 600, DAY);
/** Step-ups that have begun, by session. */
export const SSO_STEP_UPS_BY_SESSION = limit('sso step-up', 20, QUARTER);
/** Test sign-ins that have begun. Each makes up to five calls to a provider of the owner's choice. */
export const SSO_TESTS_BY_ACCOUNT = limit('sso test', 60, HOUR);

export const SESSION_TOKEN_SECONDS = 10 * 60;
export const CODE_SECONDS = 5 * 60;
export const CODE_TRIES = 5;
export const RESENDS = 5;

export const ACCESS_TOKEN_SECONDS = 10 * 60;
/** A session ends this long after its sign-in, however often it is refreshed. */
export const SESSION_DAYS = 90;
export const REFRESH_TOKEN_SECONDS = 30 * DAY;
/** A token replaced less than this ago still yields the same child, for parallel tabs and lost responses. */
export const PARENT_FORGIVEN_SECONDS = 10;
