import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Samples of the dashboard that run as somebody pastes them. */

export const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

/** Runs a pasted command in a terminal, in a folder of its own. */
export async function paste(
  commands: string,
  env: Record<string, string>,
): Promise<AsyncDisposable & { output: () => string }> {
  const cwd = await mkdtemp(join(tmpdir(), 'sixdigit-paste-'));
  const shell = spawn('bash', ['-c', commands], { cwd, env: { ...process.env, ...env }, detached: true });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (text) => (output += text));
  return {
    output: () => output,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => shell.once('close', resolve));
      // the whole group: the shell and the receiver
      if (shell.pid !== undefined) process.kill(-shell.pid);
      await ended;
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
