/**
 * An operator changes the e-mail address of a person who has lost the old one. A code goes to the new address; the
 * owner reads it out, and the operator enters it. The old address gets a mail about the request and about the change.
 */

import type { FailedSignIns } from '../../audit/audit.ts';
import type { Carriers } from '../../messaging/carriers/carriers.ts';
import { notifyPerson, postNotice } from '../../messaging/notices/notices.ts';
import type { Tx } from '../../platform/db/sql.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';
import {
  EMAIL_CHANGES_BY_ACCOUNT,
  EMAIL_CHANGES_BY_ADDRESS,
  EMAIL_CHANGES_BY_OPERATOR,
  reserve,
  throttle,
} from '../limits.ts';
import { masked } from '../masked.ts';
import { deleteChallengesOf, lockCodeEntry } from '../proofs/challenge-queries.ts';
import { startChallenge } from '../proofs/challenges.ts';
import { enterCode } from '../proofs/code-entry.ts';
import type { OwnSmsApp } from '../proofs/own-sms.ts';
import { deleteResetLinksOf } from '../proofs/reset-links.ts';
import { findPerson, findPersonByEmail, lockEmail } from '../queries.ts';
import type { Client } from '../sessions/client.ts';
import { accountIdsOf } from '../sessions/memberships.ts';
import { endSessionsOf } from '../sessions/sessions.ts';
import { rememberAddress } from '../sso/sso.ts';

export type EmailChangeApp = OwnSmsApp &
  Needs<'random' | 'wakeups'> & { failedSignIns: FailedSignIns; carriers: Pick<Carriers, 'has'> };

export interface EmailChange {
  person_id: string;
  from: string;
  to: string;
  reason: string;
}

interface Requested {
  person_id: string;
  /** the new address */
  email: string;
  reason: string;
  requested_by: string;
  client: Client;
}

/**
 * Ends an earlier request for the person. `recorded` runs in the transaction of the request. Throws `not_found`,
 * `too_many_requests`, and a field error for an address that a person has.
 */
export async function requestEmailChange(
  app: EmailChangeApp,
  { person_id, email, reason, requested_by, client }: Requested,
  recorded: (tx: Tx, change: EmailChange) => Promise<void>,
): Promise<{ session_token: string; sent_to: string }> {
  if (!app.carriers.has('email')) throw new FieldErrors({ email: ['No carrier for email is set up.'] });
  const person = await findPerson(app.db, person_id);
  if (!person) throw new Failure('not_found');
  const from = person.email;
  if (email === from) throw new FieldErrors({ email: ['The account already has this address.'] });
  if (await findPersonByEmail(app.db, email)) throw taken();
  const reservation = await reserve(app, [
    throttle(EMAIL_CHANGES_BY_OPERATOR, requested_by),
    throttle(EMAIL_CHANGES_BY_ACCOUNT, person_id),
    throttle(EMAIL_CHANGES_BY_ADDRESS, email),
  ]);
  const change = { person_id, from, to: email, reason };
  const sent_to = masked({ channel: 'email', recipient: email });
  try {
    const session_token = await app.db.transaction(async (tx) => {
      await lockCodeEntry(tx, person_id);
      if (!(await lockEmail(tx, person_id))) throw new Failure('not_found');
      await deleteChallengesOf(tx, person_id, 'email_change');
      const token = await startChallenge(tx, app, {
        purpose: 'email_change',
        person_id,
        client,
        waiting: {
          addressee: email,
          channel: 'email',
          recipient: email,
          letter: 'emailChangeCode',
          email_change: { from, reason, requested_by },
        },
      });
      await notifyPerson(tx, app, person_id, { kind: 'emailChangeRequested', newAddress: sent_to });
      await recorded(tx, change);
      return token;
    });
    app.wakeups.notify('notices');
    return { session_token, sent_to };
  } catch (error) {
    await reservation.release();
    throw error;
  }
}

interface Confirmed {
  person_id: string;
  session_token: string;
  code: string;
  confirmed_by: string;
  client: Client;
}

/**
 * Changes the address, and invalidates all sessions, codes and links of the person. `recorded` runs in the same transaction.
 * Throws the errors of `enterCode`, `changed_meanwhile` if the address has changed since the request, and a field error if
 * another person now has the new address.
 */
export async function confirmEmailChange(
  app: EmailChangeApp,
  { person_id, confirmed_by, ...entry }: Confirmed,
  recorded: (tx: Tx, change: EmailChange) => Promise<void>,
): Promise<void> {
  await enterCode(app, ['email_change'], entry, async (tx, { challenge, addressee: to, email_change }) => {
    if (challenge.person_id !== person_id || email_change?.requested_by !== confirmed_by)
      throw new Failure('invalid_session_token');
    const { from, reason } = email_change;
    const updated = await updateEmail(tx, { person_id, from, to });
    if (updated === 0) throw (await findPersonByEmail(tx, to)) ? taken() : new Failure('changed_meanwhile');
    const accounts = await accountIdsOf(tx, person_id);
    await rememberAddress(tx, app, { person_id, email: from, accounts });
    await endSessionsOf(tx, person_id, null);
    await deleteChallengesOf(tx, person_id);
    await deleteResetLinksOf(tx, person_id);
    await recorded(tx, { person_id, from, to, reason });
    const newAddress = masked({ channel: 'email', recipient: to });
    for (const recipient of [from, to])
      await postNotice(tx, app, {
        person_id,
        channel: 'email',
        recipient,
        contents: { kind: 'emailChanged', newAddress },
      });
  }).catch((error: unknown) => {
    throw isTaken(error) ? taken() : error;
  });
  app.wakeups.notify('notices');
}

/** Returns 0 if the person's address is not `from`, if the person was deleted, or if another person has the address `to`. */
const updateEmail = (
  tx: Tx,
  { person_id, from, to }: Pick<EmailChange, 'person_id' | 'from' | 'to'>,
): Promise<number> =>
  tx.run(
    `update people set email = $3
     where id = $1 and email = $2 and deleted_at is null and not exists (select from people where email = $3)`,
    [person_id, from, to],
  );

const taken = (): FieldErrors => new FieldErrors({ email: ['Another account has this address.'] });

/** A concurrent sign-up or change took the address between the statement's condition and its write. */
const isTaken = (error: unknown): boolean =>
  (error as { constraint?: string } | undefined)?.constraint === 'people_email_key';
