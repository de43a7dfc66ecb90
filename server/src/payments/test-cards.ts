/** The card numbers of https://docs.stripe.com/testing that a sandbox supports. `asks` requires authentication on each use. */
export type CardBehaviour = 'succeeds' | 'declined' | 'insufficient_funds' | 'expired' | 'asks';

const NUMBERS: Record<string, { brand: string; behaviour: CardBehaviour }> = {
  '4242424242424242': { brand: 'visa', behaviour: 'succeeds' },
  '5555555555554444': { brand: 'mastercard', behaviour: 'succeeds' },
  '378282246310005': { brand: 'amex', behaviour: 'succeeds' },
  '4000000000000002': { brand: 'visa', behaviour: 'declined' },
  '4000000000009995': { brand: 'visa', behaviour: 'insufficient_funds' },
  '4000000000000069': { brand: 'visa', behaviour: 'expired' },
  '4000002500003155': { brand: 'visa', behaviour: 'asks' },
};

export interface CardEntry {
  number: string;
  exp_month: number;
  exp_year: number;
  cvc: string;
}

export interface TestCard {
  behaviour: CardBehaviour;
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
}

export interface CardFailure {
  code: string;
  message: string;
}

const failure = (code: string, message: string): CardFailure => ({ code, message });

/** The decline of this card in the card provider's words; undefined if the charge succeeds. */
export function declineOf(behaviour: CardBehaviour): CardFailure | undefined {
  switch (behaviour) {
    case 'declined':
      return failure('card_declined', 'Your card was declined.');
    case 'insufficient_funds':
      return failure('card_declined', 'Your card has insufficient funds.');
    case 'expired':
      return failure('expired_card', 'Your card has expired.');
    default:
      return undefined;
  }
}

export const needsAuthentication = failure(
  'authentication_required',
  'Your card was declined. This transaction requires authentication.',
);
export const failedAuthentication = failure(
  'payment_intent_authentication_failure',
  'We are unable to authenticate your payment method. Please choose a different payment method and try again.',
);

/** The test card of an entry, or the error that a card form would show. */
export function readCard(entry: CardEntry, now: Date): TestCard | CardFailure {
  const number = entry.number.replace(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number))
    return failure('incorrect_number', 'Your card number is incorrect.');
  if (Date.UTC(entry.exp_year, entry.exp_month, 1) <= now.getTime())
    return failure('invalid_expiry_year', "Your card's expiration date is in the past.");
  if (!/^\d{3,4}$/.test(entry.cvc)) return failure('invalid_cvc', "Your card's security code is invalid.");
  const known = NUMBERS[number];
  if (!known)
    return failure(
      'card_declined',
      'Your card was declined: this service takes test cards only, such as 4242 4242 4242 4242.',
    );
  return { ...known, last4: number.slice(-4), exp_month: entry.exp_month, exp_year: entry.exp_year };
}

/** ISO/IEC 7812-1, annex B. */
function passesLuhn(number: string): boolean {
  let sum = 0;
  for (const [place, digit] of [...number].reverse().entries()) {
    const value = Number(digit) * (place % 2 === 0 ? 1 : 2);
    sum += value > 9 ? value - 9 : value;
  }
  return sum % 10 === 0;
}
