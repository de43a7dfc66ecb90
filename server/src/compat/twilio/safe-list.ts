import { z } from 'zod';
import { originOf } from '../../platform/http/client-address.ts';
import type { Server } from '../../platform/http/serve.ts';
import { allowNumber, isNumberAllowed, removeAllowedNumber } from '../../protection/protection.ts';
import { invalid, notFound, TwilioError } from './errors.ts';
import { parse, text } from './fields.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import { recipientIn } from './verification.ts';

/** Twilio's safe list is the numbers on the account's allow list. The deny list and the limits still apply to them. */

/** Numbers that keys of an account can have on the list. A stolen key cannot exempt more. */
const NUMBERS_MAX = 100;

/** Each is an entry in the audit log. */
const CHANGES_A_DAY = 200;

const NEW = z.object({ PhoneNumber: text(40) });

export function safeListRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/SafeList/Numbers';
  const by = async (call: TwilioCall) => {
    await countChange(app, call.caller.account_id);
    return { account_id: call.caller.account_id, origin: originOf(call.request) };
  };
  serveTwilio(server, app, { method: 'POST', path: all, like: 'change', status: 201 }, async (call) => {
    const number = numberIn(app, parse(NEW, call.fields).PhoneNumber);
    if (!(await allowNumber(app, await by(call), { number, note: 'Twilio safe list', most: NUMBERS_MAX })))
      throw new TwilioError([400, 60200], `The safe list can have at most ${NUMBERS_MAX} numbers`, {
        reason: 'safe_list_full',
      });
    return shown(app, call, number);
  });
  const path = `${all}/:number`;
  serveTwilio(server, app, { method: 'GET', path, like: 'read' }, async (call) => {
    const number = numberIn(app, call.params.number ?? '');
    if (!(await isNumberAllowed(app, call.caller.account_id, number))) throw notFound('number_not_found');
    return shown(app, call, number);
  });
  serveTwilio(server, app, { method: 'DELETE', path, like: 'change' }, async (call) => {
    const number = numberIn(app, call.params.number ?? '');
    if (!(await removeAllowedNumber(app, await by(call), number))) throw notFound('number_not_found');
    return undefined;
  });
}

/** Throws if the account has made all of its changes today. */
async function countChange({ db, clock }: TwilioApp, account_id: string): Promise<void> {
  const counted = await db.run(
    `insert into twilio_safe_list_changes as c (account_id, day, changes)
     values ($1, (clock_now() at time zone 'UTC')::date, 1)
     on conflict (account_id) do update set day = excluded.day,
       changes = case when c.day = excluded.day then c.changes + 1 else 1 end
     where c.day <> excluded.day or c.changes < $2`,
    [account_id, CHANGES_A_DAY],
  );
  if (counted > 0) return;
  const retry_after = Math.ceil((DAY_MS - (clock.now().getTime() % DAY_MS)) / 1000);
  throw new TwilioError([429, 20429], 'Too many requests', { reason: 'safe_list_changes', retry_after });
}

const DAY_MS = 86_400_000;

/** Some clients decode the plus sign of a path. */
function numberIn(app: TwilioApp, given: string): string {
  const number = recipientIn(app, 'PhoneNumber', given.replace(/^ /, '+'));
  if (number.includes('@')) throw invalid('PhoneNumber', 'must be a phone number in E.164');
  return number;
}

function shown({ vault }: TwilioApp, { base, caller }: TwilioCall, number: string): object {
  const id = vault.fingerprint('twilio-safe-number', `${caller.account_id} ${number}`).toString('hex');
  return {
    sid: `GN${id.slice(0, 32)}`,
    phone_number: number,
    url: `${base}/v2/SafeList/Numbers/${number}`,
  };
}
