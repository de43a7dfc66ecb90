import { beforeEach, expect } from 'vitest';
import { createProviders } from '../src/accounts/sso/provider.ts';
import { type ProviderUser, startIdentityProvider } from './fakes/identity-provider.ts';
import { fixture } from './fixture.ts';

export const CALLBACK = 'http://sixdigit.test/sso/callback';
const secrets = { state: 'state-of-the-test', nonce: 'nonce-of-the-test', verifier: 'v'.repeat(43) };
export const request = { redirectUrl: CALLBACK, needsIssuer: false, isStepUp: false, ...secrets };
export const amy = { subject: 'amy', email: 'amy@corp.example.com', email_verified: true };

type Providers = ReturnType<typeof createProviders>;

export const anywhere = (options: Parameters<typeof createProviders>[1] = {}): Providers =>
  createProviders({ config: { webhookAllowPrivate: true, ssoPrivateOrigins: [] } }, options);

export const refused = (reason: string, message = /./): unknown =>
  expect.objectContaining({ reason, message: expect.stringMatching(message) });
export const invalid = (message?: RegExp): unknown => refused('sso_invalid_response', message);

export const withoutAddress = ({ email: _, email_verified: __, ...all }: Record<string, unknown>) => all;

/** A provider whose faults end with each test, and sign-ins at it without a service. */
export function providerStage() {
  const provider = fixture(() => startIdentityProvider(CALLBACK));
  const client = () => ({
    account_id: 'account of Alice',
    issuer: provider.issuer,
    client_id: provider.client_id,
    client_secret: provider.client_secret,
  });

  beforeEach(() => {
    provider.faults.clear();
    provider.forge = undefined;
    provider.describe = undefined;
    provider.signature = 'right';
    provider.changes.clear();
  });

  const begin = (providers = anywhere(), asked: Partial<typeof request> = {}) =>
    providers.authorizationUrl(client(), { ...request, ...asked });

  /** Begins a sign-in, which the user completes at the provider. The result finishes it, possibly with another callback. */
  async function signedIn(
    providers = anywhere(),
    asked: Partial<typeof request> = {},
    user: ProviderUser = amy,
  ) {
    const parameters = await provider.signIn(await begin(providers, asked), user);
    return (changed: { parameters?: object; verifier?: string; client_secret?: string } = {}) => {
      const { client_secret = provider.client_secret, ...more } = changed;
      const callback = { ...request, ...asked, ...more, parameters: { ...parameters, ...more.parameters } };
      return providers.claimsOf({ ...client(), client_secret }, callback);
    };
  }

  const claims = async (user: ProviderUser = amy, providers = anywhere()) =>
    (await signedIn(providers, {}, user))();

  return { provider, client, begin, signedIn, claims };
}
