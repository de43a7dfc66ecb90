import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import { cancelOtp, getOtp, reportOutcome, sendOtp, verifyOtp } from '@sixdigit/contract/otp.ts';
import { createChallenge } from '@sixdigit/contract/proof.ts';
import type { Given, Reply } from '@sixdigit/contract/route.ts';
import type { WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import type * as client from 'sixdigit';
import { expect, expectTypeOf, test } from 'vitest';
import type { z } from 'zod';
import { read } from '../../server/test/source.ts';

// `npm run check` compiles this file: it fails when a field, a status or an event changes in the contract alone.
test('the types of the TypeScript client are those of the contract', () => {
  expectTypeOf<client.SendReply>().toEqualTypeOf<Reply<typeof sendOtp>>();
  expectTypeOf<client.VerifyReply>().toEqualTypeOf<Reply<typeof verifyOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof getOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof cancelOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof reportOutcome>>();
  expectTypeOf<client.Challenge>().toEqualTypeOf<Reply<typeof createChallenge>>();
  expectTypeOf<client.ChallengeInput>().toEqualTypeOf<Given<typeof createChallenge, 'body'>>();
  expectTypeOf<client.WebhookEvent>().toEqualTypeOf<z.output<typeof WebhookMessage>>();
  expectTypeOf<client.SendInput>().toEqualTypeOf<Given<typeof sendOtp, 'body'>>();
  expectTypeOf<keyof client.VerifyInput>().toEqualTypeOf<keyof Given<typeof verifyOtp, 'body'>>();
  expectTypeOf<client.VerifyInput>().toExtend<Given<typeof verifyOtp, 'body'>>();
  expectTypeOf<client.ApiReason>().toExtend<FailureReason>();
});

test('the TypeScript client names every reason of the calls with an API key', () => {
  const named = [...read('clients/typescript/src/error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map(
    ([, name]) => name,
  );
  const calls = [createChallenge, sendOtp, verifyOtp, getOtp, cancelOtp, reportOutcome];
  expect(calls.flatMap((call) => call.failures).filter((reason) => !named.includes(reason))).toEqual([]);
  const ofEveryCall = Object.keys(failures).slice(0, Object.keys(failures).indexOf('list_timeout'));
  expect(ofEveryCall.filter((reason) => !named.includes(reason))).toEqual([]);
});
