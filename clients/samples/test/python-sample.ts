import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { fixture } from '../../../server/test/fixture.ts';
import { PYTHON_CLIENT } from '../../test/python.ts';
import { browsersOf, startApplication } from './application.ts';
import { surroundings, testSignIn } from './sign-in.ts';

const IMPORTS = 'import django, fastapi, itsdangerous, uvicorn';
const hasFrameworks = (python: string): boolean =>
  spawnSync(python, ['-c', IMPORTS], { stdio: 'ignore' }).status === 0;
/** `npm test` installs the frameworks for Debian's Python when it runs as root on Debian. */
const python = [process.env.PYTHON ?? 'python3', '/usr/bin/python3'].find(hasFrameworks);

interface PythonSample {
  folder: string;
  /** As uvicorn names it. */
  application: string;
  /** Commands of `manage.py` that come first. */
  prepare?: string[];
  /** Sends forms instead of JSON. */
  form?: boolean;
}

/** Where the frameworks are missing, the tests are skipped, except in CI. */
export function testPythonSample(
  name: string,
  { folder, application, prepare = [], form = false }: PythonSample,
): void {
  describe.runIf(python || process.env.CI)(`the ${name} sample`, () => {
    const around = surroundings();
    const data = mkdtempSync(join(tmpdir(), 'sixdigit-sample-'));
    afterAll(() => rmSync(data, { recursive: true }));
    const sample = fixture(() => {
      if (!python) throw new Error(`No Python can run: ${IMPORTS}`);
      const env = {
        ...around.env(),
        SESSION_SECRET: 'a secret of the sessions',
        DATABASE: join(data, 'db.sqlite3'),
        ALLOWED_HOSTS: '127.0.0.1',
        PYTHONPATH: join(PYTHON_CLIENT, 'src'),
        PYTHONDONTWRITEBYTECODE: '1',
      };
      for (const command of prepare) {
        const { status, stderr } = spawnSync(python, ['manage.py', command], { cwd: folder, env });
        if (status !== 0) throw new Error(`manage.py ${command} failed: ${stderr}`);
      }
      return startApplication({
        command: python,
        args: ['-m', 'uvicorn', application, '--port', '0'],
        cwd: folder,
        env,
      });
    });
    testSignIn(
      {
        name,
        browser: browsersOf(sample),
        post: (person, path, fields) =>
          form ? person.postForm(path, fields) : person.postJson(path, fields),
      },
      around,
    );
  });
}
