/** What tests may know about the rows of the lively database: ids and secrets that no call returns a second time. */
export const PERSON_NAMES = ['alice', 'adam', 'dora', 'vera', 'bob'] as const;
export type PersonName = (typeof PERSON_NAMES)[number];

export interface LivelyPerson {
  person_id: string;
  /** the account that calls without `X-Account` are about */
  account_id: string;
  email: string;
  password: string;
  /** E.164 */
  phone: string;
}

export interface LivelyKey {
  id: string;
  name: string;
  key: string;
}

export const KEY_NAMES = [
  'live',
  'restricted',
  'ownCode',
  'rotated',
  'test',
  'expired',
  'deleted',
  'bobs',
  'bobsTest',
] as const;
export type KeyName = (typeof KEY_NAMES)[number];
export const CONNECTION_NAMES = ['webhook', 'authentik', 'testing'] as const;
export const ENDPOINT_NAMES = ['working', 'failing', 'replayed', 'bobs'] as const;

/** Each group has at least two verifications, of several channels, days and keys. */
export const FATES = [
  'verified',
  'verifiedLate',
  'delivered',
  'sent',
  'wrong',
  'exhausted',
  'canceled',
  'invalid',
  'filtered',
  'unsubscribed',
  'undelivered',
  'unsent',
] as const;
export type Fate = (typeof FATES)[number];

export interface LivelyFacts {
  people: Record<PersonName, LivelyPerson>;
  /** open ones of Alice's account */
  invitations: string[];
  /** paid orders of Alice's account, oldest first; the second is refunded in part */
  purchases: string[];
  keys: Record<KeyName, LivelyKey>;
  connections: Record<(typeof CONNECTION_NAMES)[number], { id: string; secret: string }>;
  endpoints: Record<(typeof ENDPOINT_NAMES)[number], { id: string; secret: string }>;
  /** carriers of the console, which are off */
  carriers: string[];
  /** the otp_ids of Alice's account by fate, oldest first */
  verifications: Record<Fate, string[]>;
  ownCodes: { verified: string[]; unverified: string[]; unreported: string[] };
  /** with the test key */
  tests: string[];
  bobs: string[];
  optedOut: string[];
}
