/**
 * Limits on the texts that the dashboard sends for its own users, at the operator's cost. A text is counted in the transaction
 * that queues it. Texts that strangers can request and texts to owners who sign in have separate counters, so that a stranger
 * cannot exhaust an owner's.
 */

import type { Queryable, Tx } from '../../platform/db/sql.ts';
import { Failure } from '../../platform/http/failure.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  OWN_SMS_BY_NETWORK,
  OWN_SMS_BY_NUMBER,
  OWN_SMS_DEPLOYMENT_SECONDS,
  OWN_SMS_NUMBERS_BY_ACCOUNT,
  OWN_SMS_SHARES,
} from '../limits.ts';
import { type Client, knownHome } from '../sessions/client.ts';
import type { Purpose } from './challenge-queries.ts';

export type OwnSmsApp = Needs<'db' | 'vault' | 'config' | 'log'> & { metrics: Pick<Metrics, 'ownSms'> };

interface OwnSms {
  purpose: Purpose;
  person_id: string | null;
  client: Client;
  /** the phone number that the caller entered, or the e-mail address of a reset */
  addressee: string;
  /** the phone number that receives the text; null if the person does not exist */
  recipient: string | null;
}

/** `new_network`: a caller with the right password or a session. `known_network`: the same, or a reset, from a known network. */
type Asker = 'anyone' | 'new_network' | 'known_network';
export type OwnSmsLimit = 'number' | 'account' | 'network' | 'deployment';

interface OwnSmsReservation {
  rank: number;
  name: OwnSmsLimit;
  key: string;
  most: number;
  seconds: number;
  item?: string;
  is_silent: boolean;
}

/**
 * Counts a text, or throws `too_many_requests`. Returns false if a limit is exhausted that must stay hidden from the caller.
 * The caller then sends no text, but responds as if it had.
 */
export async function reserveOwnSms(tx: Tx, app: OwnSmsApp, sms: OwnSms): Promise<boolean> {
  // A reset responds the same with and without a person who has the address, so a text without a recipient need not be counted.
  if (sms.purpose === 'reset_password' && sms.recipient === null) return false;
  const asker = await askerOf(tx, sms);
  const refused = await selectRefused(tx, reservationsOf(app, sms, asker));
  for (const { name } of refused) app.metrics.ownSms(name);
  const visible = refused.find(({ is_silent }) => !is_silent);
  if (refused.some(({ name }) => name === 'deployment')) void logReached(app, asker);
  if (visible) throw new Failure('too_many_requests', { retry_after: visible.wait_seconds });
  if (refused.length > 0) return false;
  app.metrics.ownSms('accepted');
  return true;
}

async function askerOf(tx: Tx, { purpose, person_id, client }: OwnSms): Promise<Asker> {
  if (person_id === null || purpose === 'sign_up' || purpose === 'phone') return 'anyone';
  if ((await knownHome(tx, person_id, client)) !== null) return 'known_network';
  return purpose === 'reset_password' ? 'anyone' : 'new_network';
}

function reservationsOf(app: OwnSmsApp, sms: OwnSms, asker: Asker): OwnSmsReservation[] {
  const { purpose, person_id, client, addressee, recipient } = sms;
  const hex = (...subject: string[]): string =>
    app.vault.fingerprint('own sms', JSON.stringify(subject)).toString('hex');
  // A reset needs no password, so its counters are separate from those of sign-ins.
  const isReset = purpose === 'reset_password';
  const group = isReset ? `reset ${asker}` : asker;
  const number = (text: string, is_silent: boolean): OwnSmsReservation => ({
    rank: 0,
    name: 'number',
    key: hex('number', group, text),
    ...OWN_SMS_BY_NUMBER,
    is_silent,
  });
  const reservations: OwnSmsReservation[] = [];
  if (!isReset) reservations.push(number(addressee, false));
  // Reserves a place under this limit even without a recipient, so that the response does not reveal whether there is one.
  if (recipient !== addressee) reservations.push(number(recipient ?? `nobody at ${addressee}`, true));
  if (purpose === 'phone' && person_id !== null)
    reservations.push({
      rank: 1,
      name: 'account',
      key: hex('account', person_id),
      ...OWN_SMS_NUMBERS_BY_ACCOUNT,
      item: hex('number of an account', addressee),
      is_silent: false,
    });
  if (asker !== 'known_network')
    reservations.push({
      rank: 2,
      name: 'network',
      key: hex('network', asker, client.home ?? 'unknown'),
      ...OWN_SMS_BY_NETWORK,
      is_silent: isReset,
    });
  reservations.push({
    rank: 3,
    name: 'deployment',
    key: hex('deployment'),
    most: shareOf(app, asker),
    seconds: OWN_SMS_DEPLOYMENT_SECONDS,
    is_silent: isReset,
  });
  return reservations;
}

const shareOf = ({ config }: Needs<'config'>, asker: Asker): number =>
  Math.ceil(config.ownSmsPerHour * OWN_SMS_SHARES[asker]);

const selectRefused = (sql: Queryable, reservations: readonly OwnSmsReservation[]) =>
  sql.rows<{ name: OwnSmsLimit; is_silent: boolean; wait_seconds: number }>(
    'select name, is_silent, wait_seconds from claim_own_sms($1)',
    [JSON.stringify(reservations)],
  );

/** Logs at most one line per hour, across all processes, for each share of the limit. */
async function logReached(app: OwnSmsApp, asker: Asker): Promise<void> {
  const key = app.vault.fingerprint('own sms', JSON.stringify(['logged', asker])).toString('hex');
  const once = { rank: 0, name: 'deployment', key, most: 1, seconds: OWN_SMS_DEPLOYMENT_SECONDS } as const;
  try {
    const [already] = await selectRefused(app.db, [{ ...once, is_silent: true }]);
    if (already) return;
    app.log.warn(
      { asked_by: asker, most: shareOf(app, asker), own_sms_per_hour: app.config.ownSmsPerHour },
      'OWN_SMS_PER_HOUR reached: the dashboard refuses SMS for these callers until the hour has passed',
    );
  } catch (error) {
    app.log.error({ err: error }, 'could not check whether the reached OWN_SMS_PER_HOUR was already logged');
  }
}
