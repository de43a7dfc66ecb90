import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { doctorCommand, examine } from '../src/operations/commands/doctor/doctor.ts';
import { systemClock } from '../src/platform/clock.ts';
import { TEST_KEY_COST, TEST_SECRET_KEY } from './service.ts';

/** A database that does not respond, with a password that no output may contain. */
export const NOWHERE = 'postgres://someone:a-password-of-mine@127.0.0.1:8/nothing';

/** Runs the doctor in a separate data folder, which is removed after the tests of the file. */
export function doctorRuns() {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  /** The findings about one subject, line by line. */
  async function found(
    about: string,
    env: Record<string, string>,
    clock: { now(): Date } = systemClock,
  ): Promise<string[]> {
    const findings = await examine(
      { DATA_DIR: folder, PORT: '0', SECRET_KEY: TEST_SECRET_KEY, ...env },
      { clock, keyCost: TEST_KEY_COST },
    );
    return findings
      .filter((finding) => finding.about === about)
      .map(({ level, says, advice }) => `${level}: ${says}${advice ? ` → ${advice}` : ''}`);
  }

  async function printed(env: Record<string, string>): Promise<{ code: number; text: string }> {
    const lines: string[] = [];
    const code = await doctorCommand({ DATA_DIR: folder, PORT: '0', ...env }, (line) => lines.push(line));
    return { code, text: lines.join('\n') };
  }

  return { found, printed };
}
