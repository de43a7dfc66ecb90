import { globSync, readFileSync } from 'node:fs';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { UNUSED_REASONS } from './lean-contract.ts';

test('the dashboard reads only those parts of a call that its build keeps', () => {
  const lean = [...routes, ...operatorRoutes].filter(({ auth }) => auth !== 'api_key');
  const cut = new RegExp(
    `\\b(${lean.map(({ name }) => name).join('|')})\\.(query|reply|status|description|failures)\\b`,
  );
  const files = globSync('src/**/*.{ts,tsx}', { cwd: import.meta.dirname });
  expect(files.length).toBeGreaterThan(200);
  const reading = files.flatMap((file) => {
    const found = cut.exec(readFileSync(`${import.meta.dirname}/${file}`, 'utf8'));
    return found ? [`${file}: ${found[0]}`] : [];
  });
  expect(reading).toEqual([]);
});

test('a form names the call whose schema it takes, because calls themselves come without it', () => {
  const names = new Set([...routes, ...operatorRoutes].map(({ name }) => name));
  const taken = globSync('src/**/*.tsx', { cwd: import.meta.dirname }).flatMap((file) =>
    [
      ...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/\bschema\b[^\n]*?\b(\w+)\.body\b/g),
    ].map(([, name = '']) => `${file}: ${name}`),
  );
  expect(taken.length).toBeGreaterThan(20);
  expect(taken.filter((one) => !names.has(one.split(': ')[1] ?? ''))).toEqual([]);
});

test('the dashboard reads only texts of errors that its build keeps', () => {
  const named = globSync('src/**/*.{ts,tsx}', { cwd: import.meta.dirname }).flatMap((file) =>
    [...readFileSync(`${import.meta.dirname}/${file}`, 'utf8').matchAll(/\bfailures\.(\w+)\.error\b/g)].map(
      ([, reason = '']) => reason,
    ),
  );
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((reason) => UNUSED_REASONS.has(reason))).toEqual([]);
  for (const { failures = [] } of routes.filter(({ auth }) => auth === 'api_key'))
    for (const reason of failures) expect(UNUSED_REASONS).not.toContain(reason);
});
