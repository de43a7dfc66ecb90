import type { OtpStatus } from '@sixdigit/contract/verifications.ts';

/** The course of one verification, as offsets in seconds from its send. */
export interface SeedStory {
  /** the final status */
  status: OtpStatus;
  moves: Move[];
  /** the verification attempts, oldest first */
  tries: { after: number; status: 200 | 400; reason: string | null }[];
  delivered?: number;
  refunded?: true;
  failure?: string;
  closed_by?: 'canceled' | 'attempts' | 'superseded';
}

interface Move {
  after: number;
  from: OtpStatus | null;
  to: OtpStatus;
  note: string | null;
  /** a request made this change, so the client's address is recorded */
  byRequest?: true;
  /** a line about a message or a step, without an event */
  isNote?: true;
}

/** How long each code is valid: the account's setting. */
export const EXPIRY_SECONDS = 600;
const asked: Move = { after: 0, from: null, to: 'pending', note: null, byRequest: true };
const accepted = (carrier: string): Move => ({
  after: 1,
  from: 'pending',
  to: 'sent',
  note: `Accepted by ${carrier}`,
});
const wrong = (after: number) => ({ after, status: 400, reason: 'invalid_code' }) as const;

/** Nobody entered the code. */
export const unverified = (carrier: string, seconds = EXPIRY_SECONDS): SeedStory => ({
  status: 'expired',
  moves: [asked, accepted(carrier), { after: seconds + 2, from: 'sent', to: 'expired', note: null }],
  tries: [],
});

/** Only the sender knows whether its own code was entered. */
export const handedOver = (carrier: string): SeedStory => ({
  status: 'sent',
  moves: [asked, accepted(carrier)],
  tries: [],
});

export const verified = (carrier: string, after: number, wrongTries: number): SeedStory => ({
  status: 'verified',
  moves: [asked, accepted(carrier), { after, from: 'sent', to: 'verified', note: null, byRequest: true }],
  tries: [
    ...Array.from({ length: wrongTries }, (_, n) => wrong(after - 8 * (wrongTries - n))),
    { after, status: 200, reason: null },
  ],
});

/** A delivery report that does not change the status. */
export const delivered = (story: SeedStory, after: number): SeedStory => {
  const report: Move = { after, from: 'sent', to: 'sent', note: 'Delivered' };
  return { ...story, delivered: after, moves: story.moves.toSpliced(2, 0, report) };
};

/** Adds what a plan noted while its first message was sent. */
export const stepped = (story: SeedStory, notes: readonly { after: number; note: string }[]): SeedStory => ({
  ...story,
  moves: story.moves.toSpliced(
    2,
    0,
    ...notes.map((one): Move => ({ ...one, from: 'sent', to: 'sent', isNote: true })),
  ),
});

/** The story of send number `n`. Most codes are verified; the others cover the remaining statuses. */
export function seedStoryOf(n: number, carrier: string): SeedStory {
  switch (n % 12) {
    case 3:
      return {
        ...unverified(carrier),
        tries: n % 24 === 3 ? [{ after: EXPIRY_SECONDS + 40, status: 400, reason: 'otp_expired' }] : [],
      };
    case 5: {
      const failure = 'The carrier could not deliver the message';
      return {
        status: 'failed',
        moves: [asked, accepted(carrier), { after: 20, from: 'sent', to: 'failed', note: failure }],
        tries: [],
        refunded: true,
        failure,
      };
    }
    case 7: {
      if (n % 24 !== 7) return verified(carrier, 52, 2);
      const failure = 'Too many wrong codes';
      return {
        status: 'failed',
        moves: [
          asked,
          accepted(carrier),
          { after: 90, from: 'sent', to: 'failed', note: failure, byRequest: true },
        ],
        tries: [30, 45, 60, 75, 90].map(wrong),
        failure,
        closed_by: 'attempts',
      };
    }
    case 9:
      return n % 24 === 9
        ? {
            status: 'expired',
            moves: [asked, { after: 0.5, from: 'pending', to: 'expired', note: 'Canceled', byRequest: true }],
            tries: [],
            refunded: true,
            closed_by: 'canceled',
          }
        : verified(carrier, 140, 2);
    case 11:
      return delivered(verified(carrier, 30, 0), 3);
    default:
      return verified(carrier, 12 + ((n * 7) % 60), n % 5 === 0 ? 1 : 0);
  }
}

/** The demo account's connections, created `days` ago. They sent `sends` codes, one every `every` days, the last one `last` days ago. */
export const CONNECTED = [
  {
    name: 'Customer portal',
    system: 'supabase',
    days: 16.2,
    channel: 'email',
    last: 0.02,
    every: 0.7,
    sends: 21,
  },
  { name: 'Staff sign-in', system: 'keycloak', days: 12.4, channel: 'sms', last: 2.3, every: 3.1, sends: 3 },
] as const;

/** A connection's request whose text had no code. */
export const MISREAD = { connection: CONNECTED[1].name, days: 1.35, reason: 'code_missing' } as const;

/** Common refusals. */
export const REFUSALS = [
  {
    type: 'send_otp',
    status: 400,
    reason: 'invalid_fields',
    refused: {
      field: 'recipient',
      message: 'Enter a valid phone number, such as +14155552671.',
      value: '555-1•',
    },
  },
  { type: 'send_otp', status: 429, reason: 'rate_limited', count: 17 },
  { type: 'verify_otp', status: 404, reason: 'otp_not_found' },
  { type: 'send_otp', status: 402, reason: 'insufficient_credits', recipient: '+14155550143' },
  { type: 'send_otp', status: 400, reason: 'idempotency_key_reused', recipient: '+14155550143' },
  { type: 'send_otp', status: 429, reason: 'recipient_rate_limited', recipient: '+14155550199' },
  { type: 'send_otp', status: 500, reason: 'internal_error', recipient: 'grace.17@example.com' },
  { type: 'verify_otp', status: 503, reason: 'unavailable' },
] as const;
