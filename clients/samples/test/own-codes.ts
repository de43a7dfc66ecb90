import { createApiKey } from '@sixdigit/contract/api-keys.ts';
import { fixture } from '../../../server/test/fixture.ts';
import { signedIn } from '../../../server/test/signed-in.ts';
import { type Surroundings, surroundings } from './sign-in.ts';

/** The service for systems that make their own codes, and a key with only the scopes that the samples name. */
export function ownCodes(): Surroundings {
  const around = surroundings();
  const created = fixture(async () => {
    const bearer = await signedIn(around.service, around.alice);
    const scopes = ['otp:send' as const, 'otp:own_code' as const];
    return (await around.service.call(createApiKey, { bearer, body: { name: 'Own codes', scopes } })).body;
  });
  return { ...around, env: () => ({ ...around.env(), SIXDIGIT_API_KEY: created.key }) };
}
