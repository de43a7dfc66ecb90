import { execFileSync, spawn } from 'node:child_process';
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { vi } from 'vitest';
import { ROOT } from './source.ts';

/** The files of the container image: made by the commands of the Dockerfile, read-only, and run by an ordinary user. */
export interface Shipped extends Disposable {
  folder: string;
  run(args: readonly string[], env: Record<string, string>): ShippedProcess;
}

export interface ShippedProcess {
  output(): string;
  /** Resolves with the first match in the output. Rejects with the output if the process ends first. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** Resolves to the exit code, or the signal. */
  exited: Promise<number | NodeJS.Signals | null>;
  stop(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Root would pass every permission check. */
export const ordinaryUser = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

const COPIED = [
  'package.json',
  'package-lock.json',
  '.npmrc',
  'LICENSE',
  'contract/package.json',
  'contract/src',
  'server/package.json',
  'server/sql',
  'server/src',
];

export function shippedFiles(more: readonly string[] = []): Shipped {
  const folder = mkdtempSync(join(tmpdir(), 'shipped-'));
  for (const part of COPIED) cpSync(join(ROOT, part), join(folder, part), { recursive: true });
  const dist = join(ROOT, 'web/dist');
  if (existsSync(dist)) cpSync(dist, join(folder, 'web/dist'), { recursive: true });
  for (const name of [...packagesOfServer(), ...more])
    if (existsSync(join(ROOT, name)))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
  mkdirSync(join(folder, 'bin'));
  copyFileSync(process.execPath, join(folder, 'bin/node'), constants.COPYFILE_FICLONE);
  setModes(folder, 0o555);
  return {
    folder,
    run: (args, env) => launch(folder, args, env),
    [Symbol.dispose]() {
      setModes(folder, 0o755);
      rmSync(folder, { recursive: true });
    },
  };
}

/** The folders that `npm ci --workspace=server --omit=dev` fills. */
export const packagesOfServer = (): string[] =>
  execFileSync(
    'npm',
    ['ls', '--workspace=server', '--omit=dev', '--all', '--parseable', '--package-lock-only', '--offline'],
    { cwd: ROOT, encoding: 'utf8' },
  )
    .split('\n')
    .filter((path) => path.startsWith(join(ROOT, 'node_modules')))
    .map((path) => relative(ROOT, path));

function setModes(folder: string, mode: number): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) setModes(path, mode);
    else if (entry.isFile()) chmodSync(path, statSync(path).mode & 0o100 ? mode : mode & 0o666);
  }
  chmodSync(folder, mode);
}

/** The options of the Dockerfile's entry point. */
const [, ...ENTRYPOINT] = JSON.parse(
  /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '[]',
) as string[];

function launch(folder: string, args: readonly string[], env: Record<string, string>): ShippedProcess {
  const child = spawn(join(folder, 'bin/node'), [...ENTRYPOINT, ...args], {
    cwd: folder,
    env: { PATH: dirname(process.execPath), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...ordinaryUser,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += String(chunk);
    });
  const exited = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    output: () => output,
    printed: (pattern) =>
      vi.waitUntil(
        () => {
          if (hasEnded()) throw new Error(output);
          return pattern.exec(output);
        },
        { timeout: 60_000 },
      ) as Promise<RegExpExecArray>,
    exited,
    async stop(signal = 'SIGTERM') {
      if (!hasEnded()) child.kill(signal);
      return await exited;
    },
  };
}
