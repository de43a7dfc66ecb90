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
  authentication_required: {
    code: 'authentication_required',
    decline_code: 'authentication_required',
    message: 'Your card was declined. This transaction requires authentication.',
  },
} satisfies Record<string, Decline>;

export type DeclineName = keyof typeof declines;

export interface TestCard {
  brand: string;
  isDeclined?: boolean;
  /** 'always'; or 'until saved': off-session charges of a saved card pass. */
  authentication?: 'always' | 'until saved';
}

/** Some of the test cards of https://docs.stripe.com/testing. */
export const testCards: Record<string, TestCard> = {
  '4242424242424242': { brand: 'visa' },
  '5555555555554444': { brand: 'mastercard' },
  '4000000000000002': { brand: 'visa', isDeclined: true },
  '4000002500003155': { brand: 'visa', authentication: 'until saved' },
  '4000002760003184': { brand: 'visa', authentication: 'always' },
};
