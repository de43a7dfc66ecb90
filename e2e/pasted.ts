import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The dashboard's samples, run as pasted. */

/** Runs a pasted command in a shell, in a temporary folder. */
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
