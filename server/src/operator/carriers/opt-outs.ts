/** The opt-out list stores keyed hashes, so operators can look up only numbers that they already know. */

import { canonicalEmail } from '@sixdigit/contract/addresses/email-address.ts';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { EMAIL_MESSAGE, PHONE_MESSAGE } from '@sixdigit/contract/field.ts';
import type { findOptOut, removeOptOut } from '@sixdigit/contract/operator/opt-outs.ts';
import type { Parsed, Reply } from '@sixdigit/contract/route.ts';
import { findOptOutOf, optIn } from '../../messaging/opt-outs/opt-outs.ts';
import { normalisePhone } from '../../platform/addresses/phone.ts';
import { Failure, FieldErrors } from '../../platform/http/failure.ts';
import type { OperatorCaller } from '../../platform/http/serve.ts';
import type { Needs } from '../../platform/platform.ts';
import { maskedRecipient } from '../../platform/security/masks.ts';
import { recordAction } from '../audit.ts';

type App = Needs<'db' | 'vault' | 'config' | 'random'>;

export async function lookUpOptOut(
  app: App,
  { phone_number }: Parsed<typeof findOptOut, 'body'>,
): Promise<Reply<typeof findOptOut>> {
  const phone = phoneOf(app, phone_number);
  const opted_out_at = (await findOptOutOf(app.db, app.vault.fingerprints('opt-out', phone))) ?? null;
  return { phone_number: phone, is_opted_out: opted_out_at !== null, opted_out_at };
}

/** Throws `not_found` if the number is not on the list. */
export async function removeFromOptOuts(
  app: App,
  by: OperatorCaller,
  { phone_number, reason }: Parsed<typeof removeOptOut, 'body'>,
): Promise<void> {
  const phone = phoneOf(app, phone_number);
  await app.db.transaction(async (tx) => {
    const fingerprints = app.vault.fingerprints('opt-out', phone);
    const opted_out_at = await findOptOutOf(tx, fingerprints);
    if ((await optIn(tx, fingerprints)) === 0) throw new Failure('not_found');
    await recordAction(tx, app, by, {
      action: 'opt_out.remove',
      subject: maskedRecipient(phone),
      reason,
      before: { opted_out_at },
      after: { opted_out_at: null },
    });
  });
}

/** Converts an entered phone number to E.164. Throws a field error. */
function phoneOf({ config }: Needs<'config'>, text: string, field = 'phone_number'): string {
  const phone = normalisePhone(text, config);
  if (!phone) throw new FieldErrors({ [field]: [PHONE_MESSAGE] });
  return phone.e164;
}

/** Converts an entered recipient to the form that the channel needs. Throws a field error. */
export function recipientOf(app: Needs<'config'>, channel: Channel, text: string): string {
  if (factsOf(channel).recipient === 'phone') return phoneOf(app, text, 'recipient');
  const address = canonicalEmail(text);
  if (!address) throw new FieldErrors({ recipient: [EMAIL_MESSAGE] });
  return address;
}
