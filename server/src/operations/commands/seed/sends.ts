import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { TEST_DOMAIN } from '@sixdigit/contract/test-mode.ts';
import {
  CONNECTED,
  delivered,
  handedOver,
  type SeedStory,
  seedStoryOf,
  unverified,
  verified,
} from './story.ts';

/** One send of the demo history. */
export interface SeedSend {
  n: number;
  sent_ms: number;
  channel: Channel;
  recipient: string;
  country: string | null;
  client_ip: string | null;
  /** the name of the key or the connection that sent it */
  key: string;
  is_test: boolean;
  /** an auth system made the code */
  own_code: boolean;
  story: SeedStory;
  /** its place in a plan */
  plan?: {
    id: string;
    step: number;
    /** of the first message */
    steps?: readonly { channel: Channel; id?: string }[];
    resend_ids: readonly string[] | null;
    resend_of?: string;
    /** the rest of the code's life, of a later message */
    seconds?: number;
  };
}

const SENDS = 420;
const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** Forty days of ordinary sends, those of connections, a busy office and an attack on a prefix in the last hours, and tests. */
export const seedSends = (now: number): SeedSend[] => [
  ...ordinarySends(now),
  ...connectionSends(now),
  ...officeSends(now),
  ...attackSends(now),
  ...testSends(now),
];

/** When the key "Old mobile app" was deleted. */
export const OLD_APP_DAYS = 1;

const ordinarySends = (now: number): SeedSend[] =>
  Array.from({ length: SENDS }, (_, n) => {
    const channel = channelOf(n);
    const age = agoMs(n);
    return {
      n,
      sent_ms: now - age,
      channel,
      ...recipientOf(n, channel),
      client_ip: factsOf(channel).recipient === 'email' ? null : `192.0.2.${1 + ((n * 37) % 250)}`,
      key: keyOf(n, age),
      is_test: false,
      own_code: false,
      story: seedStoryOf(storyOf(n), 'sandbox'),
    };
  });

/** Codes that an auth system made and only delivers through a connection. */
const connectionSends = (now: number): SeedSend[] =>
  CONNECTED.flatMap(({ name: key, channel, last, every, sends }) =>
    Array.from({ length: sends }, (_, n) => ({
      n,
      sent_ms: now - Math.round((last + n * every) * DAY_MS),
      channel,
      ...recipientOf(n + 40, channel),
      client_ip: null,
      key,
      is_test: false,
      own_code: true,
      story: handedOver('sandbox'),
    })),
  );

const ofLastHours = (n: number, sent_ms: number) => ({
  n,
  sent_ms,
  channel: 'sms' as const,
  key: 'Production',
  is_test: false,
  own_code: false,
});

const OFFICE = 6;

/** People of one office who sign in at the same time, behind one address. */
const officeSends = (now: number): SeedSend[] =>
  Array.from({ length: OFFICE }, (_, n) => ({
    ...ofLastHours(n, now - 5.2 * HOUR_MS + n * 70 * SECOND_MS),
    recipient: `+141555501${60 + n}`,
    country: 'US',
    client_ip: '203.0.113.81',
    story: verified('sandbox', 21 + 4 * n, 0),
  }));

const WAVES = [
  { hoursAgo: 1.5, sends: 34 },
  { hoursAgo: 0.7, sends: 3 },
] as const;

/** An attacker earns from messages to one prefix: each goes to another number, from another IP address. No code is entered. */
const attackSends = (now: number): SeedSend[] =>
  WAVES.flatMap(({ hoursAgo, sends }, wave) =>
    Array.from({ length: sends }, (_, i) => {
      const n = wave * 50 + i;
      return {
        ...ofLastHours(n, now - hoursAgo * HOUR_MS + i * 9 * SECOND_MS),
        recipient: `+160455501${String(n).padStart(2, '0')}`,
        country: 'CA',
        client_ip: `198.51.100.${101 + n}`,
        story: unverified('sandbox'),
      };
    }),
  );

/** One test on each channel. */
const testSends = (now: number): SeedSend[] =>
  (
    [
      ['sms', '+15005550001', delivered(verified('test', 24, 0), 2)],
      ['voice', '+15005550001', delivered(unverified('test'), 2)],
      ['email', `delivered@${TEST_DOMAIN}`, delivered(verified('test', 41, 1), 2)],
    ] as const
  ).map(([channel, recipient, story], n) => ({
    n,
    sent_ms: now - (3.4 - n * 0.15) * HOUR_MS,
    channel,
    recipient,
    country: null,
    client_ip: null,
    key: 'Local tests',
    is_test: true,
    own_code: false,
    story,
  }));

/** The age of an ordinary send in milliseconds: at most forty days, with more sends in recent days. The newest have ended. */
function agoMs(n: number): number {
  const days = 39.4 * (1 - n / SENDS) ** 1.35 + 0.008;
  return Math.round((days * 24 + ((n * 5) % 7) / 10) * HOUR_MS);
}

/** Gives each channel and key every story. */
const storyOf = (n: number): number => n * 5 + Math.floor(n / 10);

const channelOf = (n: number): Channel => (n % 5 === 4 ? 'voice' : n % 2 === 0 ? 'sms' : 'email');

export function keyOf(n: number, ageMs: number): string {
  if (n % 9 === 4) return 'Staging';
  return n % 11 === 6 && ageMs > (OLD_APP_DAYS + 1) * DAY_MS ? 'Old mobile app' : 'Production';
}

const NAMES = ['ana', 'ben', 'chloe', 'dev', 'emma', 'farid', 'grace', 'hugo', 'ines', 'jonas', 'kim', 'leo'];
const AREAS = ['212', '312', '415', '416', '512', '514', '617', '702', '805'];
const CANADIAN = new Set(['416', '514']);

/** Numbers and addresses reserved for examples (RFC 2606, NANP 555-01XX). */
export function recipientOf(n: number, channel: Channel): Pick<SeedSend, 'recipient' | 'country'> {
  if (factsOf(channel).recipient === 'email')
    return { recipient: `${NAMES[n % NAMES.length]}.${10 + ((n * 37) % 90)}@example.com`, country: null };
  const area = AREAS[n % AREAS.length] as string;
  return {
    recipient: `+1${area}55501${String((n * 13) % 100).padStart(2, '0')}`,
    country: CANADIAN.has(area) ? 'CA' : 'US',
  };
}
