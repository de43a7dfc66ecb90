import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { routes } from '@sixdigit/contract/routes.ts';
import { expect, test } from 'vitest';
import { testService } from './service.ts';
import { ROOT, read } from './source.ts';

const file = read('deploy/alerts.yml');

interface Rule {
  alert: string;
  expr: string;
  text: string;
}

/** The rules of the file, which has one layout. A line that does not fit it fails. */
function rulesOf(text: string): Rule[] {
  const [head = '', ...parts] = text.replaceAll(/^ *#.*\n/gm, '').split(/^ {6}- alert: /m);
  expect(head).toBe('groups:\n  - name: sixdigit\n    rules:\n');
  return parts.map((part) => {
    const shape =
      /^(\w+)\n {8}expr: (?:>\n((?: {10}\S.*\n)+)|(.+)\n)(?: {8}for: \d+[smh]\n)? {8}labels: \{ severity: (?:page|ticket) \}\n {8}annotations:\n {10}summary: (.+)\n {10}description: (.+)\n+$/;
    const [, alert = '', folded, line, summary = '', description = ''] = shape.exec(part) ?? [];
    expect(alert, part).not.toBe('');
    // A plain scalar contains neither; others are in quotes as a whole.
    for (const value of [line ?? '', summary, description])
      if (!/^"[^"]*"$/.test(value)) expect(value).not.toMatch(/: | #|^[[\]{}"'&*!|>%@`]/);
    return { alert, expr: (folded ?? line ?? '').trim(), text: part };
  });
}

const rules = rulesOf(file);
/** Functions, keywords and labels of PromQL have no underscore before a bracket or are none of our names. */
const metricsIn = ({ expr }: Rule): string[] => expr.match(/\bsixdigit_\w+|\bup\b/g) ?? [];

test('every alert uses existing metrics', async () => {
  await using service = await testService();
  service.app.metrics.working();
  const { body } = await service.inject({ method: 'GET', url: '/metrics', headers: { host: 'localhost' } });
  const names = new Set(
    [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const missing = rules.flatMap((rule) => {
    const used = metricsIn(rule);
    if (used.length === 0) return [`${rule.alert} uses no metric`];
    return used.filter((name) => name !== 'up' && !names.has(name)).map((name) => `${rule.alert}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('every alert has a complete expression and names existing routes', () => {
  const count = (text: string, sign: string) => text.split(sign).length - 1;
  for (const { alert, expr } of rules) {
    for (const [open, close] of ['()', '{}', '[]'] as const)
      expect([alert, count(expr, open as string)]).toEqual([alert, count(expr, close as string)]);
    expect([alert, count(expr, '"') % 2]).toEqual([alert, 0]);
    for (const [, route] of expr.matchAll(/route="(\w+)"/g))
      expect(routes.map(({ name }) => name)).toContain(route);
  }
});

test('every alert has a unique name and a row in the manual', () => {
  const names = rules.map(({ alert }) => alert);
  expect(names.length).toBeGreaterThan(10);
  expect(new Set(names).size).toBe(names.length);
  const rows = [...read('docs/operating.md').matchAll(/^\| `(Sixdigit\w+)` \|/gm)].map(([, name]) => name);
  expect(rows).toEqual(names);
});

test('a process that cannot be scraped raises an alert, and so does a job without processes', () => {
  const expressions = rules.map(({ expr }) => expr);
  expect(expressions).toContain('up{job="sixdigit"} == 0');
  expect(expressions).toContain('absent(up{job="sixdigit"})');
});

test('promtool accepts the alerts on a machine that has it', () => {
  const promtool = (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'promtool'))
    .find((path) => existsSync(path));
  const done =
    promtool && spawnSync(promtool, ['check', 'rules', 'deploy/alerts.yml'], { cwd: ROOT, encoding: 'utf8' });
  expect(done ? [done.status, done.stdout] : [0, 'SUCCESS']).toEqual([0, expect.stringContaining('SUCCESS')]);
});
