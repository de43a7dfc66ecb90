import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseSync } from 'rolldown/utils';
import { expect, test } from 'vitest';
import { checkedFiles, ROOT } from '../checkout.ts';
import { BrowserTests, CoveringTests } from './covering-tests.ts';
import { type Edit, scriptFaults } from './faults.ts';
import { reasons } from './reasons.ts';
import { pythonFaults, sqlFaults } from './sql-faults.ts';

const applied = (text: string, { from, to, replacement }: Edit): string =>
  (text.slice(0, from) + replacement + text.slice(to)).replace(/\s+/g, ' ').trim();

test('the faults of a statement drop each of its conditions once', () => {
  const sql = 'select a from t where a = 1 and (b = 2 or c = 3) and d between 4 and 5 order by a';
  const dropped = sqlFaults(sql, true).filter(({ kind }) => kind === 'drops a condition');
  expect(dropped.map((edit) => applied(sql, edit))).toEqual([
    'select a from t where a = 1 and ((b = 2 or c = 3) or true) and d between 4 and 5 order by a',
    'select a from t where a = 1 and (b = 2 or c = 3) and (d between 4 and 5 or true) order by a',
    'select a from t where (a = 1 or true) and (b = 2 or c = 3) and d between 4 and 5 order by a',
  ]);
});

test('a condition that continues after a template literal is not dropped', () => {
  const sql = 'select a from t where a = 1 and b = ';
  expect(sqlFaults(sql, false).map((edit) => applied(sql, edit))).toEqual([
    'select a from t where (a = 1 or true) and b =',
  ]);
});

test('an ORDER BY is dropped with all of its columns', () => {
  const sql = 'select a from t order by a desc, b limit 3';
  expect(sqlFaults(sql, true).map((edit) => applied(sql, edit))).toEqual(['select a from t limit 3']);
});

test('each column that an upsert changes is forgotten once, up to its FROM', () => {
  const kept = (sql: string) =>
    sqlFaults(sql, true)
      .filter(({ kind }) => kind === 'forgets a column')
      .map((edit) => applied(sql, edit));
  expect(
    kept('insert into t on conflict (id) do update set a = excluded.a, b = case when x then 1 end where c'),
  ).toEqual([
    'insert into t on conflict (id) do update set b = case when x then 1 end where c',
    'insert into t on conflict (id) do update set a = excluded.a where c',
  ]);
  expect(kept('update t set a = coalesce(b, c), d = 1 from e')).toEqual([
    'update t set d = 1 from e',
    'update t set a = coalesce(b, c) from e',
  ]);
  expect(kept('update t set a = 1 where b')).toEqual([]);
});

test('faults drop or flip locks, orders, boundaries and statements of a database function', () => {
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

test('faults are drawn in guards, conditions, comparisons, statements, masks and arguments of a script', () => {
  const script = `
    export async function f(a, b) {
      if (a && b > 1) return 2;
      if (b) {
        await g(a, b);
      }
      app.log.info('never drawn');
      return maskPhone(a);
    }`;
  expect(scriptFaults('f.ts', script).map((edit) => edit.kind)).toEqual([
    'removes a guard',
    'drops a condition',
    'drops a condition',
    'flips a comparison',
    'removes a guard',
    'drops a condition',
    'removes a statement',
    'swaps two arguments',
    'drops a mask',
  ]);
});

test('faults confuse purposes and sources, forget parts, move borders and drop orders of a script', () => {
  const script = `
    const made = find(token, ['sign_in']) ?? find(token, ['reset']);
    const shown = { id, ...(is_test ? { test } : {}), at: given ?? known };
    const last = all.toSorted().slice(n - 1);
    const most = Math.max(one, 2);`;
  expect(scriptFaults('f.ts', script).map((edit) => [edit.kind, edit.replacement])).toEqual([
    ['forgets a part', ''],
    ['takes one source for both', '({ test })'],
    ['takes one source for both', '({})'],
    ['swaps two sources', 'known ?? given'],
    ['drops an order', 'all'],
    ['moves a border', '(n)'],
    ['flips a comparison', 'min'],
    ['swaps two arguments', '2, one'],
    ['confuses a purpose', "['reset']"],
    ['confuses a purpose', "['sign_in']"],
  ]);
  const python = '    if a is not None:  # if x:\n        return a < 1\n';
  expect(pythonFaults(python).map((edit) => applied(python, edit))).toEqual([
    'if False: # if x: return a < 1',
    'if a is not None: # if x: return a <= 1',
    'if a is None: # if x: return a < 1',
  ]);
});

test('a fault in a database function is judged by the tests of all sources that name it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sixdigit-coverage-'));
  const isLoaded = { ranges: [[0, 1_000_000, false]] };
  const covered: Record<string, object> = {
    'server/src/otp/verify/verify.test.ts': { 'server/src/otp/verify/rows.ts': isLoaded },
    'server/src/payments/fulfil.test.ts': { 'server/src/payments/orders.ts': isLoaded },
    'server/src/messaging/mail/otp-mail.test.ts': { 'server/src/messaging/mail/mail.ts': isLoaded },
  };
  for (const [name, sources] of Object.entries(covered))
    writeFileSync(join(folder, `${encodeURIComponent(name)}.json`), JSON.stringify(sources));
  const tests = new CoveringTests(ROOT, folder);
  rmSync(folder, { recursive: true });
  const of = (name: string) => tests.of(`server/sql/functions/${name}.sql`, 0);
  expect(of('write_verifies'), 'named by a source').toEqual(['server/src/otp/verify/verify.test.ts']);
  expect(of('apply_changes'), 'called by another function').toContain('server/src/otp/verify/verify.test.ts');
  expect(of('note_payment'), 'run by a trigger').toContain('server/src/payments/fulfil.test.ts');
});

test("a screen's own browser tests run before those that only open it", () => {
  const tests = new BrowserTests(ROOT, checkedFiles());
  expect(tests.of('web/src/payments/Credits.tsx')[0]).toBe('web/e2e/credits.test.ts');
  expect(tests.of('web/src/docs/Docs.tsx')[0]).toBe('web/e2e/docs.test.ts');
});

test('each reason for an unobservable fault names an existing place in the code', () => {
  const squeezed = (text: string) => text.replace(/\s+/g, ' ').trim();
  for (const { file, change } of reasons) {
    const lines = readFileSync(join(ROOT, file), 'utf8').split('\n').map(squeezed);
    expect(lines, file).toContain(change[0]);
    expect(change[1]).not.toBe(change[0]);
  }
});

test('every drawn fault leaves a script that parses', () => {
  const scripts = checkedFiles().filter((file) =>
    /^(?:server\/src\/(?:credits|connections)|clients\/typescript\/src)\/.*(?<!\.test)\.ts$/.test(file),
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
