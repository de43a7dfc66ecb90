import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { pythonSample, typeScriptSample } from '../../contract/src/docs/client-samples.ts';
import { fixture } from '../../server/test/fixture.ts';
import { sender, wrongCode } from '../../server/test/sender.ts';
import { testService } from '../../server/test/service.ts';
import { ROOT } from '../../server/test/source.ts';
import { PYTHON_CLIENT, python } from './python.ts';

const service = fixture(testService);
const origin = fixture(async () => ({ url: await service.listen() }));
const alice = fixture(() => sender(service, 'Alice'));
const folder = mkdtempSync(join(tmpdir(), 'sixdigit-samples-'));
afterAll(() => rmSync(folder, { recursive: true }));
mkdirSync(join(folder, 'node_modules'));
symlinkSync(join(ROOT, 'clients/typescript'), join(folder, 'node_modules/sixdigit'));

test.each([
  ['TypeScript', process.execPath, ['--conditions=@sixdigit/source', 'code.mjs'], typeScriptSample],
  ['Python', python, ['enter.py'], pythonSample],
] as const)(
  'the sample of the docs screen for the %s package sends and verifies',
  async (name, program, args, sample) => {
    const file = args.at(-1) ?? '';
    const recipient = `${name.toLowerCase()}@example.com`;
    const text = sample({ apiUrl: `${origin.url}/api/v1`, target: { channel: 'email', recipient } });
    expect(text.split('\n')[0]).toContain(file);
    writeFileSync(join(folder, file), text);
    const run = async (codeOf: (code: string) => string): Promise<string> => {
      const env = { PATH: process.env.PATH, API_KEY: alice.key(), PYTHONPATH: join(PYTHON_CLIENT, 'src') };
      const child = spawn(program, args, { cwd: folder, env });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
      const ended = new Promise((resolve) => child.once('close', resolve));
      await expect.poll(() => output).toContain('Code: ');
      await service.deliver();
      child.stdin.end(`${codeOf(await alice.code(recipient))}\n`);
      await ended;
      return output;
    };
    expect(await run((code) => wrongCode(code))).toMatch(/invalid_code.*attempts_remaining\D+4/s);
    expect(await run((code) => code)).toMatch(/Verified at 20\d\d-/);
  },
);
