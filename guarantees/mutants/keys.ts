import type { Mutant } from './mutant.ts';

/** The limits of an API key: expiry, networks, scopes, rotation, and the step-up before it can do more. */
export const keys: readonly Mutant[] = [
  {
    name: 'keys: an expired key works',
    promise: 'An expired key is refused.',
    file: 'server/src/api-keys/authenticate.ts',
    find: "if (caller.is_expired) return new Failure('api_key_expired');",
    replace: '',
    tests: ['server/src/api-keys/settings.test.ts', 'server/src/api-keys/authenticate.test.ts'],
  },
  {
    name: 'keys: a key works from every network',
    promise: 'A key with allowed networks is refused from any other network.',
    file: 'server/src/api-keys/authenticate.ts',
    find: 'caller.allowed_networks && !isWithinNetworks(ip, caller.allowed_networks)',
    replace: 'caller.allowed_networks?.length === 0',
    tests: ['server/src/api-keys/settings.test.ts'],
  },
  {
    name: 'keys: a rotated key’s old secret works forever',
    promise: 'After a rotation, the old secret stops working at the end of its overlap.',
    file: 'server/sql/functions/admit_requests.sql',
    find: ' and k.retired_until > clock_now()',
    replace: '',
    tests: ['server/src/api-keys/key.test.ts'],
  },
  {
    name: 'keys: a process that has used a key keeps the key’s old settings',
    promise: 'A change to a key or account applies from the next request.',
    file: 'server/sql/functions/admit_requests.sql',
    find: 'c.version is distinct from r.known',
    replace: 'r.known is null',
    tests: ['server/src/api-keys/known-key.test.ts'],
  },
  {
    name: 'keys: a suspended account sends from the dashboard',
    promise: 'A suspended account cannot send, not even from the dashboard.',
    file: 'server/src/api-keys/authenticate.ts',
    find: "if (caller.is_suspended) throw new Failure('account_suspended');",
    replace: '',
    tests: ['server/src/operator/accounts/accounts.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'keys: an expired key sends from the dashboard',
    promise: 'An expired key is refused in the dashboard too.',
    file: 'server/src/api-keys/authenticate.ts',
    find: "if (caller.is_expired) throw new Failure('api_key_expired');",
    replace: '',
    tests: ['server/test/refusals.test.ts'],
  },
  {
    name: 'keys: a change of what a key may do needs no step-up',
    promise: 'Any change but that of a name or note requires a step-up.',
    file: 'server/src/api-keys/api-keys.ts',
    find: 'requireStepUpToChange(caller, changes);',
    replace: '',
    tests: ['server/src/accounts/proofs/step-up.test.ts'],
  },
  {
    name: 'keys: a rotated test key gets a live secret',
    promise: 'A rotation keeps a key’s mode.',
    file: 'server/src/api-keys/api-keys.ts',
    find: 'newKeyText(app, prefixOfMode(before.mode))',
    replace: 'newKeyText(app)',
    tests: ['server/src/api-keys/key.test.ts', 'server/src/otp/test-mode/test-mode.test.ts'],
  },
];
