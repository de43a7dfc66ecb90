import { expect, test } from 'vitest';
import { getMe } from '../accounts/accounts.ts';
import { signIn } from '../accounts/sign-in.ts';
import { failures } from '../errors.ts';
import { getOperatorPrices, updatePrices } from '../operator/prices.ts';
import { sendOtp } from '../otp.ts';
import { routes } from '../routes.ts';
import { TEST_RECIPIENTS } from '../test-mode.ts';
import { reasonsOf } from './describe.ts';
import { openApi } from './openapi.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; required: boolean }[];
  responses: Record<string, unknown>;
  security: object[];
  tags: string[];
}
const document = openApi({
  brand: 'Sixdigit',
  serverUrl: 'https://otp.acme.test/api/v1',
  supportEmail: 'help@acme.test',
}) as {
  paths: Record<string, Record<string, Operation>>;
  tags: { name: string }[];
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.values(item).map((operation) => ({ path, operation })),
);

test('every call in the contract is one OpenAPI operation', () => {
  expect(operations.map(({ operation }) => operation.operationId).sort()).toEqual(
    routes.map(({ name }) => name).sort(),
  );
});

test('the tags are those of the operations', () => {
  const used = new Set(operations.flatMap(({ operation }) => operation.tags));
  expect(document.tags.map(({ name }) => name).sort()).toEqual([...used].sort());
});

test('calls that need a proof of one’s own refuse sessions that SSO began', () => {
  const refusing = routes.filter((route) => reasonsOf(route).includes('sso_session'));
  expect(refusing).toEqual(expect.arrayContaining(routes.filter(({ ownProof }) => ownProof)));
});

test('every path parameter is declared as required', () => {
  for (const { path, operation } of operations) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? []);
    expect(inPath.every(({ required }) => required)).toBe(true);
  }
});

test('an operation lists the status of each error', () => {
  const send = document.paths[sendOtp.path]?.post;
  for (const reason of reasonsOf(sendOtp))
    expect(send?.responses).toHaveProperty(String(failures[reason].status));
  expect(send).toMatchObject({ security: [{ apiKey: [] }], 'x-scope': 'otp:send' });
});

test.each([
  [signIn, 'Needs no authentication.'],
  [sendOtp, 'Needs an API key with the scope `otp:send`.'],
  [getMe, "Needs a user's session."],
  [getOperatorPrices, "Needs an operator's session, or an operator key with the scope `prices:read`."],
  [
    updatePrices,
    "Needs an operator's session with the role admin, or an operator key with the scope `prices:write`.",
  ],
])('the description of $name says who may make the call', (route, need) => {
  const service = { brand: 'Sixdigit', serverUrl: 'https://otp.acme.test/api/v1', supportEmail: '' };
  const { paths } = openApi(service, [route]) as { paths: Record<string, Record<string, unknown>> };
  expect(paths[route.path]?.[route.method.toLowerCase()]).toMatchObject({
    description: expect.stringContaining(need),
  });
});

test('the document names every test recipient', () => {
  const text = JSON.stringify(document);
  for (const { phone, local } of TEST_RECIPIENTS)
    expect(text).toContain(`${phone} or ${local}@sixdigit.test`);
});

test('API calls document their rate-limit headers, and sends also the remaining spend limit', () => {
  const responses = document.paths[sendOtp.path]?.post?.responses as Record<string, { headers: object }>;
  const headersOf = (status: string) => Object.keys(responses[status]?.headers ?? {});
  expect(headersOf('201')).toEqual(
    expect.arrayContaining(['RateLimit-Limit', 'RateLimit-Remaining', 'X-Spend-Limit-Remaining']),
  );
  expect(headersOf('402')).toContain('X-Spend-Limit-Remaining');
  for (const status of ['429', '503']) expect(headersOf(status)).toContain('Retry-After');
  expect(headersOf('400')).not.toContain('X-Spend-Limit-Remaining');
});
