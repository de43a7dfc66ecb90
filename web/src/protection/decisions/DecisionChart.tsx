import { DECISION_DAYS } from '@sixdigit/contract/protection/decisions.ts';
import { useQuery } from '@tanstack/react-query';
import { nowMs } from '../../api/clock.ts';
import { decisionFigures } from './decisions.ts';

const DAY_MS = 86_400_000;
const PARTS = [
  ['blocked', 'Blocked', 'bg-red'],
  ['challenged', 'Challenged', 'bg-blue'],
  ['monitored', 'Monitored', 'bg-orange'],
  ['passed', 'Passed', 'bg-green'],
] as const;

/** The sends of each day (UTC), by outcome. */
export function DecisionChart() {
  const { data } = useQuery(decisionFigures);
  const byDay = new Map((data?.days ?? []).map((one) => [one.day, one]));
  const days = Array.from({ length: DECISION_DAYS }, (_, n) => {
    const day = new Date(nowMs() - (DECISION_DAYS - 1 - n) * DAY_MS).toISOString().slice(0, 10);
    return byDay.get(day) ?? { day, blocked: 0, challenged: 0, monitored: 0, passed: 0 };
  });
  const totals = PARTS.map(([key, label]) => [label, days.reduce((sum, one) => sum + one[key], 0)] as const);
  const most = Math.max(1, ...days.map((one) => PARTS.reduce((sum, [key]) => sum + one[key], 0)));
  const textOf = (one: (typeof days)[number]): string =>
    `${one.day}: ${PARTS.map(([key, label]) => `${one[key].toLocaleString('en-US')} ${label.toLowerCase()}`).join(', ')}`;
  return (
    <figure className="m-0 mb-3.5 grid gap-2">
      <div className="flex h-16 items-end gap-0.5" aria-hidden>
        {days.map((one) => (
          <span key={one.day} className="flex h-full flex-1 flex-col justify-end" data-tip={textOf(one)}>
            {PARTS.map(([key, , color]) => (
              <span
                key={key}
                className={`block ${color}`}
                style={{ height: `${(100 * one[key]) / most}%` }}
              />
            ))}
            <span className="block h-px bg-line" />
          </span>
        ))}
      </div>
      <figcaption className="text-13 text-ink-soft">
        Sends in {DECISION_DAYS} days:{' '}
        {totals.map(([label, count]) => `${count.toLocaleString('en-US')} ${label.toLowerCase()}`).join(', ')}
      </figcaption>
    </figure>
  );
}
