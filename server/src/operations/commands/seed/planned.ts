import { idAt } from './history.ts';
import { recipientOf, type SeedSend } from './sends.ts';
import { delivered, EXPIRY_SECONDS, type SeedStory, stepped, unverified, verified } from './story.ts';

const HOUR_MS = 3_600_000;
const WAIT_SECONDS = 60;
const PLANNED = 14;

/** Sends with a plan, WhatsApp and then SMS: it arrives, is not confirmed in time, fails, or is never entered. */
export const plannedSends = (now: number): SeedSend[] =>
  Array.from({ length: PLANNED }, (_, n) => messagesOf(n, now - (0.9 + n * 17.3) * HOUR_MS)).flat();

/** Both messages of a plan, or the one that sufficed. */
function messagesOf(n: number, sent_ms: number): SeedSend[] {
  const send = {
    n: n * 7 + 3,
    ...recipientOf(n + 60, 'sms'),
    client_ip: `192.0.2.${n + 11}`,
    key: 'Production',
    is_test: false,
    own_code: false,
  };
  const { first, second, starts } = storiesOf(n);
  const id = idAt(new Date(sent_ms));
  const whatsapp = { ...send, sent_ms, channel: 'whatsapp', story: first } as const;
  if (!second)
    return [
      {
        ...whatsapp,
        plan: { id, step: 1, steps: [{ channel: 'whatsapp', id }, { channel: 'sms' }], resend_ids: null },
      },
    ];
  const later_ms = sent_ms + starts * 1_000;
  const resend = idAt(new Date(later_ms));
  const steps = [
    { channel: 'whatsapp', id },
    { channel: 'sms', id: resend },
  ] as const;
  return [
    { ...whatsapp, plan: { id, step: 1, steps, resend_ids: [resend] } },
    {
      ...send,
      sent_ms: later_ms,
      channel: 'sms',
      story: second,
      plan: { id: resend, step: 2, resend_of: id, seconds: EXPIRY_SECONDS - starts, resend_ids: null },
    },
  ];
}

function storiesOf(n: number): { first: SeedStory; second?: SeedStory; starts: number } {
  const entered = 71 + ((n * 11) % 40);
  switch (n % 4) {
    case 1: {
      const failure = 'Not delivered: the recipient does not use WhatsApp';
      const first = stepped(verified('sandbox', 21 + n, 0), [
        { after: 3, note: failure },
        { after: 3.2, note: 'SMS: the message before it failed' },
      ]);
      return {
        first: { ...first, failure, refunded: true },
        second: delivered(superseded(18 + n), 2),
        starts: 3.2,
      };
    }
    case 2:
      return {
        first: stepped(verified('sandbox', entered, 0), [TIMEOUT]),
        second: delivered(superseded(entered - WAIT_SECONDS), 3),
        starts: WAIT_SECONDS,
      };
    case 3:
      return n % 8 === 3
        ? {
            first: stepped(unverified('sandbox'), [TIMEOUT]),
            second: unverified('sandbox', EXPIRY_SECONDS - WAIT_SECONDS),
            starts: WAIT_SECONDS,
          }
        : { first: delivered(verified('sandbox', 38, 1), 2), starts: 0 };
    default:
      return { first: delivered(verified('sandbox', 14 + n, 0), 1.5), starts: 0 };
  }
}

const TIMEOUT = { after: WAIT_SECONDS, note: 'SMS: the message before it was not confirmed in time' };

/** The code of the first message was entered. */
const superseded = (after: number): SeedStory => {
  const { moves } = verified('sandbox', after, 0);
  return {
    status: 'expired',
    moves: moves.map((move) =>
      move.to === 'verified' ? { after, from: 'sent', to: 'expired', note: 'Superseded' } : move,
    ),
    tries: [],
    closed_by: 'superseded',
  };
};
