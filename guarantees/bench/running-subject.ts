import { type ChildProcess, fork } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMPILE_CACHE, NODE_OPTIONS } from '../harness/processes.ts';

/** A service under measurement, in a separate process. */
export interface Subject {
  port: number;
  child: ChildProcess;
  /** codes of dispatched messages, by verification */
  dispatched: Map<string, string>;
  /** milliseconds from the queue to the carrier */
  waits: number[];
  memory(): Promise<number>;
  /** CPU time of the process so far, in µs */
  cpu(): Promise<number>;
  stop(): Promise<void>;
}

interface Message {
  port?: number;
  rss?: number;
  cpu?: number;
  dispatched?: { id: string; code: string; ms: number }[];
}

export async function startSubject(
  file: string,
  args: string[],
  env: Record<string, string>,
): Promise<Subject> {
  const child = fork(join(import.meta.dirname, file), args, {
    env: { ...process.env, NODE_COMPILE_CACHE: COMPILE_CACHE, ...env },
    execArgv: [...NODE_OPTIONS],
  });
  const dispatched = new Map<string, string>();
  const waits: number[] = [];
  const answers = new Map<keyof Message, (value: number) => void>();
  const ask = (what: 'memory' | 'cpu', field: 'rss' | 'cpu') =>
    new Promise<number>((resolve) => {
      answers.set(field, resolve);
      child.send(what);
    });
  const port = await new Promise<number>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if (message.port !== undefined) resolve(message.port);
      if (message.rss !== undefined) answers.get('rss')?.(message.rss);
      if (message.cpu !== undefined) answers.get('cpu')?.(message.cpu);
      for (const { id, code, ms } of message.dispatched ?? []) {
        dispatched.set(id, code);
        waits.push(ms);
      }
    });
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
  });
  return {
    port,
    child,
    dispatched,
    waits,
    memory: () => ask('memory', 'rss'),
    cpu: () => ask('cpu', 'cpu'),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.send('stop');
      }),
  };
}

export const until = async (condition: () => boolean, seconds: number): Promise<void> => {
  const end = performance.now() + seconds * 1000;
  while (!condition() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 20));
};

const TICKS_PER_SECOND = 100;

/** CPU time of all PostgreSQL processes, including those that ended. Zero without /proc. */
export function postgresCpuUs(dataDir: string): number {
  try {
    const postmaster = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0];
    const statOf = (pid: string) =>
      readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const ticks = (fields: string[], from: number, to: number) =>
      fields.slice(from, to).reduce((sum, field) => sum + Number(field), 0);
    let total = 0;
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
      try {
        const fields = statOf(pid);
        // Fields after the command: 1 is the parent; 11 and 12 the process's time; 13 and 14 that of its ended children.
        if (pid === postmaster) total += ticks(fields, 11, 15);
        else if (fields[1] === postmaster) total += ticks(fields, 11, 13);
      } catch {
        // The process has ended.
      }
    }
    return (total * 1_000_000) / TICKS_PER_SECOND;
  } catch {
    return 0;
  }
}
