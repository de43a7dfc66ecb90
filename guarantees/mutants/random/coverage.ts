import { mkdirSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect } from 'vitest';

/** The parts of one source file that one test file ran. */
export interface Covered {
  /** Nested ranges [from, to, did it run]. An inner range follows the outer one and overrides it. */
  ranges: [number, number, boolean][];
}

const ROOT = join(import.meta.dirname, '../../..');
const session = new Session();

/** Set-up of each test file in a run that measures coverage: writes the coverage of a file that passes to COVERAGE_FOLDER. */
beforeAll(async () => {
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});

// biome-ignore lint/correctness/noEmptyPattern: Vitest reads the names of fixtures from the first parameter.
afterAll(async ({}, { tasks }) => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  session.disconnect();
  if (tasks.some((task) => task.result?.state === 'fail')) return;
  const covered: Record<string, Covered> = {};
  for (const { url, functions } of result) {
    const file = pathOf(url);
    if (
      !file ||
      !/^(?:server|contract|web|clients\/[\w-]+)\/(?:src|first-paint)\//.test(file) ||
      file.includes('.test.')
    )
      continue;
    const ranges = functions.flatMap((one) =>
      one.ranges.map(({ startOffset, endOffset, count }): [number, number, boolean] => [
        startOffset,
        endOffset,
        count > 0,
      ]),
    );
    // If a file was only loaded, nothing but its outermost function ran, which is recorded for a worker's first test file only.
    const inner = functions.filter(({ functionName, ranges: [outer] }) => functionName || outer?.startOffset);
    if (inner.some(({ ranges: [outer] }) => outer && outer.count > 0)) covered[file] = { ranges };
  }
  const test = relative(ROOT, expect.getState().testPath ?? '');
  const folder = process.env.COVERAGE_FOLDER ?? '';
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${encodeURIComponent(test)}.json`), JSON.stringify(covered));
});

function pathOf(url: string): string | undefined {
  const path = url.startsWith('file:') ? fileURLToPath(url) : url;
  return path.startsWith(ROOT) ? relative(ROOT, path.split('?')[0] ?? '') : undefined;
}
