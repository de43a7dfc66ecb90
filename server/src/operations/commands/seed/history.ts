import { factsOf } from '@sixdigit/contract/channels.ts';
import type { Needs } from '../../../platform/platform.ts';
import { systemRandom } from '../../../platform/security/random.ts';
import { agoMs, channelOf, REFUSALS, recipientOf, type SeedStory, seedStoryOf } from './story.ts';

/** Complete, consistent rows for every table that a send writes to. */
export interface History {
  verifications: object[];
  status_history: object[];
  request_logs: object[];
  ledger: object[];
  webhook_messages: object[];
  webhook_attempts: object[];
}

interface Owner {
  account_id: string;
  keys: readonly { id: string; name: string }[];
  endpoint_id: string;
}

const SENDS = 150;
const EXPIRY_MS = 300_000;
const WEBHOOK_DAYS_MS = 29 * 86_400_000;
const ADDRESS = '203.0.113.24';

/** An id of this time, so that seeded rows sort in time order. */
export const idAt = (at: Date): string =>
  systemRandom({ ...{ sleep: async () => undefined }, now: () => at }).uuid();

export function historyOf(app: Needs<'clock'>, owner: Owner): History {
  const now = app.clock.now().getTime();
  const history: History = {
    verifications: [],
    status_history: [],
    request_logs: [],
    ledger: [],
    webhook_messages: [],
    webhook_attempts: [],
  };
  for (let n = 0; n < SENDS; n++) tell(history, owner, { n, sentMs: now - agoMs(n, SENDS), now });
  REFUSALS.forEach((refusal, n) => {
    for (const days of [0.3, 8, 31]) {
      const at = new Date(now - (days + n * 0.4) * 86_400_000);
      const { type, status, reason } = refusal;
      const recipient = 'recipient' in refusal ? refusal.recipient : null;
      history.request_logs.push(
        requestLog(owner, n, at, {
          request_type: type,
          response_status_code: status,
          reason,
          recipient,
          channel: recipient ? (recipient.includes('@') ? 'email' : 'sms') : null,
          count: 'count' in refusal ? refusal.count : 1,
        }),
      );
    }
  });
  return history;
}

function tell(
  history: History,
  owner: Owner,
  { n, sentMs, now }: { n: number; sentMs: number; now: number },
) {
  const at = (seconds: number) => new Date(sentMs + Math.round(seconds * 1000));
  const channel = channelOf(n);
  const { label, format } = factsOf(channel);
  const story = seedStoryOf(n, 'sandbox');
  const { account_id } = owner;
  const key = keyOf(owner, n);
  const otp_id = idAt(at(0));
  const recipient = recipientOf(n, channel);
  const sent = story.moves.some(({ to }) => to === 'sent');
  const verification = {
    account_id,
    id: otp_id,
    api_key_id: key.id,
    channel,
    recipient,
    country: recipient.startsWith('+') ? 'US' : null,
    status: story.status,
    cost_credits: story.refunded ? 0 : 1,
    message: n % 10 === 2 && format !== 'speech' ? 'Your Acme code is {code}. Never share it.' : null,
    subject: n % 10 === 3 && format === 'mail' ? 'Your Acme sign-in code' : null,
    segments: format === 'text' ? 1 : null,
    code_length: 6,
    created_at: at(0),
    expires_at: new Date(sentMs + EXPIRY_MS),
    sent_at: sent ? at(1) : null,
    delivered_at: story.delivered ? at(story.delivered) : null,
    verified_at: story.status === 'verified' ? at(story.moves.at(-1)?.after ?? 0) : null,
    carrier: sent ? 'sandbox' : null,
    provider_message_id: sent ? `sandbox-${otp_id}` : null,
    failure: story.failure ?? null,
    closed_by: story.closed_by ?? null,
  };
  history.verifications.push(verification);
  keepBooks(history, owner, { story, otp_id, at, kind: label });
  const log = { channel, recipient, otp_id };
  history.request_logs.push(
    requestLog(owner, n, at(0), {
      ...log,
      request_type: 'send_otp',
      response_status_code: 201,
      credits_used: 1,
    }),
    ...story.tries.map(({ after, status, reason }) =>
      requestLog(owner, n, at(after), {
        ...log,
        request_type: 'verify_otp',
        response_status_code: status,
        reason,
      }),
    ),
  );
  for (const { after, from, to, note, byRequest } of story.moves) {
    history.status_history.push({
      account_id,
      otp_id,
      previous_status: from,
      new_status: to,
      changed_at: at(after),
      ip_address: byRequest ? ADDRESS : null,
      notes: note,
    });
    if (from && sentMs > now - WEBHOOK_DAYS_MS && story.closed_by !== 'canceled')
      publish(history, owner, { n, at: at(after), from, to, verification, key });
  }
}

/** Each send costs one credit, which is refunded if the message is not delivered. */
function keepBooks(
  history: History,
  { account_id }: Owner,
  {
    story,
    otp_id,
    at,
    kind,
  }: { story: SeedStory; otp_id: string; at: (seconds: number) => Date; kind: string },
): void {
  const sent_at = at(0);
  history.ledger.push({
    account_id,
    id: otp_id,
    kind: 'usage',
    reference: null,
    credits: -1,
    description: `${kind} verification`,
    created_at: sent_at,
  });
  if (!story.refunded) return;
  const refunded_at = at(story.moves.at(-1)?.after ?? 0);
  history.ledger.push({
    account_id,
    id: idAt(refunded_at),
    kind: 'refund',
    reference: `refund:${otp_id}`,
    credits: 1,
    description: 'Refund: verification not delivered',
    created_at: refunded_at,
  });
}

/** Every seventh delivery fails once before it succeeds. */
function publish(
  history: History,
  { account_id, endpoint_id }: Owner,
  event: {
    n: number;
    at: Date;
    from: string;
    to: string;
    verification: Record<string, unknown>;
    key: { id: string; name: string };
  },
): void {
  const { n, at, from, to, verification, key } = event;
  const message_id = idAt(at);
  const type = from === to ? 'otp.delivered' : `otp.${to}`;
  const { id: otp_id, channel, recipient, created_at, expires_at, sent_at, delivered_at } = verification;
  history.webhook_messages.push({
    id: message_id,
    account_id,
    endpoint_id,
    type,
    otp_id,
    body: {
      type,
      timestamp: at,
      data: {
        otp_id,
        status: to,
        previous_status: from,
        channel,
        recipient,
        api_key: key,
        created_at,
        expires_at,
        sent_at,
        delivered_at: to === 'verified' || from === to ? delivered_at : null,
        verified_at: to === 'verified' ? at : null,
        cost_credits: to === 'failed' ? verification.cost_credits : 1,
        failure: to === 'failed' ? verification.failure : null,
      },
    },
    created_at: at,
  });
  const attempt = (number: number, delayMs: number, succeeded: boolean) => {
    const attempted_at = new Date(at.getTime() + delayMs);
    history.webhook_attempts.push({
      endpoint_id,
      id: idAt(attempted_at),
      account_id,
      message_id,
      event_type: type,
      otp_id,
      attempt: number,
      attempted_at,
      response_status: succeeded ? 200 : 503,
      duration_ms: 40 + ((n * 17) % 160),
      succeeded,
      error: succeeded ? null : 'The endpoint responded with 503',
      response_excerpt: succeeded ? 'ok' : 'Service Unavailable',
      next_attempt_at: succeeded ? null : new Date(at.getTime() + delayMs + 5_000),
    });
  };
  if (n % 7 === 0) {
    attempt(1, 200, false);
    attempt(2, 5_300, true);
  } else attempt(1, 200, true);
}

const keyOf = ({ keys }: Owner, n: number) =>
  keys[n % 9 === 4 ? 1 : n % 11 === 6 ? 2 : 0] as Owner['keys'][number];

function requestLog(
  owner: Owner,
  n: number,
  at: Date,
  request: { request_type: string } & Record<string, unknown>,
): object {
  const isSend = request.request_type === 'send_otp';
  return {
    account_id: owner.account_id,
    id: idAt(at),
    api_key_id: keyOf(owner, n).id,
    method: 'POST',
    endpoint: `/api/v1/otp/${isSend ? 'send' : 'verify'}/`,
    response_time_ms: 4 + ((n * 31) % 40) / 2,
    credits_used: 0,
    channel: null,
    recipient: null,
    otp_id: null,
    ip_address: ADDRESS,
    request_id: idAt(at),
    reason: null,
    count: 1,
    created_at: at,
    ...request,
  };
}
