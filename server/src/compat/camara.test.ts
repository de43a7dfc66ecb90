import { expect, test } from 'vitest';
import { serviceWithCarriers } from '../../test/carriers.ts';
import { fixture } from '../../test/fixture.ts';
import { sender, wrongCode } from '../../test/sender.ts';
import { optOut, optOutFingerprint } from '../messaging/opt-outs/opt-outs.ts';

const service = fixture(() => serviceWithCarriers(['http'], { ALLOWED_COUNTRIES: 'US,CA,CH' }));
const alice = fixture(() => sender(service, 'Alice', { keys: 8 }));
const bob = fixture(() => sender(service, 'Bob', { credits: 0, keys: 1 }));

let count = 0;
const phone = () => `+1415555${String(7000 + ++count)}`;
const MESSAGE = '{{code}} is your short code';

async function post(path: string, payload: object | string, headers: Record<string, string> = {}) {
  const answer = await service.inject({
    method: 'POST',
    url: `/compat/camara/one-time-password-sms/v1/${path}`,
    headers: { authorization: `Bearer ${alice.key()}`, 'content-type': 'application/json', ...headers },
    payload,
  });
  return {
    status: answer.statusCode,
    headers: answer.headers,
    body: answer.body === '' ? undefined : answer.json(),
  };
}

const sendTo = (phoneNumber: string, headers?: Record<string, string>) =>
  post('send-code', { phoneNumber, message: MESSAGE }, headers);
const validate = (authenticationId: string, code: string, headers?: Record<string, string>) =>
  post('validate-code', { authenticationId, code }, headers);

/** The text and the code of the message to a number. */
async function received(recipient: string): Promise<{ text: string; code: string }> {
  await service.drain();
  const [message] = service.http.messages.filter((one) => one.recipient === recipient);
  const text = String(message?.text);
  return { text, code: /\d{6}/.exec(text)?.[0] ?? '' };
}

test('a code is sent with the message of the caller and validated once', async () => {
  const to = phone();
  const sent = await sendTo(to, { 'x-correlator': 'b4333c46-49c0-4f62-80d7-f0ef930f1c46' });
  expect(sent).toMatchObject({
    status: 200,
    headers: { 'x-correlator': 'b4333c46-49c0-4f62-80d7-f0ef930f1c46' },
  });
  const id = String(sent.body.authenticationId);
  expect(Object.keys(sent.body)).toEqual(['authenticationId']);
  const { text, code } = await received(to);
  expect(text).toBe(`${code} is your short code`);

  expect(await validate(id, wrongCode(code))).toMatchObject({
    status: 400,
    body: { status: 400, code: 'ONE_TIME_PASSWORD_SMS.INVALID_OTP', message: 'Invalid OTP code' },
  });
  expect(await validate(id, code)).toMatchObject({ status: 204, body: undefined });
  expect(await validate(id, code)).toMatchObject({
    status: 400,
    body: { code: 'ONE_TIME_PASSWORD_SMS.VERIFICATION_EXPIRED' },
  });
  expect(await alice.state(id)).toMatchObject({ status: 'verified', cost_credits: 1, recipient: to });
});

test('the code fails after five wrong codes, and expires', async () => {
  const [first, second] = [phone(), phone()];
  const failed = (await sendTo(first)).body.authenticationId;
  const { code } = await received(first);
  for (let n = 1; n <= 4; n++) await validate(failed, wrongCode(code, n));
  expect((await validate(failed, wrongCode(code, 5))).body.code).toMatch(/INVALID_OTP|VERIFICATION_FAILED/);
  expect((await validate(failed, code)).body).toMatchObject({
    status: 400,
    code: 'ONE_TIME_PASSWORD_SMS.VERIFICATION_FAILED',
  });

  const expired = (await sendTo(second)).body.authenticationId;
  const late = await received(second);
  await service.clock.advance(301_000);
  expect((await validate(expired, late.code)).body.code).toBe('ONE_TIME_PASSWORD_SMS.VERIFICATION_EXPIRED');
});

test('a recipient gets five codes in ten minutes', async () => {
  const to = phone();
  for (let n = 0; n < 5; n++) expect((await sendTo(to)).status).toBe(200);
  const refused = await sendTo(to);
  expect(refused).toMatchObject({
    status: 403,
    body: { status: 403, code: 'ONE_TIME_PASSWORD_SMS.MAX_OTP_CODES_EXCEEDED' },
  });
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
});

test('numbers that may not or cannot get an SMS are refused, and so is an account without credits', async () => {
  for (const [number, message] of [
    ['+4915112345678', 'Phone numbers of this country are not allowed on this service.'],
    ['+19005550123', 'This kind of phone number cannot receive codes.'],
    ['+41443645555', 'This number is a landline, which gets no SMS.'],
    ['+14150000000', 'Enter a valid phone number, such as +14155552671.'],
  ])
    expect(await sendTo(String(number)), number).toMatchObject({
      status: 403,
      body: { status: 403, code: 'ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_NOT_ALLOWED', message },
    });
  const broke = { authorization: `Bearer ${bob.api_key}` };
  expect(await sendTo(phone(), broke)).toMatchObject({ status: 429, body: { code: 'QUOTA_EXCEEDED' } });
});

test('each refusal of a send has the code of the standard', async () => {
  const stopped = phone();
  await optOut(service.app.db, optOutFingerprint(service.app, stopped));
  expect((await sendTo(stopped)).body).toMatchObject({
    status: 403,
    code: 'ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_BLOCKED',
  });
  const carol = await sender(service, 'Carol', { keys: 1 });
  const as = { authorization: `Bearer ${carol.api_key}` };
  const set = (table: string, change: string) =>
    service.app.db.run(
      `update ${table} set ${change} where ${table === 'accounts' ? 'id' : 'account_id'} = $1`,
      [carol.account_id],
    );
  await set('balances', 'daily_credit_limit = 1');
  expect((await sendTo(phone(), as)).status).toBe(200);
  expect((await sendTo(phone(), as)).body).toMatchObject({ status: 429, code: 'QUOTA_EXCEEDED' });
  await set('accounts', 'suspended_at = clock_now()');
  expect((await sendTo(phone(), as)).body).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' });
});

test('any text of at most ten characters is a code: what cannot be right is wrong and uses no try', async () => {
  const to = phone();
  const { authenticationId } = (await sendTo(to)).body;
  const { code } = await received(to);
  const INVALID = { status: 400, body: { status: 400, code: 'ONE_TIME_PASSWORD_SMS.INVALID_OTP' } };
  for (const text of ['ABCDEF', '12345', '', ' ', '--', 'nine chars', '\u20ac', '0x1234'])
    expect(await validate(authenticationId, text), text).toMatchObject(INVALID);
  expect(await post('validate-code', { authenticationId, code: 7 })).toMatchObject(INVALID);
  const number = Number(code);
  expect(
    (await post('validate-code', { authenticationId: ` ${authenticationId.toUpperCase()}`, code: number }))
      .status,
  ).toBe(204);
});

const CORRELATOR = 'b4333c46-49c0-4f62-80d7-f0ef930f1c46';
const NOBODY = '01a1fc75-a1b2-7c3d-8e4f-5a6b7c8d9e0f';

/** The refusals in the standard's test definitions (code/Test_definitions) that need no earlier request, by their names there. */
test.each<
  [
    name: string,
    path: string,
    payload: object | string,
    status: number,
    code: string,
    headers?: Record<string, string>,
  ]
>([
  ['send_code_400.1 no body', 'send-code', '', 400, 'INVALID_ARGUMENT'],
  ['send_code_400.2 empty body', 'send-code', {}, 400, 'INVALID_ARGUMENT'],
  [
    'send_code_400.3 phone number',
    'send-code',
    { phoneNumber: '3301', message: MESSAGE },
    400,
    'INVALID_ARGUMENT',
  ],
  ['send_code_400.4 no message', 'send-code', { phoneNumber: '+14155550100' }, 400, 'INVALID_ARGUMENT'],
  [
    'send_code_400.5 no place',
    'send-code',
    { phoneNumber: '+14155550100', message: 'message without code' },
    400,
    'INVALID_ARGUMENT',
  ],
  [
    'send_code_400.6 long',
    'send-code',
    { phoneNumber: '+14155550100', message: `{{code}}${'x'.repeat(160)}` },
    400,
    'INVALID_ARGUMENT',
  ],
  ['send_code_401.1 no token', 'send-code', {}, 401, 'UNAUTHENTICATED', { authorization: '' }],
  ['send_code_401.3 invalid token', 'send-code', {}, 401, 'UNAUTHENTICATED', { authorization: 'Bearer x' }],
  [
    'send_code_403.2 cannot receive SMS',
    'send-code',
    { phoneNumber: '+19005550123', message: MESSAGE },
    403,
    'ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_NOT_ALLOWED',
  ],
  [
    'send_code_403.3 landline',
    'send-code',
    { phoneNumber: '+41443645555', message: MESSAGE },
    403,
    'ONE_TIME_PASSWORD_SMS.PHONE_NUMBER_NOT_ALLOWED',
  ],
  ['validate_code_400.1 no body', 'validate-code', '', 400, 'INVALID_ARGUMENT'],
  ['validate_code_400.2 empty body', 'validate-code', {}, 400, 'INVALID_ARGUMENT'],
  ['validate_code_400.3 no id', 'validate-code', { code: '123456' }, 400, 'INVALID_ARGUMENT'],
  ['validate_code_400.10 no code', 'validate-code', { authenticationId: NOBODY }, 400, 'INVALID_ARGUMENT'],
  [
    'validate_code_400.4 long',
    'validate-code',
    { authenticationId: NOBODY, code: 'thisCodeExceedsTenCharacters' },
    400,
    'INVALID_ARGUMENT',
  ],
  ['validate_code_401.1 no token', 'validate-code', {}, 401, 'UNAUTHENTICATED', { authorization: '' }],
  [
    'validate_code_401.3 invalid token',
    'validate-code',
    {},
    401,
    'UNAUTHENTICATED',
    { authorization: 'Bearer x' },
  ],
  [
    'validate_code_404 unknown',
    'validate-code',
    { authenticationId: NOBODY, code: '123456' },
    404,
    'NOT_FOUND',
  ],
])('the scenario %s of the standard holds', async (_, path, payload, status, code, headers = {}) => {
  const answer = await post(path, payload, { 'x-correlator': CORRELATOR, ...headers });
  expect(answer).toMatchObject({
    status,
    headers: { 'x-correlator': CORRELATOR, 'content-type': expect.stringContaining('application/json') },
    body: { status, code, message: expect.stringMatching(/\w/) },
  });
});

test.each([
  ['send-code', {}, 'phoneNumber is required'],
  [
    'send-code',
    { phoneNumber: '4155550100', message: MESSAGE },
    'phoneNumber must be in E.164 with a leading +',
  ],
  ['send-code', { phoneNumber: '+14155550100', message: 'No place' }, 'message must include {{code}}'],
  [
    'send-code',
    { phoneNumber: '+14155550100', message: `{{code}}${'x'.repeat(153)}` },
    'message must have at most 160 characters',
  ],
  ['validate-code', { code: '123456' }, 'authenticationId is required'],
  ['validate-code', { authenticationId: 'x', code: '12345678901' }, 'code must have at most 10 characters'],
  ['send-code', '{', 'The request body is not valid JSON'],
])('%s refuses %j', async (path, payload, message) => {
  expect(await post(path, payload)).toMatchObject({
    status: 400,
    body: { status: 400, code: 'INVALID_ARGUMENT', message },
  });
});

test('the bearer token must be a key with the scope of the call', async () => {
  const none = await sendTo(phone(), { authorization: '' });
  expect(none).toMatchObject({ status: 401, body: { status: 401, code: 'UNAUTHENTICATED' } });
  expect(await sendTo(phone(), { authorization: 'Bearer sd_live_x' })).toMatchObject({ status: 401 });
  const key = await service.anotherKey(alice.account_id);
  await service.app.db.run(`update api_keys set scopes = '{otp:send}' where id = $1`, [key.id]);
  const to = phone();
  const narrow = { authorization: `Bearer ${key.key}` };
  const { authenticationId } = (await sendTo(to, narrow)).body;
  expect(await validate(authenticationId, '123456', narrow)).toMatchObject({
    status: 403,
    body: { status: 403, code: 'PERMISSION_DENIED' },
  });
});

test('the code of another account is unknown', async () => {
  const to = phone();
  const { authenticationId } = (await sendTo(to)).body;
  const { code } = await received(to);
  const other = { authorization: `Bearer ${bob.api_key}` };
  for (const id of [authenticationId, 'unknown'])
    expect(await validate(id, code, other)).toMatchObject({
      status: 404,
      body: { status: 404, code: 'NOT_FOUND' },
    });
  expect((await validate(authenticationId, code)).status).toBe(204);
});

test('a correlator that the standard does not allow is not repeated', async () => {
  expect((await sendTo(phone(), { 'x-correlator': 'a b"c' })).headers['x-correlator']).toBeUndefined();
});

test('the request log holds each call with its recipient', async () => {
  const to = phone();
  const { authenticationId } = (await sendTo(to)).body;
  await validate(authenticationId, '000000');
  await service.app.requestLog.flush();
  const rows = await service.app.db.rows(
    `select request_type, endpoint, response_status_code as status, reason from request_logs
     where account_id = $1 and otp_id = $2 order by id`,
    [alice.account_id, authenticationId],
  );
  expect(rows).toMatchObject([
    {
      request_type: 'send_otp',
      endpoint: '/compat/camara/one-time-password-sms/v1/send-code',
      reason: null,
    },
    { request_type: 'verify_otp', reason: 'invalid_code' },
  ]);
});
