import { CHANNELS, factsOf } from '@sixdigit/contract/channels.ts';
import { email } from '@sixdigit/contract/field.ts';
import { possiblePhone } from '../../platform/addresses/phone.ts';
import type { Needs } from '../../platform/platform.ts';

/**
 * The recipient of a refused request in the form that verifications store, or null if it cannot be normalised: such a value could
 * not be found again for an erasure request.
 */
export function storedRecipient(app: Needs<'config'>, channel: unknown, text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 320) return null;
  const known = CHANNELS.find((one) => one === channel);
  const kind = known && factsOf(known).recipient;
  if (kind !== 'phone') {
    const address = email.safeParse(text);
    if (address.success) return address.data;
    if (kind === 'email') return null;
  }
  return possiblePhone(text, app.config) ?? null;
}
