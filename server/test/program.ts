import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { vi } from 'vitest';

/** The environment variables that the program needs. Reusing compiled scripts halves its start time. */
export const PROGRAM_ENV = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** Starts the program in a separate process. */
export interface RunningProgram {
  child: ChildProcess;
  /** Resolves to the exit code. */
  exited: Promise<number | null>;
  /** URL of the dashboard, once the program listens. */
  url(): Promise<string>;
  output(): string;
}

const START_MS = 120_000;

export function runProgram(
  args: readonly string[],
  env: Record<string, string>,
  execArgv: string[] = [],
): RunningProgram {
  const child = fork(join(import.meta.dirname, '../src/main.ts'), args, {
    env: { ...PROGRAM_ENV, PORT: '0', ...env },
    execArgv,
    silent: true,
  });
  let output = '';
  const streams = [child.stdout, child.stderr].filter((stream) => stream !== null);
  for (const stream of streams)
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // A process can exit before its output has been read.
  const read = streams.map((stream) => once(stream, 'close'));
  return {
    child,
    exited: Promise.all(read).then(() => exited),
    output: () => output,
    url: () =>
      vi.waitFor(() => /running at (http:\S+)/.exec(output)?.[1] ?? Promise.reject(new Error(output)), {
        timeout: START_MS,
      }),
  };
}

/** Stops the program and waits until it has exited. */
export async function stopProgram({ child, exited }: RunningProgram): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await exited;
}

/** A program that a test can kill or freeze. */
export interface Program extends Pick<RunningProgram, 'url' | 'output'>, AsyncDisposable {
  signal(name: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): void;
}

export function startProgram(task: 'api' | 'worker', env: Record<string, string>): Program {
  const { child, exited, url, output } = runProgram([task], { LOG_LEVEL: 'info', ...env });
  return {
    output,
    url,
    signal(name) {
      child.kill(name);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}
