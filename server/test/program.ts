import { fork } from 'node:child_process';
import { join } from 'node:path';
import { vi } from 'vitest';

/** The program in its own process, which a test can kill or freeze. */
export interface Program extends AsyncDisposable {
  /** URL of the dashboard, once the program listens */
  url(): Promise<string>;
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
  output(): string;
}

export function startProgram(task: 'api' | 'worker', env: Record<string, string>): Program {
  const child = fork(join(import.meta.dirname, '../src/main.ts'), [task], {
    env: { PATH: process.env.PATH, PORT: '0', LOG_LEVEL: 'info', ...env },
    execArgv: [],
    silent: true,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      output += String(chunk);
    });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  return {
    output: () => output,
    url: () =>
      vi.waitFor(() => /running at (http:\S+)/.exec(output)?.[1] ?? Promise.reject(new Error(output)), {
        timeout: 40_000,
      }),
    signal(name) {
      child.kill(name);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
