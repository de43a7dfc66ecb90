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
      /^(\w+)\n {8}expr: (?:>\n((?: {10}\S.*\n)+)|(.+)\n)(?: {8}for: \d+[smh]\n)? {8}labels: \{ severity: (?:page|ticket) \}\n {8}annotations:\n {10}summary: (.+)\n {10}description: (.+)\n {10}runbook_url: "\{\{ \$externalLabels\.runbooks \}\}\/operating\.md#alerts"\n+$/;
    const [, alert = '', folded, line, summary = '', description = ''] = shape.exec(part) ?? [];
    expect(alert, part).not.toBe('');
    // A plain scalar contains neither; others are in quotes as a whole.
    for (const value of [line ?? '', summary, description])
      if (!/^"[^"]*"$/.test(value)) expect(value).not.toMatch(/: | #|^[[\]{}"'&*!|>%@`]/);
    return { alert, expr: (folded ?? line ?? '').trim(), text: part };
  });
}

const rules = rulesOf(file);
interface Panel {
  title: string;
  targets: { expr: string }[];
}
const panels = (JSON.parse(read('deploy/grafana.json')) as { panels: Panel[] }).panels.map(
  ({ title, targets }) => ({
    alert: title,
    expr: targets.map(({ expr }) => expr).join('\n'),
    text: '',
  }),
);
/** Functions, keywords and labels of PromQL have no underscore before a bracket or are none of our names. */
const metricsIn = ({ expr }: Rule): string[] => expr.match(/\b(?:sixdigit|process)_\w+|\bup\b/g) ?? [];

/** Metrics of deploy/backup.sh. */
const OF_SCRIPTS = ['sixdigit_newest_backup_timestamp_seconds'];

test('every alert and every panel of the dashboard use existing metrics', async () => {
  for (const name of OF_SCRIPTS) expect(read('deploy/backup.sh')).toContain(name);
  await using service = await testService();
  service.app.metrics.working();
  const { body } = await service.inject({ method: 'GET', url: '/metrics', headers: { host: 'localhost' } });
  const names = new Set(
    [...body.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name = '', type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
    ),
  );
  const missing = [...rules, ...panels].flatMap((rule) => {
    const used = metricsIn(rule);
    if (/\bnode_filesystem_/.test(rule.expr)) return [];
    if (used.length === 0) return [`${rule.alert} uses no metric`];
    return used
      .filter((name) => ![...OF_SCRIPTS, 'up'].includes(name) && !names.has(name))
      .map((name) => `${rule.alert}: ${name}`);
  });
  expect(missing).toEqual([]);
});

test('every alert has a complete expression and names existing routes', () => {
  const count = (text: string, sign: string) => text.split(sign).length - 1;
  for (const { alert, expr } of [...rules, ...panels]) {
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

/** `npm test` installs it as root on Debian. CI must have it. */
const promtool = (process.env.PATH ?? '')
  .split(delimiter)
  .map((folder) => join(folder, 'promtool'))
  .find((path) => existsSync(path));

test.skipIf(!promtool && !process.env.CI)(
  'promtool accepts the alerts, and they fire when they should',
  () => {
    for (const args of [
      ['check', 'rules', 'deploy/alerts.yml'],
      ['test', 'rules', 'deploy/alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync(promtool ?? 'promtool', args, {
        cwd: ROOT,
        encoding: 'utf8',
      });
      expect([status, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
    }
  },
);
