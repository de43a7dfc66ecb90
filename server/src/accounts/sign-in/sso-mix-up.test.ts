import {
  finishSso,
  getSso,
  startSso,
  startSsoByIssuer,
  startSsoStepUp,
  updateSso,
} from '@sixdigit/contract/accounts/sso.ts';
import { beforeEach, expect, test } from 'vitest';
import { startNameServer } from '../../../test/fakes/dns.ts';
import { type ProviderUser, startIdentityProvider } from '../../../test/fakes/identity-provider.ts';
import { fixture } from '../../../test/fixture.ts';
import { type Person, person } from '../../../test/person.ts';
import { testService } from '../../../test/service.ts';
import {
  bearerBySso,
  callbackOf,
  SSO_ORIGIN,
  type Stage,
  signInBySso,
  ssoSettings,
  withSso,
} from '../../../test/single-sign-on.ts';

/** Alice's account has an honest provider. Mallory's account has one that does what she wants. */
const names = fixture(startNameServer);
const honest = fixture(() => startIdentityProvider(`${SSO_ORIGIN}/sso/callback`));
const evil = fixture(() => startIdentityProvider(`${SSO_ORIGIN}/sso/callback`));
const service = fixture(() => testService({ env: ssoSettings(names, honest, evil) }));
const alices: Stage = { service, names, provider: honest };
const mallorys: Stage = { service, names, provider: evil };

let alice: Person;
let mallory: Person;
let domain: string;
let trap: string;
let bob: ProviderUser;
let count = 0;

beforeEach(async () => {
  for (const provider of [honest, evil]) Object.assign(provider, { describe: undefined, calls: [] });
  count += 1;
  [domain, trap] = [`corp${count}.example.com`, `trap${count}.example.com`];
  bob = { subject: 'bob', email: `bob@${domain}`, email_verified: true };
  [alice, mallory] = [await person(service, 'Alice'), await person(service, 'Mallory')];
  await withSso(alices, alice.access, { domain });
  await withSso(mallorys, mallory.access, { domain: trap });
  evil.calls.length = 0;
});

const accountOf = async ({ email }: { email: string }): Promise<string> =>
  (await service.app.db.one<{ id: string }>('select id from accounts where email = $1', [email])).id;
const begin = async (at: string) => (await service.call(startSso, { body: { email: `x@${at}` } })).body;
const failureOf = async ({ access }: Person) =>
  (await service.call(getSso, { bearer: access })).body.settings?.last_failure?.text;
/** As if the settings were from before each account had a redirect URL. */
const useShared = () => service.app.db.run('update account_sso set shared_redirect = true');
const withoutIssuer = ({
  authorization_response_iss_parameter_supported: _,
  ...all
}: Record<string, unknown>) => all;

/**
 * The five steps of a mix-up: Mallory begins a sign-in at Alice's account and keeps its URL; Bob begins one at hers, and her
 * provider sends him on to that URL with the state of his own; the honest provider signs him in; his browser posts the code, which
 * must not reach her token endpoint.
 */
async function mixUp(
  change: (parameters: Record<string, string>) => Record<string, string | undefined> = (all) => all,
) {
  const hers = await begin(domain);
  const his = await begin(trap);
  const url = new URL(hers.url);
  url.searchParams.set('state', new URL(his.url).searchParams.get('state') ?? '');
  const parameters = change(await honest.signIn(url.href, bob));
  expect(parameters).toMatchObject({ code: expect.any(String) });
  evil.calls.length = 0;
  return service.call(finishSso, { body: { login_token: his.login_token, ...parameters } as never });
}

test('each account registers a redirect URL of its own', async () => {
  const ids = [await accountOf(alice), await accountOf(mallory)];
  for (const [n, one] of [alice, mallory].entries()) {
    const { body } = await service.call(getSso, { bearer: one.access });
    expect(body.redirect_url).toBe(`${SSO_ORIGIN}/sso/callback/${ids[n]}`);
    expect(body.settings).toMatchObject({ shared_redirect: false });
  }
  const url = new URL((await begin(domain)).url);
  expect(url.searchParams.get('redirect_uri')).toBe(`${SSO_ORIGIN}/sso/callback/${ids[0]}`);
});

test('a code of another account’s provider reaches no provider, and the owner sees why', async () => {
  expect(await mixUp()).toMatchObject({ status: 400, body: { reason: 'sso_other_redirect' } });
  expect(evil.calls).toEqual([]);
  expect(await failureOf(mallory)).toMatch(/redirect URL of another account/);
});

test.each([
  ['the shared redirect URL', () => undefined],
  ['the redirect URL of an unknown account', () => 'ffffffff-ffff-4fff-8fff-ffffffffffff'],
  ['a redirect URL in another spelling', (id: string) => id.toUpperCase()],
])('a sign-in does not end at %s', async (_, spelled) => {
  const { account_id, ...callback } = await callbackOf(alices, bob);
  honest.calls.length = 0;
  const body = { ...callback, account_id: spelled(account_id ?? '') } as never;
  expect(await service.call(finishSso, { body })).toMatchObject({ body: { reason: 'sso_other_redirect' } });
  expect(honest.calls).toEqual([]);
});

test('with the shared redirect URL, a code of another issuer, or of none, reaches no provider', async () => {
  await useShared();
  for (const change of [
    (all: Record<string, string>) => all,
    ({ iss: _, ...all }: Record<string, string>) => all,
  ]) {
    expect(await mixUp(change)).toMatchObject({ body: { reason: 'sso_invalid_response' } });
    expect(evil.calls).not.toContain('/token');
  }
  expect((await signInBySso(alices, bob)).status).toBe(200);
});

test('the shared redirect URL begins no sign-in at a provider that does not send its issuer', async () => {
  await useShared();
  const bearer = await bearerBySso(alices, bob);
  const begun = await callbackOf(alices, bob);
  honest.describe = withoutIssuer;
  const again = await person(service, 'Again');
  await withSso(alices, again.access, { domain: `again${count}.example.com` });
  await useShared();
  const outdated = { status: 400, body: { reason: 'sso_redirect_outdated' } };
  expect(await service.call(startSso, { body: { email: `x@${domain}` } })).toMatchObject(outdated);
  const login_hint = `x@${domain}`;
  const body = { iss: honest.issuer, login_hint };
  expect(await service.call(startSsoByIssuer, { body })).toMatchObject(outdated);
  expect(await service.call(startSsoStepUp, { bearer })).toMatchObject(outdated);
  expect(await service.call(finishSso, { body: begun })).toMatchObject(outdated);
  expect(await failureOf(alice)).toMatch(/Register the redirect URL of this account/);
});

test('an owner moves to the redirect URL of the account once, and sign-ins that have begun end', async () => {
  await useShared();
  const begun = await callbackOf(alices, bob);
  const { issuer, client_id } = honest;
  const body = { issuer, client_id, domain, default_role: 'viewer' as const };
  const unchanged = await service.call(updateSso, { bearer: alice.access, body });
  expect(unchanged.body.settings).toMatchObject({ shared_redirect: true });
  const moved = await service.call(updateSso, {
    bearer: alice.access,
    body: { ...body, shared_redirect: false },
  });
  expect(moved.body.settings).toMatchObject({ shared_redirect: false });
  const back = { ...body, shared_redirect: true as never };
  expect((await service.call(updateSso, { bearer: alice.access, body: back })).status).toBe(400);
  expect(await service.call(finishSso, { body: begun as never })).toMatchObject({
    body: { reason: 'invalid_sso_login' },
  });
  expect((await signInBySso(alices, bob)).status).toBe(200);
});

test('a provider begins a sign-in by its issuer', async () => {
  for (const iss of [evil.issuer, `${evil.issuer}/`]) {
    const login_hint = `eve@${trap}`;
    const { status, body } = await service.call(startSsoByIssuer, { body: { iss, login_hint } });
    expect(status).toBe(200);
    const parameters = await evil.signIn(body.url, {
      subject: 'eve',
      email: login_hint,
      email_verified: true,
    });
    const finished = { login_token: body.login_token, ...parameters } as never;
    expect((await service.call(finishSso, { body: finished })).body.account_id).toBe(
      await accountOf(mallory),
    );
  }
  // By now several accounts use it.
  for (const body of [
    { iss: honest.issuer },
    { iss: 'https://unknown.example' },
    { iss: honest.issuer, login_hint: 'x' },
  ])
    expect(await service.call(startSsoByIssuer, { body })).toMatchObject({
      body: { reason: 'sso_issuer_unknown' },
    });
});

test.each([
  ['access_denied', 'The provider refused: access_denied.'],
  ['Call +1 900 555 0100', 'The provider refused: an unknown error code.'],
])('the error %j of a provider that omits the state ends the sign-in', async (provider_error, text) => {
  const { state: _, code: __, ...callback } = await callbackOf(alices, bob);
  const body = { ...callback, provider_error } as never;
  expect(await service.call(finishSso, { body })).toMatchObject({ body: { reason: 'sso_denied' } });
  expect(await failureOf(alice)).toBe(text);
  expect(await service.call(finishSso, { body })).toMatchObject({ body: { reason: 'sso_login_used' } });
});

test('a callback without a state and an error is refused and uses nothing up', async () => {
  const { state, ...callback } = await callbackOf(alices, bob);
  expect(await service.call(finishSso, { body: callback as never })).toMatchObject({
    body: { reason: 'invalid_sso_login' },
  });
  expect((await service.call(finishSso, { body: { ...callback, state } as never })).status).toBe(200);
});
