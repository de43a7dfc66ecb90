import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { browsersOf, startApplication } from '../test/application.ts';
import { surroundings, testSignIn } from '../test/sign-in.ts';

const REQUIRED =
  'require "Illuminate/autoload.php"; require "GuzzleHttp/autoload.php"; exit(extension_loaded("curl") ? 0 : 1);';
const hasLaravel = spawnSync('php', ['-r', REQUIRED], { stdio: 'ignore' }).status === 0;

/** `npm test` installs Debian's Laravel when it runs as root on Debian. Where it is missing, the tests are skipped, except in CI. */
describe.runIf(hasLaravel || process.env.CI)('the Laravel sample', () => {
  const around = surroundings();
  const data = mkdtempSync(join(tmpdir(), 'sixdigit-laravel-'));
  afterAll(() => rmSync(data, { recursive: true }));
  const sample = fixture(() =>
    startApplication({
      command: 'php',
      args: ['-S', '127.0.0.1:0', 'index.php'],
      cwd: join(import.meta.dirname, 'test'),
      env: { ...around.env(), STORAGE: data },
    }),
  );
  testSignIn(
    {
      name: 'Laravel',
      browser: browsersOf(sample),
      post: (person, path, fields) => person.postForm(path, fields),
    },
    around,
  );

  test('a lost response at the Laravel sample sends one message', async () => {
    const { proxy, service } = around;
    const send = (recipient: string) => browsersOf(sample)().postForm('/sign-in', { recipient });
    proxy.plan('lose', 'cut');
    expect(await send('+12015550108')).toMatchObject({ status: 302 });
    expect(new Set(proxy.seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    await service.deliver();
    expect(await service.inbox('+12015550108')).toHaveLength(1);
    proxy.plan('refuse', 'refuse', 'refuse');
    expect(await send('+12015550109')).toMatchObject({ status: 503 });
  });

  test('the Laravel sample keeps the API key from the target of a redirect', async () => {
    const { proxy } = around;
    proxy.plan({ status: 307, headers: { location: `${proxy.url}/elsewhere` } });
    const fields = { recipient: '+12015550109' };
    expect(await browsersOf(sample)().postForm('/sign-in', fields)).toMatchObject({ status: 503 });
    expect(proxy.seen).toHaveLength(1);
  });
});
