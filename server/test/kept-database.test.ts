import { randomBytes } from 'node:crypto';
import { expect, inject, onTestFinished, test } from 'vitest';
import { runSql } from './database-url.ts';
import { makeOnce } from './kept-database.ts';

test('concurrent runs make a kept database once, and a failed attempt leaves it to the next one', async () => {
  const url = inject('adminUrl');
  const name = `sixdigit_test_${randomBytes(6).toString('hex')}`;
  onTestFinished(async () => {
    await runSql(url, `drop database if exists ${name}`);
  });
  let made = 0;
  const make = async (unfinished: string): Promise<void> => {
    made += 1;
    await runSql(url, `create database ${unfinished} template template0 strategy file_copy`);
    if (made === 1) throw new Error('killed');
  };
  await expect(makeOnce(url, name, make)).rejects.toThrow('killed');
  await Promise.all([makeOnce(url, name, make), makeOnce(url, name, make)]);
  expect(made).toBe(2);
});
