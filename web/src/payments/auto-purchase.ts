import type { AutoPurchase } from '@sixdigit/contract/payments.ts';
import { IconAlertTriangle, IconCheck, IconClock, IconPlayerPause, IconRefresh } from '@tabler/icons-react';
import type { Tone } from '../ui/Badge.tsx';
import { paymentDateTime } from '../ui/dates.ts';
import { count } from './prices.ts';

/** The badge of each state. */
export const STATES: Record<AutoPurchase['state'], { label: string; tone: Tone; Icon?: typeof IconCheck }> = {
  off: { label: 'Off', tone: 'gray' },
  stopped_declined: { label: 'Disabled', tone: 'red', Icon: IconAlertTriangle },
  stopped_no_card: { label: 'Disabled', tone: 'red', Icon: IconAlertTriangle },
  on: { label: 'On', tone: 'green', Icon: IconCheck },
  buying: { label: 'Buying', tone: 'blue', Icon: IconClock },
  retrying: { label: 'Retrying', tone: 'orange', Icon: IconRefresh },
  paused_authentication: { label: 'Paused', tone: 'orange', Icon: IconPlayerPause },
  paused_reversal: { label: 'Paused', tone: 'orange', Icon: IconPlayerPause },
  limited: { label: 'Daily limit reached', tone: 'orange', Icon: IconClock },
};

/** Why auto-purchase does not buy, and what the owner can do. Undefined if there is nothing to do. */
export function toDo({ state, next_at, auto_purchase_enabled, card, is_card_known }: AutoPurchase) {
  switch (state) {
    case 'stopped_declined':
      return 'Three payments in a row were declined. Buy credits with a card that works, then turn auto-purchase on again.';
    case 'stopped_no_card':
      return 'No card was saved. Buy credits and save the card, then turn auto-purchase on again.';
    case 'retrying':
      return `The next attempt is at ${paymentDateTime(next_at)}. To use another card, buy credits with it now.`;
    case 'paused_authentication':
      return 'Your bank wants you to confirm a payment. Buy credits once, and auto-purchase continues.';
    case 'paused_reversal':
      return 'A payment was refunded or disputed. Auto-purchase continues after your next purchase.';
    case 'limited':
      return `It has bought as often as it can in 24 hours. The next purchase is possible from ${paymentDateTime(next_at)}.`;
    default:
      if (card || !is_card_known) return undefined;
      return auto_purchase_enabled
        ? 'Auto-purchase cannot buy without a card. Buy credits and save the card.'
        : 'To set it up, first buy credits and save the card.';
  }
}

/** '500 credits for $9.50 bought.' */
export function lastAttempt({
  status,
  credits,
  price_display,
  failure,
}: NonNullable<AutoPurchase['last_attempt']>): string {
  const what = `${count(credits)} for ${price_display}`;
  if (status === 'succeeded') return `${what} bought.`;
  if (status === 'pending') return `${what}, in progress.`;
  return `${what} failed.${failure ? ` ${failure}` : ''}`;
}
