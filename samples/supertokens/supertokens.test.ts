import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { expect, test } from 'vitest';
import { listen } from '../../server/test/fakes/http-listener.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { signedIn } from '../../server/test/signed-in.ts';
import { startSample } from '../sample.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));

let codes = 482_900;
/** The part of SuperTokens' core that makes codes. */
const core = fixture(async () => {
  const { origin: url, close } = await listen(({ path }) => {
    const { pathname } = new URL(path, 'http://core');
    const ok = (more: object) => ({ status: 200, body: { status: 'OK', ...more } });
    if (pathname === '/apiversion') return { status: 200, body: { versions: ['5.2', '5.3', '5.4'] } };
    if (pathname.endsWith('/users/by-accountinfo')) return ok({ users: [] });
    const device = { preAuthSessionId: 'pre', deviceId: 'device', phoneNumber: '+12015550162' };
    if (pathname.endsWith('/recipe/signinup/codes')) return ok({ devices: [{ ...device, codes: [] }] });
    if (!/\/recipe\/signinup\/code(?:\/resend)?$/.test(pathname)) return ok({ config: {} });
    codes += 1;
    const code = { codeId: 'code', userInputCode: String(codes), linkCode: 'link', codeLifetime: 900_000 };
    return ok({ ...device, ...code, timeCreated: Date.now() });
  });
  return { url, [Symbol.asyncDispose]: close };
});

const sample = fixture(async () => {
  const { body: key } = await service.call(createApiKey, {
    bearer: await signedIn(service, alice),
    body: { name: 'SuperTokens', scopes: ['otp:send', 'otp:own_code'] },
  });
  return startSample(import.meta.dirname, {
    SUPERTOKENS_URL: core.url,
    SIXDIGIT_URL: origin.url,
    SIXDIGIT_API_KEY: key.key,
  });
});

const messagesTo = async (recipient: string) => {
  await service.deliver();
  return service.inbox(recipient);
};

test('the SuperTokens sample sends the code that SuperTokens made, for as long as it is valid', async () => {
  const phoneNumber = '+12015550161';
  const started = await sample.post('/auth/signinup/code', { phoneNumber });
  expect(started).toMatchObject({ status: 200, body: { status: 'OK', flowType: 'USER_INPUT_CODE' } });
  expect(await messagesTo(phoneNumber)).toMatchObject([{ code: String(codes), channel: 'sms' }]);
  const { seconds } = await service.app.db.one<{ seconds: number }>(
    'select extract(epoch from expires_at - created_at)::integer as seconds from verifications where recipient = $1',
    [phoneNumber],
  );
  expect(seconds).toBe(900);
});

test('the SuperTokens sample sends another code when the person asks for one', async () => {
  const resent = await sample.post('/auth/signinup/code/resend', {
    deviceId: 'device',
    preAuthSessionId: 'pre',
  });
  expect(resent).toMatchObject({ status: 200, body: { status: 'OK' } });
  expect(await messagesTo('+12015550162')).toMatchObject([{ code: String(codes) }]);
});

test('the SuperTokens sample shows a sentence when a number has asked for too many codes', async () => {
  const phoneNumber = '+12015550163';
  const send = () => sample.post('/auth/signinup/code', { phoneNumber });
  for (let n = 0; n < 5; n += 1) expect((await send()).body.status).toBe('OK');
  expect(await send()).toMatchObject({
    status: 200,
    body: {
      status: 'GENERAL_ERROR',
      message: 'Too many codes were requested. Please try again later.',
    },
  });
  expect(await messagesTo(phoneNumber)).toHaveLength(5);
});
