import { listVerifications } from '@sixdigit/contract/verifications.ts';
import { expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { signedIn } from '../../../server/test/signed-in.ts';
import { browsersOf, startApplication } from '../test/application.ts';
import { ownCodes } from '../test/own-codes.ts';
import { type FakeCore, fakeCore } from './fake-core.ts';

const { service, proxy, alice, env } = ownCodes();
const core: FakeCore = fixture(fakeCore);
const sample = fixture(() =>
  startApplication({
    command: process.execPath,
    args: ['--conditions=@sixdigit/source', 'server.mjs'],
    cwd: import.meta.dirname,
    env: { ...env(), PORT: '0', SUPERTOKENS_URL: core.url },
  }),
);

/** A call of SuperTokens' own screens. */
async function post(path: string, body: object) {
  const { status, text } = await browsersOf(sample)().postJson(`/auth${path}`, body);
  return { status, body: JSON.parse(text) };
}
const createCode = (phoneNumber: string) => post('/signinup/code', { phoneNumber });
const refusal = (message: string) => ({ status: 200, body: { status: 'GENERAL_ERROR', message } });

test("Sixdigit delivers SuperTokens' code, and a new one on request", async () => {
  const { status, body } = await createCode('+1 201 555 0131');
  expect({ status, body }).toMatchObject({ status: 200, body: { status: 'OK' } });
  const { deviceId, preAuthSessionId } = body;
  const again = await post('/signinup/code/resend', { deviceId, preAuthSessionId });
  expect(again).toMatchObject({ status: 200, body: { status: 'OK' } });
  await service.deliver();
  const messages = await service.inbox('+12015550131');
  expect(messages.map(({ code }) => code).toSorted()).toEqual(core.codes.toSorted());
  const bearer = await signedIn(service, alice);
  const { body: list } = await service.call(listVerifications, { bearer });
  const states = await Promise.all(list.results.map(({ id }) => alice.state(id)));
  // As long as SuperTokens' code is valid.
  const lifetimes = states.map(
    ({ created_at, expires_at }) => Date.parse(expires_at) - Date.parse(created_at),
  );
  expect(lifetimes).toEqual([900_000, 900_000]);
});

test("SuperTokens' screens show a sentence during an outage", async () => {
  proxy.plan('unavailable', 'unavailable', 'unavailable');
  expect(await createCode('+12015550132')).toEqual(
    refusal('The code could not be sent. Please try again later.'),
  );
  expect(await createCode('+12015550132')).toMatchObject({ body: { status: 'OK' } });
});

test("SuperTokens' screens show why Sixdigit refuses a number", async () => {
  for (let n = 0; n < 5; n += 1)
    expect(await createCode('+12015550133')).toMatchObject({ body: { status: 'OK' } });
  expect(await createCode('+12015550133')).toEqual(
    refusal('Too many codes were requested. Please try again later.'),
  );
  // A premium number is valid for SuperTokens.
  expect(await createCode('+19002345678')).toEqual(refusal('Please check the phone number.'));
});
