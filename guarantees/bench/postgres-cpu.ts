import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const TICKS_PER_SECOND = 100;

/** CPU time of PostgreSQL and all its processes, those that have ended included. Zero where there is no /proc. */
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
        // After the command: 1 is the parent, 11 and 12 the process's own time, 13 and 14 that of ended children.
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
