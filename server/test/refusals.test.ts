import { failures } from '@sixdigit/contract/errors.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import type { Owner } from './belongings.ts';
import { fixture } from './fixture.ts';
import { casesOf, notFoundOf } from './ownership-cases.ts';
import { REFUSALS } from './refusal-cases.ts';
import { refusalStage } from './refusal-stage.ts';
import { filesBelow, isTest, read } from './source.ts';
import { wordsOfTests } from './words-of-tests.ts';

/**
 * Every refusal that a route lists is provoked by a case of `refusal-cases.ts`, by `ownership.test.ts` with another account's id, or
 * by another test that names both.
 */
const listed = [...routes, ...operatorRoutes].flatMap(({ name, failures: reasons = [] }) =>
  reasons.map((reason) => ({ name, reason })),
);
const titleOf = ({ name, reason }: { name: string; reason: string }) => `${name} is refused with ${reason}`;
const cases = REFUSALS.map(([{ name }, reason, refused]) => ({ name, reason, refused }));

const stage = fixture(refusalStage);

test('every refusal that a route lists has a test', () => {
  const owned = casesOf({} as Owner);
  const foreign = routes.flatMap((route) => {
    const its = owned[route.name];
    const reason = notFoundOf(route);
    const isRefused = typeof its === 'object' && 'names' in its && (its.refused ?? 404) === 404;
    return isRefused && reason ? { name: route.name, reason } : [];
  });
  const own = new Set([...cases, ...foreign].map(titleOf));
  const others = listed.filter((refusal) => !own.has(titleOf(refusal)));
  const tests = filesBelow('server')
    .filter((file) => isTest(file) && others.some(({ reason }) => read(file).includes(reason)))
    .flatMap(wordsOfTests);
  const untested = others.filter(
    ({ name, reason }) => !tests.some((words) => words.has(name) && words.has(reason)),
  );
  expect(untested.map(titleOf)).toEqual([]);
});

test('every case provokes a refusal that its route lists', () => {
  const right = new Set(listed.map(titleOf));
  expect(cases.map(titleOf).filter((title) => !right.has(title))).toEqual([]);
});

test.each(cases)('$name is refused with $reason', async ({ reason, refused }) => {
  const { status, body } = await refused(stage);
  expect({ status, body }).toMatchObject({
    status: failures[reason].status,
    body: { reason, error: expect.any(String) },
  });
});
