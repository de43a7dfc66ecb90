import {
  CARRIER_KIND_FACTS,
  type CarrierFieldName,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import twilio from 'twilio';
import { beforeEach, expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../test/carrier-message.ts';
import {
  type HttpListener,
  type Incoming,
  listen,
  type Reply,
} from '../../../../test/fakes/http-listener.ts';
import { fixture } from '../../../../test/fixture.ts';
import { systemClock } from '../../../platform/clock.ts';
import { createCarrier } from '../kinds.ts';
import { recordProblems } from './record/check.ts';

/** What companies are told about right codes. */
const requests: Incoming[] = [];
let reply: Reply;
const company: HttpListener & AsyncDisposable = fixture(async () => {
  const listener = await listen((request) => {
    requests.push(request);
    return reply;
  });
  return { ...listener, [Symbol.asyncDispose]: listener.close };
});
beforeEach(() => {
  requests.length = 0;
  reply = { status: 200, body: {} };
});

const ACCOUNT = `AC${'0'.repeat(32)}`;
const SID = `SM${'1'.repeat(32)}`;
const record = {
  send: {
    url: '{api_url}/messages',
    auth: { type: 'header', name: 'X-Key', value: '{api_key}' },
    format: 'json',
    body: { to: '{to}', text: '{text}' },
  },
  feedback: {
    url: '{api_url}/messages/{provider_id}/feedback',
    method: 'PUT',
    headers: { 'x-request': '{id}' },
    format: 'form',
    body: { number: '{to_digits}', from: '{from}', verified: true },
  },
} as const;
const FIELDS: Partial<Record<CarrierKind, Partial<Record<CarrierFieldName, string>>>> = {
  telegram: { api_token: 'token' },
  aws: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'secret', region: 'eu-central-1' },
  twilio: { account_sid: ACCOUNT, auth_token: 'token', from: '+12025550199' },
  custom: { record: JSON.stringify(record), api_key: 'key' },
};
const carrierOf = (kind: CarrierKind, feedback = 'verified') =>
  createCarrier(kind, {
    name: kind,
    values: { ...FIELDS[kind], api_url: company.origin, feedback },
    brandName: 'Sixdigit',
    clock: systemClock,
  });
const right = {
  id: '01a1fc70-fdee-736c-b69f-fcfa3db1c769',
  recipient: '+14155552671',
  provider_message_id: SID,
  code: '042424',
};
async function given(kind: CarrierKind) {
  const carrier = carrierOf(kind);
  const outcome = await carrier.feedback?.give(right);
  await carrier.close?.();
  return outcome;
}

test.each([
  [
    'telegram',
    'POST /checkVerificationStatus',
    { authorization: 'Bearer token', 'content-type': 'application/json' },
    `{"request_id":"${SID}","code":"042424"}`,
    { ok: true, result: { request_id: SID } },
  ],
  [
    'aws',
    'POST /',
    {
      authorization: expect.stringMatching(
        /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/sms-voice\//,
      ),
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'PinpointSMSVoiceV2.PutMessageFeedback',
    },
    // As the client of AWS, 3.1138.0, writes it.
    `{"MessageId":"${SID}","MessageFeedbackStatus":"RECEIVED"}`,
    { MessageId: SID, MessageFeedbackStatus: 'RECEIVED' },
  ],
  [
    'custom',
    `PUT /messages/${SID}/feedback`,
    { 'x-key': 'key', 'x-request': right.id, 'content-type': 'application/x-www-form-urlencoded' },
    'number=14155552671&verified=true',
    {},
  ],
] as const)('%s is told about a right code by its request', async (kind, line, headers, text, body) => {
  reply = { status: 200, body };
  expect(await given(kind)).toMatchObject({ kind: 'accepted' });
  expect(requests).toMatchObject([{ headers, text }]);
  expect(`${requests[0]?.method} ${requests[0]?.path}`).toBe(line);
});

test('Twilio’s own client gives the feedback and asks for it as our carrier does', async () => {
  const client = twilio(ACCOUNT, 'token');
  client.api.baseUrl = company.origin;
  reply = { status: 201, body: { sid: SID } };
  await client.messages(SID).feedback.create({ outcome: 'confirmed' });
  expect(await given('twilio')).toMatchObject({ kind: 'accepted' });
  const shape = ({ method, path, text, headers }: Incoming) => [method, path, text, headers.authorization];
  const [theirs, ours] = requests.splice(0).map(shape);
  expect(ours).toEqual(theirs);
  await client.messages.create({
    to: '+14155552671',
    from: '+12025550199',
    body: 'x',
    provideFeedback: true,
  });
  await dispatchOnce(carrierOf('twilio'), carrierMessage());
  const asked = requests.map(({ text }) => new URLSearchParams(text).get('ProvideFeedback'));
  expect(asked).toEqual(['true', 'true']);
});

test.each(['telegram', 'aws', 'twilio', 'custom'] as const)(
  '%s gives no feedback unless it is on',
  async (kind) => {
    const carrier = carrierOf(kind, '');
    expect(carrier.feedback).toBeUndefined();
    await dispatchOnce(carrier, carrierMessage());
    expect(requests[0]?.text).not.toMatch(/feedback/i);
    await dispatchOnce(carrierOf(kind), carrierMessage());
    if (kind === 'aws')
      expect(JSON.parse(requests[1]?.text ?? '')).toMatchObject({ MessageFeedbackEnabled: true });
  },
);

const HUGE = 'x'.repeat(10 * 1_024 * 1_024);
test.each([
  ['HTTP 429', { status: 429, body: {} }, 'again'],
  ['HTTP 500', { status: 500, body: {} }, 'again'],
  ['a reset', 'reset', 'again'],
  ['10 MB', { status: 200, body: { HUGE } }, 'again'],
  ['a web page', { status: 200, body: 'a web page' }, 'again'],
  ['FLOOD_WAIT', { status: 200, body: { ok: false, error: 'FLOOD_WAIT_3' } }, 'again'],
  ['an unknown error', { status: 200, body: { ok: false, error: 'REQUEST_ID_INVALID' } }, 'dropped'],
  ['HTTP 400', { status: 400, body: {} }, 'dropped'],
  ['HTTP 401', { status: 401, body: {} }, 'dropped'],
] satisfies [string, Reply, string][])('feedback that gets %s is not given', async (_what, answer, then) => {
  reply = answer;
  const outcome = await given('telegram');
  expect(outcome?.kind).not.toBe('accepted');
  const mayAccept =
    outcome?.kind === 'uncertain' || (outcome?.kind === 'refused' && outcome.temporary === true);
  expect(mayAccept).toBe(then === 'again');
});

test.each([
  [{ url: '{api_url}/{api_key}' }, /feedback.url must not contain the secret/],
  [{ url: '{api_url}/{code}/{provider_id}' }, /feedback.url must not contain {code}/],
  [{ url: 'https://other.example.com/{provider_id}' }, /must begin as send.url does/],
  [{ url: '{api_url}/' }, /must contain {provider_id}/],
  [
    { headers: { authorization: 'Bearer abc' } },
    /feedback.headers.authorization must be the placeholder of a secret/,
  ],
  [{ headers: { host: 'x' } }, /feedback.headers must not set host/],
  [{ body: { token: 'abc' } }, /feedback.body.token must be the placeholder of a secret/],
  [{ body: { text: '{text}' } }, /feedback.body must not contain {text}/],
])('the feedback of a record is checked as its send is: %j', (change, expected) => {
  const changed = { ...record, feedback: { ...record.feedback, ...change } } as Parameters<
    typeof recordProblems
  >[0];
  expect(recordProblems(changed, CARRIER_KIND_FACTS.custom.fields).join(' ')).toMatch(expected);
});
