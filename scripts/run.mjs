import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
/** The Node from node_modules; the machine's Node may be older. */
export const node = join(root, 'node_modules', 'node', 'bin', 'node');
/**
 * Limits memory: a small young generation, and a full garbage collection whenever the old generation has grown by half. Under
 * load this saves 200 MB. A young generation of 8 MB would save another 13 MB but cost a tenth of the throughput (`npm run
 * bench`).
 */
export const nodeOptions = ['--max-semi-space-size=16', '--heap-growing-percent=50'];
/** The cache of compiled code. With it, a start does not load the TypeScript compiler, which saves 18 MB and 250 ms. */
export const compileCache = join(root, '.cache', 'node-compile');
export const bin = (name) => join(root, 'node_modules', '.bin', name);

/** The PATH without node_modules, which an installation replaces. */
export const machinePath = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((folder) => !folder.startsWith(join(root, 'node_modules')))
  .join(delimiter);

/** In production, every line of the log is JSON, including the output of these scripts and of the programs that they run. */
export const output = { isJson: false };

export function say(sentence, level = 'info') {
  const time = new Date().toISOString();
  const line = output.isJson ? JSON.stringify({ level, time, msg: sentence }) : sentence;
  if (level === 'fatal' && !output.isJson) console.error(line);
  else console.log(line);
}

/** Prints each line of a program's output. */
function sayLines(stream) {
  let rest = '';
  const sayOne = (line) => line.trim() !== '' && say(line);
  stream.setEncoding('utf8').on('data', (text) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) sayOne(line);
  });
  stream.on('end', () => sayOne(rest));
}

/** Runs a program in the foreground and resolves with its exit code. If a signal ends the program, it ends this process too. */
export function run(command, args, { env = {}, cwd = root } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = output.isJson ? ['inherit', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio });
    if (output.isJson) for (const stream of [child.stdout, child.stderr]) sayLines(stream);
    let stoppedBy;
    const forward = (signal) => {
      stoppedBy = signal;
      child.kill(signal);
    };
    process.on('SIGINT', forward).on('SIGTERM', forward);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', forward).off('SIGTERM', forward);
      if (stoppedBy) process.exit(stoppedBy === 'SIGINT' ? 130 : 143);
      resolve(signal ? 1 : code);
    });
  });
}

/** Exits with a message instead of a stack trace. */
export function fail(sentence) {
  say(sentence, 'fatal');
  process.exit(1);
}

/** Handles an error in the checkout's files: exits with a sentence that names the file. */
export function failPlainly(error) {
  if (error.code === 'ENOSPC') fail(`The disk of ${root} is full: free space on it, and start again.`);
  if (!error.path) throw error;
  const why = /^\w+: ([^,]*)/.exec(error.message)?.[1] ?? error.code;
  fail(
    `${error.path} cannot be used (${why}): let this user read and write it, or remove it, and start again.`,
  );
}
