import { expect, test } from 'vitest';
import { carrierMessage, dispatchOnce } from '../../../../../test/carrier-message.ts';
import { type Incoming, listen, type Reply } from '../../../../../test/fakes/http-listener.ts';
import { systemClock } from '../../../../platform/clock.ts';
import { createCarrier } from '../../kinds.ts';
import { aws4Headers } from './aws4.ts';

/** AWS reports no deliveries in time, so it needs none of the faults of reports. */
async function dispatched(reply: Reply) {
  const requests: Incoming[] = [];
  const listener = await listen((request) => {
    requests.push(request);
    return reply;
  });
  const values = {
    access_key_id: 'AKIDEXAMPLE',
    secret_access_key: 'the secret key',
    region: 'eu-central-1',
    api_url: listener.origin,
  };
  try {
    const carrier = createCarrier('aws', { name: 'aws', values, brandName: 'Sixdigit', clock: systemClock });
    const expires_at = new Date(Date.now() + 300_000);
    return { outcome: await dispatchOnce(carrier, carrierMessage({ expires_at })), requests };
  } finally {
    await listener.close();
  }
}

test('AWS gets a signed message with its life, and without the parts that are not set', async () => {
  const { outcome, requests } = await dispatched({ status: 200, body: { MessageId: 'm1' } });
  expect(outcome).toEqual({ kind: 'accepted', provider_message_id: 'm1' });
  const [request] = requests;
  expect(request?.headers).toMatchObject({
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'PinpointSMSVoiceV2.SendTextMessage',
    authorization: expect.stringMatching(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/eu-central-1\/sms-voice\/aws4_request, SignedHeaders=accept;content-type;host;x-amz-date;x-amz-target, Signature=[0-9a-f]{64}$/,
    ),
  });
  const body = JSON.parse(request?.text ?? '') as { TimeToLive: number };
  expect(body).toEqual({
    DestinationPhoneNumber: carrierMessage().recipient,
    MessageBody: carrierMessage().text,
    MessageType: 'TRANSACTIONAL',
    TimeToLive: expect.any(Number),
  });
  expect(body.TimeToLive).toBeGreaterThan(290);
});

test.each([
  [400, { __type: 'ThrottlingException' }, { temporary: true }],
  [
    400,
    { __type: 'com.amazonaws.sms#ConflictException', Reason: 'DESTINATION_PHONE_NUMBER_OPTED_OUT' },
    { unsubscribed: true },
  ],
  [400, { __type: 'AccessDeniedException', Reason: 'ACCOUNT_DISABLED' }, { rest: true }],
  [400, { __type: 'ValidationException', Reason: 'NEW_REASON' }, { reason: 'aws_new_reason' }],
])('a refusal by AWS is understood: %i %j', async (status, body, expected) => {
  const { outcome } = await dispatched({ status, body });
  expect(outcome).toMatchObject({ kind: 'refused', ...expected });
});

// The vectors get-vanilla, get-vanilla-query-order-key-case and post-vanilla of AWS's test suite.
test.each([
  ['GET', '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['GET', '?Param2=value2&Param1=value1', 'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500'],
  ['POST', '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
])('a request for AWS, %s /%s, is signed as AWS publishes', (method, query, signature) => {
  const url = new URL(`https://example.amazonaws.com/${query}`);
  const key = {
    keyId: 'AKIDEXAMPLE',
    secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
    region: 'us-east-1',
    service: 'service',
    now: new Date('2015-08-30T12:36:00Z'),
  };
  expect(aws4Headers({ method, url, headers: {}, body: '' }, key).authorization).toBe(
    `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=host;x-amz-date, Signature=${signature}`,
  );
});
