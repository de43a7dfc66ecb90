import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from './source.ts';

/** deploy/upgrade.sh with a fake docker, whose containers are files: `now` runs, `new` would run. */
const DOCKER = `#!/bin/sh
echo "$*" >> "$STATE/calls"
case "$*" in
  'compose ps --quiet '*) [ ! -e "$STATE/now" ] || echo "container-of-$4" ;;
  'exec container-of-backup '*) cat "$STATE/now.backup" ;;
  'exec '*) cat "$STATE/now" ;;
  'compose run --rm --no-deps --entrypoint sh backup '*) cat "$STATE/new.backup" ;;
  'compose run --rm --no-deps --entrypoint sh '*) cat "$STATE/new" ;;
esac`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'upgrade-'));
  mkdirSync(join(folder, 'bin'));
  writeFileSync(join(folder, 'bin/docker'), DOCKER);
  chmodSync(join(folder, 'bin/docker'), 0o755);
  cpSync(join(ROOT, 'deploy/upgrade.sh'), join(folder, 'deploy/upgrade.sh'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const RUNNING = [
  'PUBLIC_URL=https://otp.example.com',
  'RETENTION_DAYS=2000',
  'TWILIO_FROM=+15551234567',
  '/run/secrets/smtp_url',
];
const BACKUP = '/backups/sixdigit-20261128T000000Z.dump';

function upgrade(becomes: readonly string[], { backup = BACKUP, args = [] as string[] } = {}) {
  const put = (name: string, lines: readonly string[]) =>
    writeFileSync(join(folder, name), `${lines.join('\n')}\n`);
  put('now', [...RUNNING, 'HOSTNAME=one', 'PATH=/bin']);
  put('new', [...becomes, 'HOSTNAME=two', 'PATH=/usr/bin', 'NEW_SETTING=1']);
  put('now.backup', [BACKUP]);
  put('new.backup', [backup]);
  const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, STATE: folder };
  const { status, stderr } = spawnSync('sh', [join(folder, 'deploy/upgrade.sh'), ...args], {
    env,
    encoding: 'utf8',
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8');
  return {
    status,
    stderr,
    migrates: calls.includes('migrate\n'),
    replaced: calls.match(/up --detach .*/g)?.length ?? 0,
  };
}

test('an upgrade with the same settings migrates and replaces the four processes', () => {
  expect(upgrade(RUNNING)).toEqual({ status: 0, stderr: '', migrates: true, replaced: 4 });
});

test.each([
  ['a setting', RUNNING.filter((line) => !line.startsWith('TWILIO_FROM')), {}, ['TWILIO_FROM']],
  ['a changed setting', RUNNING.map((line) => line.replace('2000', '400')), {}, ['RETENTION_DAYS']],
  ['a secret', RUNNING.filter((line) => !line.startsWith('/run')), {}, ['/run/secrets/smtp_url']],
  ['the backups', RUNNING, { backup: '' }, [BACKUP]],
] as const)(
  'an upgrade that would lose %s stops before it changes anything',
  (_, becomes, options, names) => {
    const { status, stderr, migrates, replaced } = upgrade(becomes, options);
    expect([status, migrates, replaced]).toEqual([1, false, 0]);
    expect(stderr.split('\n').filter((line) => line.startsWith('  '))).toEqual(
      names.map((name) => `  ${name}`),
    );
    // Values may be secrets.
    expect(stderr).not.toContain('2000');
  },
);

test('an upgrade goes on without a setting that the operator names', () => {
  const becomes = RUNNING.filter((line) => !/^(?:TWILIO_FROM|RETENTION_DAYS)/.test(line));
  expect(upgrade(becomes, { args: ['TWILIO_FROM'] }).status).toBe(1);
  expect(upgrade(becomes, { args: ['TWILIO_FROM', 'RETENTION_DAYS'] }).status).toBe(0);
});
