import { type Letterhead, type Mail, renderNotice } from './notice.ts';

interface AutoPurchaseNotice extends Letterhead {
  credits: number;
  /** Formatted as in the dashboard, such as "$9.50". */
  price: string;
  creditsUrl: string;
}

export function savedCardCharged(notice: AutoPurchaseNotice & { card: string | null }): Mail {
  return renderNotice({
    ...notice,
    heading: `${count(notice.credits)} credits were bought`,
    paragraphs: [
      `${count(notice.credits)} credits were bought for ${notice.price} with ${notice.card ? `your saved card ${notice.card}` : 'your saved card'}.`,
      'If this was you, there is nothing to do.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
    remark: 'If this was not you, remove the card, reset your password and contact us.',
  });
}

export function autoPurchaseSucceeded(notice: AutoPurchaseNotice & { balance: number }): Mail {
  return renderNotice({
    ...notice,
    heading: `${count(notice.credits)} credits were added`,
    paragraphs: [
      `Your balance fell below your threshold, so we bought ${count(notice.credits)} credits for ${notice.price} with your saved card. Your balance is now ${count(notice.balance)}.`,
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

export function autoPurchaseNeedsAction(notice: AutoPurchaseNotice): Mail {
  return renderNotice({
    ...notice,
    heading: 'Your bank wants you to confirm a purchase',
    paragraphs: [
      `Your balance fell below your threshold, but your bank did not let us buy ${count(notice.credits)} credits for ${notice.price} without you.`,
      'Automatic purchases are paused until you have bought credits yourself once.',
    ],
    action: { label: 'Buy credits', url: notice.creditsUrl },
  });
}

export function autoPurchaseFailed(
  notice: AutoPurchaseNotice & { why: string; isSwitchedOff: boolean },
): Mail {
  return renderNotice({
    ...notice,
    heading: notice.isSwitchedOff ? 'Automatic purchases are disabled' : 'An automatic purchase failed',
    paragraphs: [
      `Your balance fell below your threshold, but buying ${count(notice.credits)} credits for ${notice.price} failed: ${notice.why}`,
      notice.isSwitchedOff
        ? 'After several failures we stopped trying. Switch automatic purchases on again when your card works.'
        : 'We will try again later. Sending stops when your credits are used up.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

/** `isRepeated`: the customer paid the purchase twice. Otherwise the amount or currency differed from the order. */
export function paymentRefunded(
  notice: Letterhead & { price: string; isRepeated: boolean; creditsUrl: string },
): Mail {
  return renderNotice({
    ...notice,
    heading: 'A payment was refunded',
    subject: `We refunded a payment of ${notice.price}`,
    paragraphs: [
      notice.isRepeated
        ? `Your card was charged ${notice.price} a second time for one purchase. We refunded the second payment to your card.`
        : `We received a payment of ${notice.price} that does not match your order. We added no credits and refunded the payment to your card.`,
      'Your bank shows the refund within five to ten days.',
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
  });
}

export function spendLimit(
  notice: Letterhead & {
    /** null: a limit of the account */
    keyName: string | null;
    span: 'day' | 'month';
    percent: number;
    creditLimit: number;
    spent: number;
    limitsUrl: string;
  },
): Mail {
  const { keyName, span, percent, creditLimit, spent } = notice;
  const limit = `${span === 'day' ? 'daily' : 'monthly'} spend limit`;
  const whose = keyName === null ? 'Your account' : `Your API key “${keyName}”`;
  return renderNotice({
    ...notice,
    heading: percent >= 100 ? `A ${limit} is reached` : `${percent} % of a ${limit} is spent`,
    paragraphs: [
      `${whose} has spent ${count(spent)} of the ${count(creditLimit)} credits of its ${limit}.`,
      percent >= 100
        ? `Further sends are refused until the next ${span} of UTC begins or you raise the limit.`
        : `At ${count(creditLimit)} credits, further sends are refused until the next ${span} of UTC begins.`,
    ],
    action: { label: 'Review the limit', url: notice.limitsUrl },
    remark: 'If you did not expect this, check who uses your API keys.',
  });
}

export function lowBalance(notice: Letterhead & { balance: number; creditsUrl: string }): Mail {
  const isEmpty = notice.balance === 0;
  return renderNotice({
    ...notice,
    heading: isEmpty ? 'Your credits are used up' : 'Your credits are running low',
    paragraphs: [
      isEmpty
        ? 'Your balance is 0 credits: further verifications are refused until you buy more.'
        : `Your balance is ${count(notice.balance)} credit${notice.balance === 1 ? '' : 's'}. At 0, further verifications are refused.`,
    ],
    action: { label: 'Buy credits', url: notice.creditsUrl },
  });
}

export function creditsAdjusted(
  notice: Letterhead & { credits: number; balance: number; reason: string; creditsUrl: string },
): Mail {
  const amount = Math.abs(notice.credits);
  const what = `${count(amount)} credit${amount === 1 ? '' : 's'}`;
  const were = amount === 1 ? 'was' : 'were';
  return renderNotice({
    ...notice,
    heading: notice.credits > 0 ? `${what} ${were} added` : `${what} ${were} removed`,
    paragraphs: [
      notice.credits > 0
        ? `We added ${what} to your account. Your balance is now ${count(notice.balance)}.`
        : `We removed ${what} from your account. Your balance is now ${count(notice.balance)}.`,
      `Reason: ${notice.reason}`,
    ],
    action: { label: 'Open credits', url: notice.creditsUrl },
    remark: 'Contact us if you have questions.',
  });
}

function count(credits: number): string {
  return credits.toLocaleString('en-US');
}
