import { type FailureReason, failures } from '@sixdigit/contract/errors.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { REFUSALS } from './refusal-cases.ts';
import { type RefusalStage, refusalStage } from './refusal-stage.ts';
import { codeOf, filesBelow, isTest } from './source.ts';

/** Every refusal that a route lists is provoked by a case of `refusal-cases.ts`, or by a test file that names both. */
const refusals = [...routes, ...operatorRoutes].flatMap(({ name, failures: listed = [] }) =>
  listed.map((reason: FailureReason) => ({ name, reason })),
);

let stage: RefusalStage;
beforeAll(async () => {
  stage = await refusalStage();
});
afterAll(() => stage?.[Symbol.asyncDispose]());

/** The code of the tests of the server, without comments and imports. */
const testsOfOthers = filesBelow('server')
  .filter((file) => (isTest(file) || file.endsWith('-cases.ts')) && !/\/refusals?\b/.test(file))
  .map((file) => codeOf(file).replace(/^import [\s\S]*?;$/gm, ''));

test('every refusal that a route lists has a test', () => {
  const cases = new Set(REFUSALS.map(([{ name }, reason]) => `${name} ${reason}`));
  const untested = refusals
    .filter(({ name, reason }) => {
      const called = new RegExp(`\\b${name}\\b`);
      return !testsOfOthers.some((code) => called.test(code) && code.includes(`'${reason}'`));
    })
    .map(({ name, reason }) => `${name} ${reason}`)
    .filter((refusal) => !cases.has(refusal));
  expect(untested).toEqual([]);
});

test('every case provokes a refusal that its route lists, once', () => {
  const listed = refusals.map(({ name, reason }) => `${name} ${reason}`);
  const cases = REFUSALS.map(([{ name }, reason]) => `${name} ${reason}`);
  expect(cases.filter((one) => !listed.includes(one))).toEqual([]);
  expect(cases).toHaveLength(new Set(cases).size);
});

test.each(REFUSALS.map(([{ name }, reason, refused]) => ({ name, reason, refused })))(
  '$name is refused with $reason',
  async ({ reason, refused }) => {
    const { status, body } = await refused(stage);
    expect({ status, body }).toMatchObject({
      status: failures[reason].status,
      body: { reason, error: expect.any(String) },
    });
  },
);
