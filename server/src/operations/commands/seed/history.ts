import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import type { Needs } from '../../../platform/platform.ts';
import { systemRandom } from '../../../platform/security/random.ts';
import { keyOf, type SeedSend } from './sends.ts';
import { EXPIRY_SECONDS, MISREAD, REFUSALS } from './story.ts';

/** Complete, consistent rows for every table that a send writes to. */
export interface History {
  verifications: object[];
  status_history: object[];
  request_logs: SeedRequest[];
  ledger: object[];
  webhook_messages: object[];
  webhook_attempts: object[];
  test_messages: object[];
  /** the verifications whose cost is returned */
  refunded: string[];
}

export interface SeedRequest {
  account_id: string;
  api_key_id: string;
  request_type: string;
  response_status_code: number;
  reason: string | null;
  otp_id: string | null;
  count: number;
  created_at: Date;
}

interface Owner {
  account_id: string;
  keys: readonly { id: string; name: string }[];
  connections: readonly { id: string; name: string }[];
  endpoint_id: string;
}

const DAY_MS = 86_400_000;
const WEBHOOK_DAYS_MS = 29 * DAY_MS;
/** The demo company's server. */
export const SERVER_ADDRESS = '203.0.113.24';

/** Bytes as text, for a column of type bytea. */
export const bytea = (value: Buffer): string => `\\x${value.toString('hex')}`;

/** An id of this time, so that seeded rows sort in time order. */
export const idAt = (at: Date): string =>
  systemRandom({ ...{ sleep: async () => undefined }, now: () => at }).uuid();

export function historyOf(app: Needs<'clock'>, owner: Owner, sends: readonly SeedSend[]): History {
  const now = app.clock.now().getTime();
  const history: History = {
    verifications: [],
    status_history: [],
    request_logs: [],
    ledger: [],
    webhook_messages: [],
    webhook_attempts: [],
    test_messages: [],
    refunded: [],
  };
  for (const send of sends) tell(history, owner, send, now);
  REFUSALS.forEach((refusal, n) => {
    for (const days of [0.3, 8, 31]) {
      const age = (days + n * 0.4) * DAY_MS;
      const { type, status, reason } = refusal;
      const recipient = 'recipient' in refusal ? refusal.recipient : null;
      history.request_logs.push(
        requestLog(
          owner,
          { n, key: keyOf(n, age), at: new Date(now - age) },
          {
            request_type: type,
            response_status_code: status,
            reason,
            recipient,
            channel: recipient ? (recipient.includes('@') ? 'email' : 'sms') : null,
            refused_fields: 'refused' in refusal ? [refusal.refused] : null,
            count: 'count' in refusal ? refusal.count : 1,
          },
        ),
      );
    }
  });
  const key = MISREAD.connection;
  history.request_logs.push(
    requestLog(
      owner,
      { n: 0, key, at: new Date(now - MISREAD.days * DAY_MS) },
      {
        request_type: 'send_otp',
        response_status_code: 400,
        reason: MISREAD.reason,
        endpoint: endpointOf(owner, key, 'sms'),
      },
    ),
  );
  return history;
}

function tell(history: History, owner: Owner, send: SeedSend, now: number) {
  const { n, sent_ms, channel, recipient, country, client_ip, is_test, story, plan } = send;
  const at = (seconds: number) => new Date(sent_ms + Math.round(seconds * 1000));
  const { format } = factsOf(channel);
  const { account_id } = owner;
  const key = keyNamed(owner, send.key);
  const otp_id = plan?.id ?? idAt(at(0));
  const sent = story.moves.some(({ to }) => to === 'sent');
  const carrier = is_test ? 'test' : 'sandbox';
  const verification = {
    account_id,
    id: otp_id,
    api_key_id: key.id,
    channel,
    recipient,
    country,
    client_ip,
    is_test,
    own_code: send.own_code,
    status: story.status,
    cost_credits: is_test ? 0 : 1,
    message:
      n % 10 === 2 && format !== 'speech' && !send.own_code
        ? 'Your Acme code is {code}. Never share it.'
        : null,
    subject: n % 10 === 3 && format === 'mail' && !send.own_code ? 'Your Acme sign-in code' : null,
    segments: format === 'text' ? 1 : null,
    code_length: 6,
    created_at: at(0),
    expires_at: at(plan?.seconds ?? EXPIRY_SECONDS),
    sent_at: sent ? at(1) : null,
    delivered_at: story.delivered ? at(story.delivered) : null,
    verified_at: story.status === 'verified' ? at(story.moves.at(-1)?.after ?? 0) : null,
    carrier: sent ? carrier : null,
    provider_message_id: sent ? `${carrier}-${otp_id}` : null,
    failure: story.failure ?? null,
    closed_by: story.closed_by ?? null,
    plan: plan ? { step: plan.step, steps: plan.steps } : null,
    resend_of: plan?.resend_of ?? null,
    resend_ids: plan?.resend_ids ?? null,
  };
  history.verifications.push(verification);
  if (story.refunded) history.refunded.push(otp_id);
  if (is_test)
    history.test_messages.push({
      account_id,
      id: otp_id,
      created_at: at(1),
      report: null,
      report_at: at(2),
      code_sealed: null,
    });
  else keepBooks(history, owner, { send, otp_id, at });
  const log = { channel, recipient, otp_id };
  // The service itself starts a plan's later messages.
  if (!plan?.resend_of)
    history.request_logs.push(
      requestLog(
        owner,
        { n, key: key.name, at: at(0) },
        {
          ...log,
          request_type: 'send_otp',
          response_status_code: 201,
          credits_used: is_test ? 0 : 1,
          ...(send.own_code && { endpoint: endpointOf(owner, key.name, channel) }),
        },
      ),
    );
  history.request_logs.push(
    ...story.tries.map(({ after, status, reason }) =>
      requestLog(
        owner,
        { n, key: key.name, at: at(after) },
        {
          ...log,
          request_type: 'verify_otp',
          response_status_code: status,
          reason,
        },
      ),
    ),
  );
  for (const { after, from, to, note, byRequest, isNote } of story.moves) {
    history.status_history.push({
      account_id,
      otp_id,
      previous_status: from,
      new_status: to,
      changed_at: at(after),
      ip_address: byRequest ? SERVER_ADDRESS : null,
      notes: note,
    });
    const isTold = !isNote && !(plan?.resend_of && to === 'expired') && story.closed_by !== 'canceled';
    if (from && isTold && sent_ms > now - WEBHOOK_DAYS_MS)
      publish(history, owner, {
        n,
        at: at(after),
        from,
        to,
        verification,
        key,
        isRefunded: story.refunded === true,
      });
  }
}

/** Each send costs one credit, which is refunded if the message is not delivered. */
function keepBooks(
  history: History,
  { account_id }: Owner,
  { send: { channel, story }, otp_id, at }: { send: SeedSend; otp_id: string; at: (seconds: number) => Date },
): void {
  const sent_at = at(0);
  history.ledger.push({
    account_id,
    id: otp_id,
    kind: 'usage',
    reference: null,
    credits: -1,
    description: `${factsOf(channel).label} verification`,
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
    isRefunded: boolean;
  },
): void {
  const { n, at, from, to, verification, key, isRefunded } = event;
  const message_id = idAt(at);
  const type = from === to ? 'otp.delivered' : `otp.${to}`;
  const { id, resend_of, channel, recipient, created_at, expires_at, sent_at, delivered_at } = verification;
  const otp_id = resend_of ?? id;
  history.webhook_messages.push({
    id: message_id,
    account_id,
    endpoint_id,
    type,
    otp_id: id,
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
        cost_credits: to === 'failed' && isRefunded ? 0 : verification.cost_credits,
        failure: to === 'failed' ? verification.failure : null,
        ...(verification.is_test ? { test: true } : {}),
        ...(resend_of ? { resend_id: id } : {}),
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
      otp_id: id,
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

/** The address of a connection for a channel. */
function endpointOf({ connections }: Owner, name: string, channel: Channel): string {
  const connection = connections.find((one) => one.name === name);
  if (!connection) throw new Error(`The demo account has no connection named ${name}.`);
  return `/api/v1/in/${connection.id}/${channel}`;
}

const keyNamed = ({ keys }: Owner, name: string): Owner['keys'][number] => {
  const key = keys.find((one) => one.name === name);
  if (!key) throw new Error(`The demo account has no key named ${name}.`);
  return key;
};

function requestLog(
  owner: Owner,
  { n, key, at }: { n: number; key: string; at: Date },
  request: Pick<SeedRequest, 'request_type' | 'response_status_code'> & Record<string, unknown>,
): SeedRequest {
  const isSend = request.request_type === 'send_otp';
  const row = {
    account_id: owner.account_id,
    id: idAt(at),
    api_key_id: keyNamed(owner, key).id,
    method: 'POST',
    endpoint: `/api/v1/otp/${isSend ? 'send' : 'verify'}/`,
    response_time_ms: 4 + ((n * 31) % 40) / 2,
    credits_used: 0,
    channel: null,
    recipient: null,
    otp_id: null,
    ip_address: SERVER_ADDRESS,
    request_id: idAt(at),
    reason: null,
    refused_fields: null,
    count: 1,
    created_at: at,
    ...request,
  };
  return row;
}
