import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** `npm run test:failover` runs the recipe. These tests need neither root nor its packages. */
const RECIPE = join(import.meta.dirname, '../../deploy/patroni');
const read = (file: string): string => readFileSync(join(RECIPE, file), 'utf8');
const script = read('configure.sh');
const patroni = read('patroni.yml');
const setting = (name: string): string | undefined =>
  new RegExp(`^ *${name}: (\\S+)$`, 'm').exec(patroni)?.[1];

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'recipe-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function configure(args: readonly string[], settings: string) {
  const file = join(folder, 'cluster.env');
  writeFileSync(file, settings);
  const env = { PATH: process.env.PATH, SETTINGS: file };
  const { status, stderr } = spawnSync('sh', [join(RECIPE, 'configure.sh'), ...args], {
    env,
    encoding: 'utf8',
  });
  return { status, says: stderr.trim() };
}

test('a commit in the cluster waits for a standby even if none is left', () => {
  expect(setting('synchronous_mode')).toBe('true');
  expect(setting('synchronous_mode_strict')).toBe('true');
  expect(setting('synchronous_commit')).toBe('"on"');
});

test('Patroni uses the driver of etcd that loses no commits after a partition, by Debian’s release', () => {
  const [, before = ''] = /^(case \$\{DEBIAN:-12\} in[\s\S]*?^esac)$/m.exec(script) ?? [];
  const drivers = (debian: string) => {
    const choose = `settings=cluster.env; fail() { echo "$1" >&2; exit 1; }\n${before}\necho "$ETCD_DRIVER $ETCD_V2"`;
    const { status, stdout } = spawnSync('sh', ['-euc', choose], {
      env: { DEBIAN: debian },
      encoding: 'utf8',
    });
    return status === 0 ? stdout.trim() : 'refused';
  };
  expect(['12', '', '13', '11'].map(drivers)).toEqual(['etcd true', 'etcd true', 'etcd3 false', 'refused']);
  expect(patroni).toMatch(/^@ETCD_DRIVER@:$/m);
  expect(read('etcd.env')).toMatch(/^ETCD_ENABLE_V2=@ETCD_V2@$/m);
});

test("Patroni's times fit together", () => {
  const [ttl, loop, retry] = ['ttl', 'loop_wait', 'retry_timeout'].map((name) => Number(setting(name)));
  expect(loop as number).toBeGreaterThan(0);
  expect(ttl).toBeGreaterThanOrEqual((loop as number) + 2 * (retry as number));
  expect(setting('failsafe_mode')).toBe('true');
  expect(setting('primary_start_timeout')).toBe('0');
});

test('configure.sh fills in every value that the files of the cluster need', () => {
  const files = readdirSync(RECIPE).filter((file) => !['configure.sh', 'cluster.env'].includes(file));
  const needed = files.flatMap((file) => [...read(file).matchAll(/@([A-Z0-9_]+)@/g)].map(([, name]) => name));
  const lists = [...script.matchAll(/names=['"](?:\$names )?([^'"]*)/g)].map(([, list = '']) => list);
  expect(new Set(lists.join(' ').split(/\s+/))).toEqual(new Set(needed));
  const ofService = [...read('haproxy.cfg').matchAll(/@([A-Z0-9_]+)@/g)].map(([, name = '']) => name);
  expect(lists[0]?.split(' ')).toEqual(expect.arrayContaining(ofService));
  for (const file of files) expect(script, file).toContain(` ${file} `);
  const chosen = [...read('cluster.env').matchAll(/^(\w+)=/gm)].map(([, name]) => name);
  // It chooses the driver of etcd.
  expect(chosen.filter((name) => name !== 'DEBIAN' && !needed.includes(name))).toEqual([]);
});

test('configure.sh refuses missing passwords, unsafe characters and unknown machines, and changes nothing', () => {
  execFileSync('sh', ['-n', join(RECIPE, 'configure.sh')]);
  const example = read('cluster.env');
  expect(configure(['node1'], example)).toEqual({
    status: 1,
    says: expect.stringMatching(/^SERVICE_PASSWORD is missing in /),
  });
  const odd = example.replace('SERVICE_PASSWORD=', 'SERVICE_PASSWORD="a|b"');
  expect(configure(['node1'], odd).says).toContain('may contain only letters, digits, dots and slashes');
  for (const args of [[], ['node4'], ['node1', 'again'], ['service', 'existing']])
    expect(configure(args, example).says).toMatch(/^Usage: /);
});
