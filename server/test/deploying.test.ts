import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { failures } from '@sixdigit/contract/errors.ts';
import { expect, test } from 'vitest';
import { NODE_OPTIONS } from '../../guarantees/harness/processes.ts';
import { readConfig, SETTING_NAMES } from '../src/settings/settings.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const [dockerfile, compose] = [read('Dockerfile'), read('compose.yaml')];
const unit = read('deploy/sixdigit@.service');
const [nginx, caddy] = [read('deploy/nginx.conf'), read('deploy/Caddyfile')];
const [examples, manual] = [read('deploy/sixdigit.env'), read('docs/operating.md')];

/** The longest time from SIGTERM to exit (server/src/serving.ts). */
const [, answersMs = '', workMs = ''] =
  /ANSWERS_MS = ([\d_]+);\nconst WORK_MS = ([\d_]+);/.exec(read('server/src/serving.ts')) ?? [];
const seconds = (text: string) => Number(text.replaceAll('_', '')) / 1000;
const drainSeconds = seconds(answersMs) + seconds(workMs);

test('every command that starts or measures the service uses the same Node.js options', () => {
  const [list = ''] = /(?<=nodeOptions = \[').*(?='\])/.exec(read('scripts/run.mjs')) ?? [];
  const options = list.split("', '");
  for (const option of options) expect(option).toMatch(/^--\S+$/);
  expect(dockerfile).toContain(`ENTRYPOINT ["node", "${options.join('", "')}", "server/src/main.ts"]`);
  expect(unit).toContain(`/node ${options.join(' ')} server/src/main.ts $ROLE`);
  expect(NODE_OPTIONS).toEqual(options);
});

/** The settings of the service in compose.yaml, with what stands there for what is left out. */
function composeSettings(): Record<string, string> {
  const block = /^x-service:[\s\S]*?^ {2}environment:\n([\s\S]*?)^ {2}\w+:/m.exec(
    compose.replaceAll(/^ *#.*\n/gm, ''),
  )?.[1];
  const lines = [...(block ?? '').matchAll(/^ {4}(\w+): (.*)$/gm)];
  return Object.fromEntries(
    lines.map(([, name = '', value = '']) => [
      name,
      value.replace(/\$\{\w+(?::[-?](.*))?\}/, (_, other = '') => other.replace(/^.*e\.g\. /, '')),
    ]),
  );
}

const fileSettings = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(/^(\w+)=(?:"(.*)"|(.*))$/gm)].map(([, name, quoted, plain]) => [name, quoted ?? plain]),
  );

/** As if the files of secrets held these. */
const secrets = {
  SECRET_KEY: 'pN2v8Kq0sXw5zR1tYb7LmC4dFh6JgA3e',
  METRICS_TOKEN: '7f1c0a94be52d863f0e19a4c6b7d2853',
  DATABASE_URL: 'postgres://sixdigit:secret@db:5432/sixdigit',
  SMTP_URL: 'smtps://user:password@mail.example.com',
};
const withSecrets = (settings: Record<string, string>) => ({
  ...Object.fromEntries(Object.entries(settings).filter(([name]) => !name.endsWith('_FILE'))),
  ...Object.fromEntries(
    Object.entries(secrets).filter(([name]) => `${name}_FILE` in settings || !('WORKER_PORT' in settings)),
  ),
});

test('the example settings exist and start a service in production', () => {
  const inUnit = Object.fromEntries(
    [...unit.matchAll(/^Environment=(.*)$/gm)].flatMap(([, line = '']) =>
      [...line.matchAll(/(\w+)=(\S+)/g)].map(([, name, value]) => [name, value]),
    ),
  );
  const mentioned = fileSettings(examples.replaceAll(/^#(?=\w+=)/gm, ''));
  const all = [composeSettings(), inUnit, mentioned].flatMap((settings) => Object.keys(settings));
  expect(all.length).toBeGreaterThan(20);
  expect(all.filter((name) => !SETTING_NAMES.includes(name.replace(/_FILE$/, '') as never))).toEqual([]);
  for (const settings of [composeSettings(), { ...inUnit, ...fileSettings(examples) }]) {
    const config = readConfig({ NODE_ENV: 'production', ...withSecrets(settings) });
    expect(config).toMatchObject({ production: true, sandbox: false, publicUrl: 'https://otp.example.com' });
    expect(config.trustedProxies).not.toEqual([]);
  }
});

test('a shell reads the example settings like systemd', () => {
  const names = Object.keys(fileSettings(examples));
  const print = names.map((name) => `printf '%s\\n' "$${name}"`).join('; ');
  const output = execFileSync('sh', ['-euc', `. ./deploy/sixdigit.env; ${print}`], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  expect(output.trim().split('\n')).toEqual(Object.values(fileSettings(examples)));
});

test('under compose, an upgrade replaces the processes one after the other', () => {
  const processes = [...compose.matchAll(/^ {2}((?:api|worker)-\d):/gm)].map(([, name]) => name);
  expect(processes).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2']);
  const [, replaced = ''] = /^for process in (.*); do$/m.exec(read('deploy/upgrade.sh')) ?? [];
  expect(replaced.split(' ').sort()).toEqual(processes);
  execFileSync('sh', ['-n', 'deploy/upgrade.sh'], { cwd: ROOT });
  execFileSync('sh', ['-n', 'deploy/task.sh'], { cwd: ROOT });
});

test('under compose, signals reach processes from the first moment, and logs are rotated', () => {
  const [, service = ''] = /^x-service: &service\n([\s\S]*?)^\S/m.exec(compose) ?? [];
  expect(service).toMatch(/^ {2}init: true$/m);
  expect(compose).toMatch(
    /^x-logging: &logging\n {2}driver: local\n {2}options: \{ max-size: \S+, max-file: /m,
  );
  // One for each image: the service's, PostgreSQL's and the backup's.
  expect(compose.match(/^ {2,4}logging: \*logging$/gm)).toHaveLength(
    compose.match(/^ {2,4}image: /gm)?.length ?? 0,
  );
  expect(dockerfile).not.toMatch(/^HEALTHCHECK[^\n]*\\\n +CMD \["node"/m);
});

test('git ignores the secrets and backups of a deployment from the checkout', () => {
  const ignored = read('.gitignore').split('\n');
  for (const [, path = ''] of compose.matchAll(/file: \.\/(\w+\/)/g)) expect(ignored).toContain(path);
  for (const path of ['.env', 'backups/', 'deploy/more.env']) expect(ignored).toContain(path);
});

test('compose.yaml reads secrets from files and declares each of them', () => {
  const used = [...compose.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name]) => name);
  const declared = [...compose.matchAll(/^ {2}(\w+): \{ file: \.\/secrets\/(\w+) \}$/gm)];
  expect(new Set(used)).toEqual(new Set(declared.map(([, name]) => name)));
  expect(declared.every(([, name, file]) => name === file)).toBe(true);
  for (const text of [compose, unit, examples])
    expect(text).not.toMatch(
      /(?:PASSWORD|SECRET_KEY|AUTH_TOKEN|WEBHOOK_SECRET|CARRIER_SECRET)[:=] *[^\s#/$%]/,
    );
});

test('under systemd, the service reads every file of the folder of secrets that the doctor reads', () => {
  expect(unit.match(/^LoadCredential=.*$/gm)).toEqual(['LoadCredential=secrets:/etc/sixdigit/secrets']);
  expect(unit).not.toContain('_FILE=');
  expect(read('deploy/task.sh')).toContain('"$folder"/secrets/*');
});

test('the image copies only existing paths, and the build context contains nothing else', () => {
  const sources = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, list = '']) =>
    list.split(' '),
  );
  const allowed = [...read('.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path);
  expect(sources.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  const isAllowed = (path: string) => allowed.some((one) => path === one || path.startsWith(`${one}/`));
  expect(sources.filter((path) => !isAllowed(path))).toEqual([]);
  expect(allowed.filter((path = '') => !existsSync(join(ROOT, path)))).toEqual([]);
  const entry = /ENTRYPOINT \[.*"(.+)"\]/.exec(dockerfile)?.[1] ?? '';
  expect(existsSync(join(ROOT, entry))).toBe(true);
  expect(dockerfile).toMatch(/^USER node$/m);
});

test('the proxy examples keep the method of a redirected request and limit slow clients', () => {
  expect(nginx).toContain('return 308 https://$host$request_uri;');
  expect(nginx).not.toMatch(/return 30[12]/);
  const [, connections] = /worker_connections (\d+);/.exec(nginx) ?? [];
  const [, files] = /worker_rlimit_nofile (\d+);/.exec(nginx) ?? [];
  expect(Number(connections)).toBeGreaterThan(8_000);
  expect(Number(files)).toBeGreaterThan(2 * Number(connections));
  for (const name of ['limit_conn clients', 'client_header_timeout', 'client_body_timeout', 'send_timeout'])
    expect(nginx).toMatch(new RegExp(`^ +${name} \\d+s?;$`, 'm'));
  for (const name of ['read_header', 'read_body', 'idle'])
    expect(caddy).toMatch(new RegExp(`^\\t+${name} \\d+s$`, 'm'));
});

test('the service, the proxy examples and the image use the same port', () => {
  const port = String(readConfig({}).port);
  expect(dockerfile).toContain(`PORT=${port}`);
  expect(dockerfile).toMatch(new RegExp(`^EXPOSE ${port}$`, 'm'));
  expect(compose).toContain(`    PORT: ${port}\n    WORKER_PORT: ${port}\n`);
  const published = [...compose.matchAll(/"127\.0\.0\.1:(\d+):(\d+)"/g)].map(([, ...ports]) => ports);
  expect(published).toEqual(['3001', '3002', '3101', '3102'].map((outside) => [outside, port]));
  const upstream = (text: string) => [...text.matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, found]) => found);
  expect(upstream(nginx)).toEqual(['3001', '3002']);
  expect(upstream(caddy)).toEqual(upstream(nginx));
  expect(dockerfile).toContain('/readyz');
});

test('process managers and proxies wait for the drain, and proxies close idle connections first', () => {
  expect(drainSeconds).toBeGreaterThan(10);
  const number = (pattern: RegExp, text: string) => Number(pattern.exec(text)?.[1]);
  expect(number(/^TimeoutStopSec=(\d+)$/m, unit)).toBeGreaterThan(drainSeconds);
  expect(number(/stop_grace_period: (\d+)s/, compose)).toBeGreaterThan(drainSeconds);
  expect(number(/proxy_read_timeout (\d+)s/, nginx)).toBeGreaterThan(drainSeconds);
  expect(number(/response_header_timeout (\d+)s/, caddy)).toBeGreaterThan(drainSeconds);
  const kept = number(/keepAliveTimeout: (\d+)_000/, read('server/src/platform/http/server.ts'));
  expect(number(/keepalive_timeout (\d+)s/, nginx)).toBeLessThan(kept);
  expect(number(/^\t+keepalive (\d+)s/m, caddy)).toBeLessThan(kept);
});

test('proxies replace X-Forwarded-For and retry a POST only with an Idempotency-Key', () => {
  expect(nginx).toContain('proxy_set_header X-Forwarded-For $remote_addr;');
  expect(caddy).toContain('header_up X-Forwarded-For {remote_host}');
  const [before = '', idempotent = ''] = nginx.split('location @idempotent');
  expect(before).not.toContain('non_idempotent');
  expect(idempotent).toContain('non_idempotent');
  expect(caddy).toContain('header Idempotency-Key *');
});

test('responses generated by a proxy have the format of the service’s responses', () => {
  for (const reason of ['body_too_large', 'unavailable'] as const) {
    const { status, error } = failures[reason];
    const body = JSON.stringify({ error, reason });
    expect(nginx).toContain(`return ${status} '${body}';`);
    expect(caddy).toContain(`respond \`${body}\` ${status}`);
  }
  expect(nginx).toContain('client_max_body_size 64k;');
  expect(caddy).toContain('max_size 64KB');
});

test('every package in the lock file has an integrity hash and no registry host', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { integrity?: string; resolved?: string; link?: boolean; inBundle?: boolean }>;
  };
  // The hash of a package covers the packages inside its archive.
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.startsWith('node_modules/') && !link && !inBundle,
  );
  expect(installed.length).toBeGreaterThan(100);
  expect(installed.filter(([, { integrity }]) => !/^sha512-/.test(integrity ?? ''))).toEqual([]);
  expect(installed.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
});

test('every file and setting in the manual exists', () => {
  const files = [
    ...manual.replaceAll(/https?:\S+/g, '').matchAll(/\b((?:deploy|docs|server|scripts)\/[\w@./-]*\w)/g),
  ].map(([, path]) => path ?? '');
  expect(files.length).toBeGreaterThan(3);
  expect(files.filter((path) => !existsSync(join(ROOT, path)) && !/more\.env$/.test(path))).toEqual([]);
});
