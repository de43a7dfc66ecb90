import { createHash } from 'node:crypto';
import type Stripe from 'stripe';
import { cardFailure, invalidParameter, noSuch } from './failure.ts';

/** Why a card is declined: the codes and sentences of https://docs.stripe.com/declines/codes. */
export interface Decline {
  code: string;
  decline_code: string;
  message: string;
}

export const declines = {
  generic_decline: {
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  },
  insufficient_funds: {
    code: 'card_declined',
    decline_code: 'insufficient_funds',
    message: 'Your card has insufficient funds.',
  },
  lost_card: { code: 'card_declined', decline_code: 'lost_card', message: 'Your card was declined.' },
  stolen_card: { code: 'card_declined', decline_code: 'stolen_card', message: 'Your card was declined.' },
  expired_card: { code: 'expired_card', decline_code: 'expired_card', message: 'Your card has expired.' },
  incorrect_cvc: {
    code: 'incorrect_cvc',
    decline_code: 'incorrect_cvc',
    message: "Your card's security code is incorrect.",
  },
  processing_error: {
    code: 'processing_error',
    decline_code: 'processing_error',
    message: 'An error occurred while processing your card. Try again in a little bit.',
  },
  authentication_required: {
    code: 'authentication_required',
    decline_code: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
} satisfies Record<string, Decline>;

export type DeclineName = keyof typeof declines;

export interface CardBehaviour {
  /** Declines every charge; unless `attaches`, it cannot be attached to a customer either. */
  decline?: DeclineName;
  attaches?: boolean;
  /** 'always'; or 'unless_set_up': off-session charges pass once it was authenticated for future use. */
  authentication?: 'always' | 'unless_set_up' | 'already_set_up';
  dispute?: 'fraudulent' | 'product_not_received';
  /** A refund that succeeds at first and then fails at the bank. */
  refundFails?: boolean;
}

interface TestCard extends CardBehaviour {
  number: string;
  token: string;
  brand?: string;
  funding?: string;
}

/** Stripe's test cards, by number and by the `pm_card_…` / `tok_…` names of https://docs.stripe.com/testing. */
const testCards: TestCard[] = [
  { number: '4242424242424242', token: 'visa' },
  { number: '4000056655665556', token: 'visa_debit', funding: 'debit' },
  { number: '5555555555554444', token: 'mastercard', brand: 'mastercard' },
  { number: '5200828282828210', token: 'mastercard_debit', brand: 'mastercard', funding: 'debit' },
  { number: '378282246310005', token: 'amex', brand: 'amex' },
  { number: '6011111111111117', token: 'discover', brand: 'discover' },
  { number: '4000000000000002', token: 'chargeDeclined', decline: 'generic_decline' },
  { number: '4000000000009995', token: 'chargeDeclinedInsufficientFunds', decline: 'insufficient_funds' },
  { number: '4000000000009987', token: 'chargeDeclinedLostCard', decline: 'lost_card' },
  { number: '4000000000009979', token: 'chargeDeclinedStolenCard', decline: 'stolen_card' },
  { number: '4000000000000069', token: 'chargeDeclinedExpiredCard', decline: 'expired_card' },
  { number: '4000000000000127', token: 'chargeDeclinedIncorrectCvc', decline: 'incorrect_cvc' },
  { number: '4000000000000119', token: 'chargeDeclinedProcessingError', decline: 'processing_error' },
  { number: '4000000000000341', token: 'chargeCustomerFail', decline: 'generic_decline', attaches: true },
  { number: '4000002500003155', token: 'authenticationRequiredOnSetup', authentication: 'unless_set_up' },
  { number: '4000002760003184', token: 'authenticationRequired', authentication: 'always' },
  {
    number: '4000003800000446',
    token: 'authenticationRequiredSetupForOffSession',
    authentication: 'already_set_up',
  },
  {
    number: '4000008260003178',
    token: 'authenticationRequiredChargeDeclinedInsufficientFunds',
    authentication: 'always',
    decline: 'insufficient_funds',
    attaches: true,
  },
  { number: '4000000000000259', token: 'createDispute', dispute: 'fraudulent' },
  { number: '4000000000002685', token: 'createDisputeProductNotReceived', dispute: 'product_not_received' },
  { number: '4000000000005126', token: 'refundFail', refundFails: true },
];

/** Private state of the card behind a payment method. */
export interface HeldCard {
  behaviour: CardBehaviour;
  /** Authenticated once for later use, or needing no authentication. */
  isSetUp: boolean;
  /** Used without a customer, or detached: it may not be used again. */
  isSpent: boolean;
}

export interface CardEntry {
  number: string;
  exp_month: number;
  exp_year: number;
  cvc?: string | undefined;
}

const passesLuhn = (number: string) =>
  [...number]
    .reverse()
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((sum, value) => sum + (value > 9 ? value - 9 : value), 0) %
    10 ===
  0;

function refuse(code: string, message: string, param: string): never {
  throw cardFailure({ code, message, param });
}

/** The test card with this number; throws Stripe's card error for an invalid entry. */
export function readCard(entry: CardEntry, now: Date): TestCard {
  const number = entry.number.replaceAll(/[\s-]/g, '');
  if (!/^\d{12,19}$/.test(number) || !passesLuhn(number)) {
    refuse('incorrect_number', 'Your card number is incorrect.', 'number');
  }
  if (entry.exp_month < 1 || entry.exp_month > 12) {
    refuse('invalid_expiry_month', "Your card's expiration month is invalid.", 'exp_month');
  }
  const year = entry.exp_year < 100 ? 2000 + entry.exp_year : entry.exp_year;
  if (Date.UTC(year, entry.exp_month, 1) <= now.getTime()) {
    refuse('invalid_expiry_year', "Your card's expiration year is invalid.", 'exp_year');
  }
  if (entry.cvc !== undefined && !/^\d{3,4}$/.test(entry.cvc)) {
    refuse('invalid_cvc', "Your card's security code is invalid.", 'cvc');
  }
  const card = testCards.find((one) => one.number === number);
  if (card) return card;
  throw cardFailure({
    code: 'card_declined',
    decline_code: 'test_mode_live_card',
    message: 'Your card was declined. Your request was in test mode, but used a non test card.',
  });
}

/** The card of a `pm_card_visa` or `tok_visa` style name. Names with the brand inside are the same cards. */
export function cardOfToken(token: string, param: string): TestCard {
  const name = token.replace(/^(pm_card|tok)_/, '').replace(/^visa_(?=charge)/, '');
  const card = testCards.find((one) => one.token === name);
  if (!card) throw noSuch(token.startsWith('tok_') ? 'token' : 'PaymentMethod', token, param, 400);
  return card;
}

export const isPaymentMethodToken = (id: string) => id.startsWith('pm_card_');

/** The public card object of a payment method. */
export function describeCard(card: TestCard, entry: CardEntry, now: Date): Stripe.PaymentMethod.Card {
  const brand = card.brand ?? 'visa';
  return {
    brand,
    checks: {
      address_line1_check: null,
      address_postal_code_check: null,
      cvc_check: entry.cvc === undefined ? null : 'pass',
    },
    country: 'US',
    display_brand: brand === 'amex' ? 'american_express' : brand,
    exp_month: entry.exp_month,
    exp_year:
      entry.exp_year < 100 ? Math.floor(now.getUTCFullYear() / 100) * 100 + entry.exp_year : entry.exp_year,
    fingerprint: createHash('sha256').update(card.number).digest('hex').slice(0, 16),
    funding: card.funding ?? 'credit',
    generated_from: null,
    last4: card.number.slice(-4),
    networks: { available: [brand], preferred: null },
    regulated_status: 'unregulated',
    three_d_secure_usage: { supported: true },
    wallet: null,
  };
}

export function declineNamed(name: string): Decline {
  const decline = Object.entries(declines).find(([one]) => one === name)?.[1];
  if (!decline) throw invalidParameter('invalid_enum', 'decline_code', `Unknown decline: ${name}`);
  return decline;
}
