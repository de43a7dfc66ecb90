import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
/** The Node that the packages bring; the machine's own may be older. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');
/** Small young generations, collected often: a hundred megabytes less for the same rates (`npm run bench`). */
export const nodeOptions = ['--max-semi-space-size=8'];
export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** The machine's programs, without those of the packages, which an installation removes and replaces. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(root, 'node_modules')))
  .join(delimiter);

/** Runs a program in the foreground and resolves with its exit code; a signal that stops it stops us too. */
export function run(command, args, { env = {}, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: 'inherit' });
    let stoppedBy;
    const forward = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      if (stoppedBy) process.exit(stoppedBy === 'SIGINT' ? 130 : 143);
      resolve(signal ? 1 : code);
    });
  });
}

/** Ends with a sentence instead of a stack. */
export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
