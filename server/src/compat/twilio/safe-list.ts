import { withPlusOfUrl } from '@sixdigit/contract/text/phone-text.ts';
import { z } from 'zod';
import { countChange } from '../../limits/limits.ts';
import { originOf } from '../../platform/http/client-address.ts';
import type { Server } from '../../platform/http/serve.ts';
import { allowNumber, isNumberAllowed, removeAllowedNumber } from '../../protection/protection.ts';
import { invalid, notFound, TwilioError } from './errors.ts';
import { parse, text } from './fields.ts';
import { serveTwilio, type TwilioApp, type TwilioCall } from './serve.ts';
import { recipientIn } from './verification.ts';

/**
 * Twilio's safe list is the numbers on the account's allow list. The deny list and the limits still apply to them. The allow list
 * is a live setting without effect on tests, so test keys neither read nor change it.
 */

/** Numbers that keys of an account can have on the list. A stolen key cannot exempt more. */
const NUMBERS_MAX = 100;

/** Together with all other changes of live settings. */
const CHANGES_A_DAY = 200;

const TEST_KEY = 'The safe list applies to live sends only, so it needs a live key';

const NEW = z.object({ PhoneNumber: text(40) });

export function safeListRoutes(server: Server, app: TwilioApp): void {
  const all = '/v2/SafeList/Numbers';
  const serve = (
    served: Parameters<typeof serveTwilio>[2],
    handler: (call: TwilioCall) => Promise<object | undefined>,
  ) =>
    serveTwilio(server, app, served, (call) => {
      if (call.caller.is_test) throw new TwilioError([403, 20403], TEST_KEY, { reason: 'live_setting' });
      return handler(call);
    });
  const by = async (call: TwilioCall) => {
    await countChange(app.db, app, { account_id: call.caller.account_id, most: CHANGES_A_DAY });
    return { account_id: call.caller.account_id, origin: originOf(call.request) };
  };
  serve({ method: 'POST', path: all, like: 'settings', status: 201 }, async (call) => {
    const number = numberIn(app, parse(NEW, call.fields).PhoneNumber);
    if (!(await allowNumber(app, await by(call), { number, note: 'Twilio safe list', most: NUMBERS_MAX })))
      throw new TwilioError([400, 60200], `The safe list can have at most ${NUMBERS_MAX} numbers`, {
        reason: 'safe_list_full',
      });
    return shown(app, call, number);
  });
  const path = `${all}/:number`;
  serve({ method: 'GET', path, like: 'read' }, async (call) => {
    const number = numberIn(app, call.params.number ?? '');
    if (!(await isNumberAllowed(app, call.caller.account_id, number))) throw notFound('number_not_found');
    return shown(app, call, number);
  });
  serve({ method: 'DELETE', path, like: 'settings' }, async (call) => {
    const number = numberIn(app, call.params.number ?? '');
    if (!(await removeAllowedNumber(app, await by(call), number))) throw notFound('number_not_found');
    return undefined;
  });
}

/** Some clients decode the plus sign of a path. */
function numberIn(app: TwilioApp, given: string): string {
  const number = recipientIn(app, 'PhoneNumber', withPlusOfUrl(given));
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
