import { GROUPS, type Group } from './checks.ts';
import type { Outcome, Report, Row } from './conformance.ts';

/** The report as a table, with a sentence for each failure. */
export function tableOf({ base, rows, passed, failed, skipped, messages_read }: Report): string {
  const used = GROUPS.filter((group) => rows.some((row) => row.outcomes.some((one) => one.group === group)));
  const cells = [
    ['', 'system', 'version', ...used, 'slowest'],
    ...rows.map((row) => [
      isGood(row) ? '✓' : '✗',
      row.name,
      row.version,
      ...used.map((group) => cellOf(row, group)),
      `${row.slowest_ms} ms`,
    ]),
  ];
  const widths = (cells[0] ?? []).map((_, n) => Math.max(...cells.map((line) => line[n]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, n) => cell.padEnd(widths[n] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const failures = rows.flatMap(failuresOf);
  return [
    `Conformance of ${base}`,
    '',
    ...lines,
    '',
    ...failures.flatMap((failure) => [failure, '']),
    ...(messages_read
      ? []
      : ['Only responses were checked, because no messages were read. See "messages" in README.md.']),
    `${passed} passed, ${failed} failed, ${skipped} skipped`,
  ].join('\n');
}

/** The failures of a row. Checks that failed in the same way share a sentence. */
function failuresOf({ name, version, outcomes }: Row): string[] {
  const groups = new Map<string, Outcome[]>();
  for (const outcome of outcomes.filter(({ status }) => status === 'failed')) {
    const difference = /Expected .*$/s.exec(outcome.reason ?? '')?.[0] ?? outcome.reason ?? '';
    groups.set(difference, [...(groups.get(difference) ?? []), outcome]);
  }
  return [...groups].map(([difference, [first, ...others]]) => {
    const checks = [first, ...others].map((one) => one?.check).join(', ');
    return `✗ ${name}, ${version}: ${checks}\n  ${others.length > 0 ? difference : first?.reason}`;
  });
}

const isGood = ({ outcomes }: Row): boolean => outcomes.every(({ status }) => status !== 'failed');

/** Passed and tried checks of a group. */
function cellOf({ outcomes }: Row, group: Group): string {
  const tried = outcomes.filter((one) => one.group === group && one.status !== 'skipped');
  if (tried.length === 0) return '–';
  return `${tried.filter(({ status }) => status === 'passed').length}/${tried.length}`;
}
