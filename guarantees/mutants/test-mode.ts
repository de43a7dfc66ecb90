import type { Mutant } from './mutant.ts';

/** Test keys never charge, never reach a carrier, and never mix with live data. */
export const testMode: readonly Mutant[] = [
  {
    name: 'test mode: a carrier gets queued test messages',
    promise: 'A carrier never gets a test message.',
    file: 'server/sql/functions/write_sends.sql',
    find: "case when is_test then 'test' else channel end",
    replace: 'channel',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'test mode: a carrier gets test messages that are dispatched directly',
    promise: 'A carrier never gets a test message, on the direct way either.',
    file: 'server/src/otp/dispatch/direct.ts',
    find: '!item.is_test && item.texts',
    replace: 'item.texts',
    tests: ['server/src/otp/dispatch/direct.test.ts'],
  },
  {
    name: 'test mode: lists of live rows contain tests',
    promise: 'A list without a mode shows live rows only.',
    file: 'server/src/api-keys/key.ts',
    find: "mode ?? (api_key === null ? 'live' : 'all')",
    replace: "mode ?? 'all'",
    tests: ['server/src/otp/test-mode/test-mode.test.ts'],
  },
  {
    name: 'test mode: a live send shares the code of a test',
    promise: 'A test and a live send to one recipient share no code and no limit.',
    file: 'server/src/otp/code.ts',
    find: 'is_test ? `test:${recipient}` : recipient;',
    replace: 'is_test ? recipient : recipient;',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'test mode: a live request gets the stored answer of a test',
    promise: 'The same Idempotency-Key of a test and of a live request identifies two requests.',
    file: 'server/src/otp/call.ts',
    find: 'idempotency && is_test ? {',
    replace: 'idempotency && is_test && false ? {',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/idempotency.test.ts'],
  },
  {
    name: 'test mode: a live key verifies a test',
    promise: 'A live key does not know the verifications of test keys.',
    file: 'server/src/otp/verify/decision.ts',
    find: ' || verification.is_test !== item.is_test',
    replace: '',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/verify/decision.test.ts'],
  },
  {
    name: 'test mode: a test costs what a live send does',
    promise: 'A test costs nothing, and its response has a cost of 0 credits.',
    file: 'server/src/otp/send/item.ts',
    find: 'cost_credits: is_test ? 0 : ',
    replace: 'cost_credits: ',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
];
