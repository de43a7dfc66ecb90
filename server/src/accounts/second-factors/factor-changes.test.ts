import { signIn } from '@sixdigit/contract/accounts/sign-in.ts';
import { addPasskey, removePasskey, startPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  confirmAuthenticator,
  createRecoveryCodes,
  getSecondFactors,
  removeAuthenticator,
  startAuthenticator,
  verifyRecoveryCode,
} from '@sixdigit/contract/second-factors/second-factors.ts';
import { expect, test } from 'vitest';
import { authenticatorApp, withAuthenticator } from '../../../test/authenticator.ts';
import { fixture } from '../../../test/fixture.ts';
import { type Person, person, twoFactorPerson } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import { softwarePasskey } from '../../../test/software-passkey.ts';

const ORIGIN = 'http://sixdigit.test';
/** A missing lock shows in about every second race. */
const RACES = 8;

const service = fixture(() => testService({ env: { PUBLIC_URL: ORIGIN } }));

/** A passkey that is ready to be added. */
async function newPasskey({ access: bearer }: Person): Promise<() => Promise<string[] | null>> {
  const { options } = (await service.call(startPasskey, { bearer })).body;
  const body = { name: 'Key', credential: softwarePasskey(ORIGIN).create(options) };
  return async () => {
    const { status, body: added } = await service.call(addPasskey, { bearer, body });
    expect(status).toBe(201);
    return added.recovery_codes;
  };
}

/** An app whose first code is ready to be entered. */
async function newApp({ access: bearer }: Person): Promise<() => Promise<string[] | null>> {
  const { secret } = (await service.call(startAuthenticator, { bearer })).body;
  const code = authenticatorApp(secret, () => service.app.clock.now().getTime()).code();
  return async () => {
    const { status, body } = await service.call(confirmAuthenticator, { bearer, body: { code } });
    expect(status).toBe(200);
    return body.recovery_codes;
  };
}

const leftOf = async ({ access: bearer }: Person) =>
  (await service.call(getSecondFactors, { bearer })).body.recovery_codes_left;

test.each([
  ['a passkey and an app', [newPasskey, newApp]],
  ['two passkeys', [newPasskey, newPasskey]],
])('%s registered concurrently yield one set of recovery codes', async (_, kinds) => {
  for (let race = 0; race < RACES; race += 1) {
    const alice = await person(service, 'Races');
    const ready = [];
    for (const prepare of kinds) ready.push(await prepare(alice));
    const codes = await Promise.all(ready.map((register) => register()));
    expect(codes.filter((one) => one !== null)).toHaveLength(1);
    expect(await leftOf(alice)).toBe(10);
  }
});

test('removing the last two factors concurrently also removes the recovery codes', async () => {
  for (let race = 0; race < RACES; race += 1) {
    const alice = await person(service, 'Removes');
    const bearer = alice.access;
    await (await newPasskey(alice))();
    await (await newApp(alice))();
    const [passkey] = (await service.call(getSecondFactors, { bearer })).body.passkeys;
    const removed = await Promise.all([
      service.call(removePasskey, { bearer, params: { id: passkey?.id ?? '' } }),
      service.call(removeAuthenticator, { bearer }),
    ]);
    expect(removed.map(({ status }) => status)).toEqual([204, 204]);
    expect(await leftOf(alice)).toBe(0);
  }
});

test('recovery codes created while the last factor is being removed are removed with it', async () => {
  for (let race = 0; race < RACES; race += 1) {
    const alice = await person(service, 'Recreates');
    const bearer = alice.access;
    await (await newApp(alice))();
    await Promise.all([
      service.call(createRecoveryCodes, { bearer }),
      service.call(removeAuthenticator, { bearer }),
    ]);
    expect(await leftOf(alice)).toBe(0);
  }
});

test('a recovery code signs in only to an account that has an authenticator app or a passkey', async () => {
  const alice = await twoFactorPerson(service, 'Leftover');
  const app = await withAuthenticator(service, alice);
  const [recovery_code = ''] = app.recovery_codes;
  // Recovery codes without a factor, whatever the cause.
  await service.app.db.run('update authenticators set confirmed_at = null');
  const { body } = await service.call(signIn, { body: alice });
  expect(body.two_factor_methods).toEqual(['email']);
  const entered = await service.call(verifyRecoveryCode, {
    body: { session_token: body.session_token ?? '', recovery_code },
  });
  expect(entered.body.reason).toBe('invalid_recovery_code');
});
