import { createRequire } from 'node:module';
import { expect, test } from 'vitest';
import { ownCodes } from '../test/own-codes.ts';

interface Action {
  onExecuteCustomPhoneProvider(event: object, api: object): Promise<void>;
}

const { onExecuteCustomPhoneProvider } = createRequire(import.meta.url)('./action.cjs') as Action;
const { service, proxy, alice, env } = ownCodes();

/** Runs the Action for an event as Auth0 documents it. Returns what it reports. */
async function run(notification: object, secrets: object = {}): Promise<[string, string][]> {
  const reports: [string, string][] = [];
  const report = (kind: string) => (reason: string) => void reports.push([kind, reason]);
  await onExecuteCustomPhoneProvider(
    {
      client: { client_id: 'client', name: 'Shop', metadata: {} },
      connection: { id: 'con_1', name: 'Users', strategy: 'auth0' },
      notification: {
        as_text: 'Your code is 482913',
        as_voice: 'Your code is 4 8 2 9 1 3',
        code: '482913',
        delivery_method: 'text',
        locale: 'en_US',
        message_type: 'otp_verify',
        recipient: '+12015550111',
        ...notification,
      },
      request: { ip: '198.51.100.7', method: 'POST', geoip: {} },
      secrets: { ...env(), ...secrets },
      tenant: { id: 'tenant' },
      user: { user_id: 'auth0|1' },
    },
    { notification: { drop: report('drop'), retry: report('retry') } },
  );
  return reports;
}

test("the Auth0 Action delivers Auth0's code by SMS and voice", async () => {
  expect(await run({})).toEqual([]);
  expect(await run({ delivery_method: 'voice', code: '771204', message_type: 'otp_enroll' })).toEqual([]);
  await service.deliver();
  expect(await service.inbox('+12015550111')).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ channel: 'sms', code: '482913' }),
      expect.objectContaining({ channel: 'voice', code: '771204' }),
    ]),
  );
});

test("a repetition of Auth0's request sends one message and costs one credit", async () => {
  const notification = { recipient: '+12015550112' };
  const balance = await alice.balance();
  expect(await run(notification)).toEqual([]);
  const cost = balance - (await alice.balance());
  expect(await run(notification)).toEqual([]);
  expect(balance - (await alice.balance())).toBe(cost);
  await service.deliver();
  expect(await service.inbox('+12015550112')).toHaveLength(1);
});

test('the Auth0 Action asks for a retry during an outage, and a lost response sends nothing twice', async () => {
  const notification = { recipient: '+12015550113' };
  for (const fault of ['unavailable', 'refuse', 'lose'] as const) {
    proxy.plan(fault);
    expect(await run(notification)).toEqual([['retry', expect.stringMatching(/^Sixdigit is un/)]]);
  }
  expect(await run(notification)).toEqual([]);
  await service.deliver();
  expect(await service.inbox('+12015550113')).toHaveLength(1);
});

test('the Auth0 Action drops what Sixdigit refuses, with the reason and without the number', async () => {
  expect(await run({ recipient: '+1' })).toEqual([['drop', 'Sixdigit refused the code: 400 recipient']]);
  expect(await run({}, { SIXDIGIT_API_KEY: 'sd_live_wrong' })).toEqual([
    ['drop', 'Sixdigit refused the code: invalid_api_key'],
  ]);
  for (const code of ['111111', '222222', '333333', '444444', '555555'])
    expect(await run({ recipient: '+12015550114', code })).toEqual([]);
  expect(await run({ recipient: '+12015550114', code: '666666' })).toEqual([
    ['drop', 'Sixdigit refused the code: recipient_rate_limited'],
  ]);
  expect(await run({ code: undefined, message_type: 'blocked_account' })).toEqual([
    ['drop', 'Sixdigit sends only codes, no blocked_account'],
  ]);
});

test('the Auth0 Action keeps the API key from the target of a redirect', async () => {
  proxy.plan({ status: 307, headers: { location: `${proxy.url}/elsewhere` } });
  expect(await run({ recipient: '+12015550115' })).toEqual([['retry', expect.any(String)]]);
  expect(proxy.seen).toHaveLength(1);
});
