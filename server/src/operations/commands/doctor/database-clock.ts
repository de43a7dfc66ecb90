import type { Sql } from '../../../platform/db/sql.ts';
import type { DoctorContext } from './context.ts';
import { type Finding, ok, problem, warning } from './finding.ts';

/** The shortest of several round trips, and the offset of the process clock from the database clock. */
export async function measureClock(
  db: Sql,
  { clock }: DoctorContext,
): Promise<{ latencyMs: number; offsetMs: number }> {
  let latencyMs = Number.POSITIVE_INFINITY;
  let offsetMs = 0;
  for (let n = 0; n < 5; n++) {
    const startedMs = performance.now();
    const before = clock.now().getTime();
    const { at } = await db.one<{ at: number }>('select extract(epoch from clock_timestamp()) * 1000 as at');
    const tookMs = performance.now() - startedMs;
    if (tookMs >= latencyMs) continue;
    latencyMs = tookMs;
    offsetMs = before + tookMs / 2 - at;
  }
  return { latencyMs, offsetMs };
}

export function clockFinding(offsetMs: number): Finding {
  const seconds = Math.abs(offsetMs) / 1000;
  const says = `This machine's clock is ${seconds.toFixed(seconds < 10 ? 2 : 0)} s ${offsetMs < 0 ? 'behind' : 'before'} the database's.`;
  const advice = 'Synchronise the clocks of both machines by NTP (chrony or systemd-timesyncd).';
  if (seconds > 60) return problem('clock', says, `Signed calls will be refused. ${advice}`);
  return seconds > 2 ? warning('clock', says, advice) : ok('clock', says);
}
