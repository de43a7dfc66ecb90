import { beforeEach, expect, test } from 'vitest';
import { startIdentityProvider } from '../../../test/fakes/identity-provider.ts';
import { fixture } from '../../../test/fixture.ts';
import { createProviders } from './provider.ts';

const CALLBACK = 'http://sixdigit.test/sso/callback';
const provider = fixture(() => startIdentityProvider(CALLBACK));
const secrets = { state: 'state-of-the-test', nonce: 'nonce-of-the-test', verifier: 'v'.repeat(43) };
const request = { redirectUrl: CALLBACK, ...secrets };
const amy = { subject: 'amy', email: 'amy@corp.example.com', email_verified: true };

const anywhere = () => createProviders({ config: { webhookAllowPrivate: true, ssoPrivateHosts: [] } });
const client = () => ({
  issuer: provider.issuer,
  client_id: provider.client_id,
  client_secret: provider.client_secret,
});

beforeEach(() => {
  provider.faults.clear();
  provider.forge = undefined;
  provider.describe = undefined;
  provider.signature = 'right';
});

async function claims(user: Parameters<typeof provider.signIn>[1] = amy, providers = anywhere()) {
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, user);
  return providers.claimsOf(client(), { ...request, parameters, isStepUp: false });
}

test('a sign-in at the provider yields its subject and verified address', async () => {
  expect(await claims()).toEqual({
    issuer: provider.issuer,
    subject: 'amy',
    email: 'amy@corp.example.com',
    isEmailVerified: true,
    firstName: '',
    lastName: '',
  });
});

const refused = (reason: string, message: RegExp) =>
  expect.objectContaining({ reason, message: expect.stringMatching(message) });

test.each<[string, (claims: Record<string, unknown>) => Record<string, unknown>]>([
  ['of another issuer', (all) => ({ ...all, iss: 'https://other.example.com' })],
  ['for another audience', (all) => ({ ...all, aud: 'another-client' })],
  ['for several audiences and another party', (all) => ({ ...all, aud: ['sixdigit', 'x'], azp: 'x' })],
  ['with another nonce', (all) => ({ ...all, nonce: 'of another sign-in' })],
  ['without a nonce', ({ nonce: _, ...all }) => all],
  ['that has expired', (all) => ({ ...all, exp: Math.floor(Date.now() / 1000) - 3_600 })],
  ['without a subject', ({ sub: _, ...all }) => all],
  ['with a subject of 256 characters', (all) => ({ ...all, sub: 's'.repeat(256) })],
])('an ID token %s is refused', async (_, forge) => {
  provider.forge = forge;
  await expect(claims()).rejects.toEqual(refused('sso_invalid_response', /./));
});

test.each(['of another key', 'none'] as const)(
  'an ID token with the signature "%s" is refused',
  async (signature) => {
    provider.forge = (all) => all;
    provider.signature = signature;
    await expect(claims()).rejects.toEqual(refused('sso_invalid_response', /signature|alg/i));
  },
);

test('a provider that rotates its keys signs its users in immediately', async () => {
  const providers = anywhere();
  await claims(amy, providers);
  await provider.rotateKeys();
  expect(await claims(amy, providers)).toMatchObject({ subject: 'amy' });
});

test.each([
  [{ state: 'of another sign-in' }, 'sso_invalid_response'],
  [{ iss: 'https://other.example.com' }, 'sso_invalid_response'],
  [{ iss: undefined }, 'sso_invalid_response'],
  [{ code: 'not a code' }, 'sso_invalid_response'],
  [{ code: undefined, error: 'access_denied' }, 'sso_denied'],
] as const)('a callback with %j is refused', async (changed, reason) => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = { ...(await provider.signIn(url, amy)), ...changed };
  await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
    refused(reason, /./),
  );
});

test('a code works once, and only with the verifier of its sign-in', async () => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, amy);
  const finish = (verifier: string) =>
    providers.claimsOf(client(), { ...request, verifier, parameters, isStepUp: false });
  await expect(finish('w'.repeat(43))).rejects.toEqual(refused('sso_invalid_response', /invalid_grant/));
  const second = await provider.signIn(
    await providers.authorizationUrl(client(), { ...request, isStepUp: false }),
    amy,
  );
  await providers.claimsOf(client(), { ...request, parameters: second, isStepUp: false });
  await expect(
    providers.claimsOf(client(), { ...request, parameters: second, isStepUp: false }),
  ).rejects.toEqual(refused('sso_invalid_response', /invalid_grant/));
});

test('a wrong client secret is reported to the owner', async () => {
  const providers = anywhere();
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, amy);
  await expect(
    providers.claimsOf({ ...client(), client_secret: 'wrong' }, { ...request, parameters, isStepUp: false }),
  ).rejects.toEqual(refused('sso_invalid_response', /invalid_client/));
});

test('an address that only the userinfo endpoint has is found there', async () => {
  provider.forge = ({ email: _, email_verified: __, ...all }) => all;
  expect(await claims()).toMatchObject({ email: 'amy@corp.example.com', isEmailVerified: true });
  // It does not verify another address in the token.
  provider.forge = ({ email_verified: _, ...all }) => ({ ...all, email: 'ceo@corp.example.com' });
  expect(await claims()).toMatchObject({ email: 'ceo@corp.example.com', isEmailVerified: false });
});

test.each([
  [true, true],
  ['true', true],
  [false, false],
  ['false', false],
  ['yes', false],
])('email_verified %j means %j', async (email_verified, isEmailVerified) => {
  expect(await claims({ ...amy, email_verified })).toMatchObject({ isEmailVerified });
});

test('a step-up needs the time of a recent sign-in', async () => {
  const providers = anywhere();
  const finish = async () => {
    const url = await providers.authorizationUrl(client(), { ...request, isStepUp: true });
    expect(new URL(url).searchParams.get('prompt')).toBe('login');
    const parameters = await provider.signIn(url, amy);
    return providers.claimsOf(client(), { ...request, parameters, isStepUp: true });
  };
  expect(await finish()).toMatchObject({ subject: 'amy' });
  provider.forge = ({ auth_time: _, ...all }) => all;
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /has no auth_time/));
  provider.forge = (all) => ({ ...all, auth_time: Math.floor(Date.now() / 1000) - 3_600 });
  await expect(finish()).rejects.toEqual(refused('sso_sign_in_not_recent', /more than 10 minutes old/));
  provider.forge = (all) => ({ ...all, auth_time: 'now' });
  await expect(finish()).rejects.toEqual(refused('sso_invalid_response', /auth_time/));
});

test.each([
  ['closes', 'sso_provider_unavailable', /closed the connection/],
  ['fails', 'sso_provider_unavailable', /./],
  ['sends HTML', 'sso_provider_unavailable', /./],
  ['sends too much', 'sso_provider_unavailable', /longer than 128 KiB/],
] as const)('a provider that %s is unavailable, wherever that happens', async (mode, reason, message) => {
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks'] as const) {
    provider.faults.clear();
    const providers = anywhere();
    if (path === '/.well-known/openid-configuration') {
      provider.faults.set(path, mode);
      await expect(providers.authorizationUrl(client(), { ...request, isStepUp: false })).rejects.toEqual(
        refused(reason, message),
      );
      continue;
    }
    const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
    const parameters = await provider.signIn(url, amy);
    provider.faults.set(path, mode);
    await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
      refused(reason, message),
    );
  }
});

test('a call of a provider that does not respond ends, and at most ten sign-ins wait for it', async () => {
  provider.faults.set('*', 'is silent');
  provider.calls.length = 0;
  const providers = createProviders(
    { config: { webhookAllowPrivate: true, ssoPrivateHosts: [] } },
    { callMs: 300 },
  );
  const begun = Array.from({ length: 12 }, () =>
    providers.authorizationUrl(client(), { ...request, isStepUp: false }).then(
      () => 'url',
      ({ message }: Error) => message,
    ),
  );
  const outcomes = await Promise.all(begun);
  expect(outcomes.filter((text) => text.startsWith('Too many sign-ins'))).toHaveLength(2);
  expect(outcomes.filter((text) => text === 'No complete response arrived within 0.3 s.')).toHaveLength(10);
  // They share one call.
  expect(provider.calls).toHaveLength(1);
});

test('the discovery document is read once for many sign-ins', async () => {
  const providers = anywhere();
  provider.calls.length = 0;
  for (let n = 0; n < 5; n += 1) await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  expect(provider.calls).toEqual(['/.well-known/openid-configuration']);
});

test.each<[string, (document: Record<string, unknown>) => Record<string, unknown>]>([
  ['another issuer', (all) => ({ ...all, issuer: 'https://other.example.com' })],
  ['no token endpoint', ({ token_endpoint: _, ...all }) => all],
  ['no keys', ({ jwks_uri: _, ...all }) => all],
  ['a script as its page', (all) => ({ ...all, authorization_endpoint: 'javascript:alert(1)' })],
])('a discovery document with %s is refused', async (_, describe) => {
  provider.describe = describe;
  await expect(anywhere().authorizationUrl(client(), { ...request, isStepUp: false })).rejects.toEqual(
    refused('sso_invalid_response', /./),
  );
});

test('the issuers of many tenants, which the library allows at Microsoft, are refused', async () => {
  const issuer = provider.issuer.replace('127.0.0.1', 'tenants.b2clogin.com');
  const config = { webhookAllowPrivate: false, ssoPrivateHosts: ['tenants.b2clogin.com'] };
  const providers = createProviders({ config }, { resolve: async () => ['127.0.0.1'] });
  expect(await providers.problemOf({ issuer, client_id: 'sixdigit' })).toBe(
    `The discovery document names another issuer: ${provider.issuer}`,
  );
});

test('no call reaches a private address unless the operator has named its host', async () => {
  const config = { webhookAllowPrivate: false, ssoPrivateHosts: [] };
  provider.calls.length = 0;
  const guarded = createProviders({ config });
  expect(await guarded.problemOf(client())).toMatch(/HTTPS/);
  expect(provider.calls).toEqual([]);
  const named = createProviders({ config: { ...config, ssoPrivateHosts: ['127.0.0.1'] } });
  expect(await named.problemOf(client())).toBeNull();
});

test('a discovery document cannot direct calls to a private address', async () => {
  const config = { webhookAllowPrivate: false, ssoPrivateHosts: ['127.0.0.1'] };
  provider.describe = (all) => ({
    ...all,
    token_endpoint: provider.issuer.replace('127.0.0.1', 'localhost'),
  });
  const providers = createProviders({ config });
  const url = await providers.authorizationUrl(client(), { ...request, isStepUp: false });
  const parameters = await provider.signIn(url, amy);
  provider.calls.length = 0;
  await expect(providers.claimsOf(client(), { ...request, parameters, isStepUp: false })).rejects.toEqual(
    refused('sso_provider_unavailable', /https|public address/),
  );
  expect(provider.calls).toEqual([]);
});
