import { createRequire } from 'node:module';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../server/test/fixture.ts';
import { sender } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { signedIn } from '../../server/test/signed-in.ts';

interface Event {
  notification: { message_type: string; delivery_method: string; recipient: string; code?: string };
  secrets: Record<string, string>;
}
const action = createRequire(import.meta.url)('./action.cjs') as {
  onExecuteCustomPhoneProvider(event: Event, api: object): Promise<void>;
};

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));
const key = fixture(async () => {
  const bearer = await signedIn(service, alice);
  const scopes = ['otp:send', 'otp:own_code'] as const;
  const { body } = await service.call(createApiKey, { bearer, body: { name: 'Auth0', scopes: [...scopes] } });
  return { text: body.key };
});

/** Runs the Action as Auth0 does. Returns what the Action told Auth0. */
async function run(notification: Partial<Event['notification']>, secrets: Event['secrets'] = {}) {
  const told: string[] = [];
  const event = {
    notification: {
      ...{ message_type: 'otp_verify', delivery_method: 'text', recipient: '+12015550171' },
      ...notification,
    },
    secrets: { SIXDIGIT_URL: origin.url, SIXDIGIT_API_KEY: key.text, ...secrets },
  };
  const tell = (name: string) => (reason: string) => void told.push(`${name}: ${reason}`);
  await action.onExecuteCustomPhoneProvider(event, {
    notification: { drop: tell('drop'), retry: tell('retry') },
  });
  return told;
}
const messagesTo = async (recipient: string) => {
  await service.deliver();
  return service.inbox(recipient);
};

test('the Auth0 sample sends the code by SMS and by voice, and a repeated run sends nothing more', async () => {
  expect(await run({ code: '482913' })).toEqual([]);
  expect(await run({ code: '482913' })).toEqual([]);
  expect(await messagesTo('+12015550171')).toMatchObject([{ code: '482913', channel: 'sms' }]);
  expect(await run({ code: '482914', delivery_method: 'voice', recipient: '+12015550172' })).toEqual([]);
  expect(await messagesTo('+12015550172')).toMatchObject([{ code: '482914', channel: 'voice' }]);
});

test('the Auth0 sample drops what Sixdigit refuses, and has Auth0 repeat what may work later', async () => {
  expect(await run({ code: '482915', recipient: '+1415' })).toEqual([
    expect.stringMatching(/^drop: Sixdigit: .*\(invalid_fields\)$/),
  ]);
  expect(await run({ code: '482916' }, { SIXDIGIT_API_KEY: 'sd_live_wrong' })).toEqual([
    expect.stringMatching(/^drop: .*\(invalid_api_key\)$/),
  ]);
  expect(await run({ code: '482917' }, { SIXDIGIT_URL: 'http://127.0.0.1:9' })).toEqual([
    expect.stringMatching(/^retry: .*\(connection_failed\)$/),
  ]);
  expect(await run({ message_type: 'blocked_account' })).toEqual(['drop: blocked_account has no code']);
});
