import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
/** The Node from node_modules; the machine's Node may be older. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');
/**
 * A small young generation, and an old one that is collected when it has grown by half instead of to a multiple, save two hundred
 * megabytes under load. A young generation of 8 MB would save 13 more, and cost a tenth of the throughput (`npm run bench`).
 */
export const nodeOptions = ['--max-semi-space-size=16', '--heap-growing-percent=50'];
/**
 * Compiled code of earlier starts. A start that finds it does not load the compiler of TypeScript, which saves 18 MB and a quarter
 * of a second.
 */
export const compileCache = join(root, '.cache', 'node-compile');
export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** The PATH without node_modules, which an installation replaces. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(root, 'node_modules')))
  .join(delimiter);

/** Runs a program in the foreground and resolves with its exit code. If a signal ends the program, it ends this process too. */
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

/** Exits with a message instead of a stack trace. */
export function fail(sentence) {
  console.error(sentence);
  process.exit(1);
}
