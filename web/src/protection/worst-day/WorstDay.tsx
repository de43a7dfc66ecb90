import type { WorstDay as Worst, WorstDayChange } from '@sixdigit/contract/protection/protection.ts';
import { Folded } from '../../ui/Folded.tsx';
import { PageLink } from '../../ui/links.tsx';
import { dollars } from '../../ui/numbers.ts';
import { Campaigns } from './Campaigns.tsx';
import { assumptionsOf, changeOf, summaryOf, usersText } from './worst-day-texts.ts';

/** What the costliest day of fraud costs, and the changes that lower it. */
export const WorstDay = ({ worst }: { worst: Worst }) => (
  <div className="mt-4 grid grid-cols-1 gap-5">
    <p className="m-0 text-15 font-550">{summaryOf(worst)}</p>
    <Campaigns worst={worst} />
    <Changes worst={worst} />
    <Folded title="Assumptions" about="users, attackers, prices">
      {() => (
        <ul className="m-0 grid gap-2 pl-5 text-14">
          {assumptionsOf(worst).map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Folded>
  </div>
);

function Changes({ worst }: { worst: Worst }) {
  if (worst.changes.length === 0)
    return <p className="m-0 text-14">No change of a single setting lowers the worst day.</p>;
  return (
    <div>
      <h3 className="m-0 text-15 font-600">Changes that lower it most</h3>
      <ul className="m-0 list-none p-0" aria-label="Changes">
        {worst.changes.map((change) => (
          <ChangeRow
            key={`${change.setting} ${change.rule} ${change.threshold}`}
            change={change}
            worst={worst}
          />
        ))}
      </ul>
    </div>
  );
}

function ChangeRow({ change, worst }: { change: WorstDayChange; worst: Worst }) {
  const { name, text, section } = changeOf(change);
  return (
    <li className="flex flex-wrap items-baseline justify-between gap-x-4 border-b border-line py-2.5 text-14 last:border-b-0">
      <span className="min-w-0 wrap-anywhere">
        <PageLink to="." hash={section} search={true}>
          {name}
        </PageLink>
        {`: ${text}`}
      </span>
      <span className="tabular-nums">
        <strong className="font-600">{dollars(change.cost_cents)}</strong>
        <span className="text-ink-soft">, {usersText(change, worst)}</span>
      </span>
    </li>
  );
}
