import { globSync, readFileSync } from 'node:fs';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';

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
