import { expect, test } from 'vitest';
import { filesBelow, isTest, read } from './source.ts';

/** Where the server names an action: in an object, or in the list of those that owners see. */
const NAMED = /(?:action: |audited\(|^ {2})'([a-z_]+\.[a-z_]+)'/gm;
const TEXTS = 'web/src/operator/Audit.tsx';

test('every action of operators has words on the screen', () => {
  const actions = filesBelow('server/src/operator/')
    .filter((file) => !isTest(file))
    .flatMap((file) => [...read(file).matchAll(NAMED)].map(([, action]) => action ?? ''));
  expect(actions).toContain('verification.resend_failed');
  const texts = read(TEXTS);
  expect([...new Set(actions)].filter((action) => !texts.includes(`'${action}': '`))).toEqual([]);
});
