import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { checkedFiles, ROOT } from '../checkout.ts';
import type { Edit } from './fault.ts';
import { scriptFaults } from './script-faults.ts';
import { sqlFaults } from './sql-faults.ts';

const applied = (text: string, { from, to, replacement }: Edit): string =>
  (text.slice(0, from) + replacement + text.slice(to)).replace(/\s+/g, ' ').trim();

test('every condition of a statement is dropped once', () => {
  const sql = 'select a from t where a = 1 and (b = 2 or c = 3) and d between 4 and 5 order by a';
  const dropped = sqlFaults(sql, true).filter(({ kind }) => kind === 'drops a condition');
  expect(dropped.map((edit) => applied(sql, edit))).toEqual([
    'select a from t where a = 1 and d between 4 and 5 order by a',
    'select a from t where a = 1 and (b = 2 or c = 3) order by a',
    'select a from t where (b = 2 or c = 3) and d between 4 and 5 order by a',
  ]);
});

test('a condition that a template literal continues stays whole', () => {
  const sql = 'select a from t where a = 1 and b = ';
  expect(sqlFaults(sql, false).map((edit) => applied(sql, edit))).toEqual(['select a from t where b =']);
});

test('locks, orders, boundaries and statements of a function are dropped or flipped', () => {
  const sql = `begin
    perform lock_it();
    select a from t where a <= 1 order by a for update skip locked;
  end`;
  expect(new Set(sqlFaults(sql, true).map(({ kind }) => kind))).toEqual(
    new Set([
      'flips a comparison',
      'drops an order',
      'drops a lock',
      'waits for a lock',
      'removes a statement',
    ]),
  );
});

test('guards, conditions, comparisons, awaits, masks and arguments of a script are drawn', () => {
  const script = `
    export async function f(a, b) {
      if (a && b > 1) return 2;
      await g(a, b);
      app.log.info('never drawn');
      return maskPhone(a);
    }`;
  expect(scriptFaults('f.ts', script).map((edit) => edit.kind)).toEqual([
    'removes a guard',
    'drops a condition',
    'drops a condition',
    'flips a comparison',
    'removes a statement',
    'skips an await',
    'swaps two arguments',
    'drops a mask',
  ]);
});

test('every fault of every script leaves a script that parses', () => {
  const scripts = checkedFiles().filter((file) =>
    /^server\/src\/(?:otp|credits)\/.*(?<!\.test)\.ts$/.test(file),
  );
  for (const file of scripts) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const { from, to, replacement } of scriptFaults(file, text)) {
      const changed = text.slice(0, from) + replacement + text.slice(to);
      expect(
        parseSync(file, changed, {}).errors,
        `${file}: ${text.slice(from, to)} → ${replacement}`,
      ).toEqual([]);
    }
  }
});
