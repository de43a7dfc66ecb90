import type { Mutant } from './mutant.ts';

/** Test keys never charge, never reach a carrier, and never mix with live data. */
export const testMode: readonly Mutant[] = [
  {
    name: 'test mode: a carrier gets queued test messages',
    promise: 'A carrier never gets a test message.',
    file: 'server/sql/functions/record_sends.sql',
    find: "case when is_test then 'test' else channel end",
    replace: 'channel',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'test mode: a carrier gets test messages that are dispatched directly',
    promise: 'A carrier never gets a test message, not even by a direct dispatch.',
    file: 'server/src/otp/dispatch/direct.ts',
    find: '!item.is_test && item.texts',
    replace: 'item.texts',
    tests: ['server/src/otp/dispatch/direct.test.ts'],
  },
  {
    name: 'test mode: lists of live rows contain tests',
    promise: 'A list without a mode shows only live rows.',
    file: 'server/src/api-keys/key.ts',
    find: "mode ?? (api_key === null ? 'live' : 'all')",
    replace: "mode ?? 'all'",
    tests: ['server/src/otp/test-mode/test-mode.test.ts'],
  },
  {
    name: 'test mode: a live send shares the code of a test',
    promise: 'A test send and a live send to one recipient share neither a code nor a limit.',
    file: 'server/src/otp/code.ts',
    find: "`${is_test ? 'test:' : ''}",
    replace: '`',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/send/test-send.test.ts'],
  },
  {
    name: 'test mode: a live request gets a test’s stored response',
    promise: 'An Idempotency-Key used in a test and in a live request identifies two requests.',
    file: 'server/src/otp/call.ts',
    find: 'idempotency && is_test ? {',
    replace: 'idempotency && is_test && false ? {',
    tests: ['server/src/otp/test-mode/test-mode.test.ts', 'server/src/otp/idempotency.test.ts'],
  },
  {
    name: 'test mode: a live key verifies a test',
    promise: 'A live key does not find test keys’ verifications.',
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
