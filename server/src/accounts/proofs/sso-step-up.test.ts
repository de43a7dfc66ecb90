import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { finishSso, startSsoStepUp } from '@sixdigit/contract/accounts/sso.ts';
import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { startPasskeyStepUp, stepUpWithPasskey } from '@sixdigit/contract/second-factors/passkeys.ts';
import {
  getStepUp,
  STEP_UP_SECONDS,
  sendStepUpCode,
  stepUp,
} from '@sixdigit/contract/second-factors/step-up.ts';
import { beforeEach, expect, test } from 'vitest';
import type { ProviderUser } from '../../../test/fakes/identity-provider.ts';
import { type Person, person } from '../../../test/person.ts';
import { bearerBySso, ssoStage, withSso } from '../../../test/single-sign-on.ts';

const stage = ssoStage();
const { service, provider, user } = stage;

const ASSERTION = {
  id: 'AAAA',
  rawId: 'AAAA',
  type: 'public-key',
  response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
  clientExtensionResults: {},
};

let alice: Person;
let ours: string;
let domain: string;
/** Bob's SSO session. He is an owner of Alice's account. */
let bearer: string;

beforeEach(async () => {
  provider.forge = undefined;
  domain = stage.newDomain();
  alice = await person(service, 'Alice');
  ours = (await service.call(getMe, { bearer: alice.access })).body.account_id;
  await withSso(stage, alice.access, { domain });
  bearer = await bearerBySso(stage, user('bob'));
  await service.app.db.run(`update memberships set role = 'owner' where account_id = $1`, [ours]);
});

const withdrawProofs = () =>
  service.app.db.run('update sessions set proven_at = null where sso_account_id = $1', [ours]);
const create = (by: string) => service.call(createApiKey, { bearer: by, body: { name: 'Key' } });

/** Steps up as somebody at the provider. */
async function prove(who: ProviderUser) {
  const { body } = await service.call(startSsoStepUp, { bearer });
  const parameters = await provider.signIn(body.url, who);
  return service.call(finishSso, { body: { login_token: body.login_token, ...parameters } });
}

test('a step-up at the provider proves the identity of the user in the same session', async () => {
  await withdrawProofs();
  expect((await service.call(getStepUp, { bearer })).body).toEqual({ proven_until: null, methods: ['sso'] });
  const local = [
    await service.call(stepUp, { bearer, body: { password: 'anything' } }),
    await service.call(sendStepUpCode, { bearer }),
    await service.call(startPasskeyStepUp, { bearer }),
    await service.call(stepUpWithPasskey, { bearer, body: { credential: ASSERTION } }),
  ];
  for (const answer of local)
    expect(answer).toMatchObject({ status: 400, body: { reason: 'step_up_method_refused' } });
  expect(await create(bearer)).toMatchObject({ body: { reason: 'step_up_required' } });
  await bearerBySso(stage, user('carol'));
  expect(await prove(user('carol'))).toMatchObject({ status: 400, body: { reason: 'sso_other_person' } });
  expect(await create(bearer)).toMatchObject({ body: { reason: 'step_up_required' } });
  const proven = await prove(user('bob'));
  expect(proven).toMatchObject({ status: 200, body: { proven_until: expect.any(String) } });
  expect(proven.body.access).toBeUndefined();
  expect((await create(bearer)).status).toBe(201);
  expect(await service.call(startSsoStepUp, { bearer: alice.access })).toMatchObject({
    status: 400,
    body: { reason: 'step_up_method_refused' },
  });
});

test.each([
  ['no auth_time', undefined],
  ['an old auth_time', Math.floor(Date.now() / 1000) - 3_600],
])(
  'with a provider that sends %s, a new sign-in proves the identity instead of a step-up',
  async (_, auth_time) => {
    await withdrawProofs();
    provider.forge = ({ auth_time: __, ...all }) => (auth_time === undefined ? all : { ...all, auth_time });
    expect(await prove(user('bob'))).toMatchObject({
      status: 400,
      body: {
        reason: 'sso_sign_in_not_recent',
        error:
          'Your identity provider did not confirm that you have just signed in. Log out, then sign in with SSO again. This sign-in proves your identity for 15 minutes.',
      },
    });
    expect(await create(bearer)).toMatchObject({ body: { reason: 'step_up_required' } });
    const again = await bearerBySso(stage, user('bob'));
    expect((await create(again)).status).toBe(201);
    expect(await create(bearer)).toMatchObject({ body: { reason: 'step_up_required' } });
    const { proven_until } = (await service.call(getStepUp, { bearer: again })).body;
    const { created_at } = await service.app.db.one<{ created_at: string }>(
      'select created_at from sessions where sso_account_id = $1 order by id desc limit 1',
      [ours],
    );
    expect(Date.parse(proven_until ?? '') - Date.parse(created_at)).toBe(STEP_UP_SECONDS * 1_000);
  },
);

test('a session can begin 20 step-ups at the provider in 15 minutes', async () => {
  const begin = () => service.call(startSsoStepUp, { bearer });
  for (let n = 0; n < 20; n += 1) {
    // The account's calls are limited, too.
    await service.clock.advance(1_000);
    expect((await begin()).status).toBe(200);
  }
  expect(await begin()).toMatchObject({ status: 429, body: { reason: 'too_many_requests' } });
});
