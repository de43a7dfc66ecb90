import type { Mutant } from './mutant.ts';

/** The limits of an API key: expiry, networks, scopes, rotation, and the step-up before it can do more. */
export const keys: readonly Mutant[] = [
  {
    name: 'keys: an expired key works',
    promise: 'A key is refused from its expiry on.',
    file: 'server/src/api-keys/authenticate.ts',
    find: "if (caller.is_expired) return new Failure('api_key_expired');",
    replace: '',
    tests: ['server/src/api-keys/settings.test.ts', 'server/src/api-keys/authenticate.test.ts'],
  },
  {
    name: 'keys: a key works from every network',
    promise: 'A key with networks is refused from elsewhere.',
    file: 'server/src/api-keys/authenticate.ts',
    find: 'caller.allowed_networks && !isWithinNetworks(ip, caller.allowed_networks)',
    replace: 'caller.allowed_networks?.length === 0',
    tests: ['server/src/api-keys/settings.test.ts'],
  },
  {
    name: 'keys: the secret before a rotation works for ever',
    promise: 'After a rotation, the old secret stops when its days are over.',
    file: 'server/sql/functions/admit_requests.sql',
    find: ' and k.retired_until > clock_now()',
    replace: '',
    tests: ['server/src/api-keys/rotation.test.ts'],
  },
  {
    name: 'keys: a key that was used before keeps its old settings',
    promise: 'A changed key or account counts from the next request on.',
    file: 'server/sql/functions/admit_requests.sql',
    find: 'c.version is distinct from r.known',
    replace: 'r.known is null',
    tests: ['server/src/api-keys/known-key.test.ts'],
  },
  {
    name: 'keys: a suspended account sends from the dashboard',
    promise: 'A suspended account sends nothing, from the dashboard either.',
    file: 'server/src/api-keys/authenticate.ts',
    find: "if (caller.is_suspended) throw new Failure('account_suspended');",
    replace: '',
    tests: ['server/src/operator/accounts/accounts.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'keys: a wider network around an allowed one needs no step-up',
    promise: 'Allowing a wider network asks for a step-up.',
    file: 'server/src/api-keys/widening.ts',
    find: 'bits >= rangeBits && ',
    replace: '',
    tests: ['server/src/api-keys/widening.test.ts'],
  },
  {
    name: 'keys: removing the expiry of a key needs no step-up',
    promise: 'Removing the expiry of a key asks for a step-up.',
    file: 'server/src/api-keys/widening.ts',
    find: '(given === null || Date.parse(given) > Date.parse(before))',
    replace: '(given !== null && Date.parse(given) > Date.parse(before))',
    tests: ['server/src/api-keys/widening.test.ts'],
  },
  {
    name: 'keys: the new secret of a test key looks like a live one',
    promise: 'A rotation leaves the mode of a key as it is.',
    file: 'server/src/api-keys/api-keys.ts',
    find: 'newKeyText(app.random, prefixOfMode(before.mode))',
    replace: 'newKeyText(app.random)',
    tests: ['server/src/api-keys/rotation.test.ts', 'server/src/otp/test-mode/test-mode.test.ts'],
  },
];
