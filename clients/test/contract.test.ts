import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import {
  cancelOtp,
  getOtp,
  OtpState,
  reportOutcome,
  SendReply,
  sendOtp,
  VerifyReply,
  verifyOtp,
} from '@sixdigit/contract/otp.ts';
import type { Given, Reply } from '@sixdigit/contract/route.ts';
import type { WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import type * as client from 'sixdigit';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { fixture } from '../../server/test/fixture.ts';
import { read } from '../../server/test/source.ts';
import { startPython } from './python.ts';

const python = fixture(startPython);

// `npm run check` compiles this file: it fails when a field, a status or an event changes in the contract alone.
test('the types of the TypeScript client are those of the contract', () => {
  expectTypeOf<client.SendReply>().toEqualTypeOf<Reply<typeof sendOtp>>();
  expectTypeOf<client.VerifyReply>().toEqualTypeOf<Reply<typeof verifyOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof getOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof cancelOtp>>();
  expectTypeOf<client.OtpState>().toEqualTypeOf<Reply<typeof reportOutcome>>();
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
  const calls = [sendOtp, verifyOtp, getOtp, cancelOtp, reportOutcome];
  expect(calls.flatMap((call) => call.failures).filter((reason) => !named.includes(reason))).toEqual([]);
  const ofEveryCall = Object.keys(failures).slice(0, Object.keys(failures).indexOf('list_timeout'));
  expect(ofEveryCall.filter((reason) => !named.includes(reason))).toEqual([]);
});

test('the replies of the Python client are those of the contract', async () => {
  const shapes = (await python.call({ call: 'shapes' })) as Record<string, Record<string, string>>;
  expect(shapes).toEqual({
    SendReply: fieldsOf(SendReply),
    VerifyReply: fieldsOf(VerifyReply),
    OtpState: fieldsOf(OtpState),
  });
});

/** The types of a reply's fields in Python. An absent `test` is False. */
function fieldsOf(shape: z.ZodObject): Record<string, string> {
  const { properties = {} } = z.toJSONSchema(shape) as {
    properties?: Record<string, z.core.JSONSchema.JSONSchema>;
  };
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, inPython(property)]));
}

const IN_PYTHON: Record<string, string> = { string: 'str', integer: 'int', boolean: 'bool' };

function inPython({ type, anyOf, const: constant }: z.core.JSONSchema.JSONSchema): string {
  const isObject = (one: unknown) => typeof one === 'object' && one !== null;
  const named = [type, ...(anyOf ?? []).map((one) => (isObject(one) ? one.type : undefined))].flat();
  const [name = typeof constant] = named.filter((one) => one !== undefined && one !== 'null');
  const inPython = IN_PYTHON[name] ?? name;
  return named.includes('null') ? `Optional[${inPython}]` : inPython;
}

test('the Python client sends every field of the contract', async () => {
  const fields = Object.keys(sendOtp.body.shape);
  const source = read('clients/python/src/sixdigit/client.py');
  expect(fields.filter((field) => source.split(`"${field}": ${field},`).length !== 3)).toEqual([]);
});
