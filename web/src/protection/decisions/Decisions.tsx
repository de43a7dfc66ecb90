import { DECISION_DAYS, type DestinationDecision } from '@sixdigit/contract/protection/decisions.ts';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ForRole } from '../../accounts/ForRole.tsx';
import { nowMs } from '../../api/clock.ts';
import { ApiKeyFilter } from '../../api-keys/ApiKeyFilter.tsx';
import { otherPages } from '../../pages.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { FilterSelect } from '../../table/FilterSelect.tsx';
import { ListScreen } from '../../table/ListScreen.tsx';
import { useList } from '../../table/list.ts';
import { rowDateTime } from '../../ui/dates.ts';
import { LoneLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { usePhoneFormat } from '../../ui/phone-numbers.ts';
import { useShown } from '../../ui/shown.ts';
import { Time } from '../../ui/Time.tsx';
import { RULE_NAMES } from '../rule-texts.ts';
import { DecisionSheet } from './DecisionSheet.tsx';
import {
  decisionExport,
  decisionFigures,
  decisionPage,
  decisionSearch,
  OUTCOME_LABELS,
  outcomes,
  periods,
  rules,
} from './decisions.ts';
import { destinationOf, OutcomeBadge } from './Outcome.tsx';

/** Every send about which a rule objected, with its reasons. */
export function Decisions() {
  usePhoneFormat();
  const list = useList(decisionSearch);
  const query = useQuery(decisionPage(list.search));
  const { shown, isOpen, open, close } = useShown<DestinationDecision>();
  return (
    <ForRole to="listDecisions" title={otherPages.decisions.title}>
      <PageHeading title={otherPages.decisions.title}>
        Sends that a rule blocked, challenged, or would have blocked, with the reasons. Kept for{' '}
        {DECISION_DAYS} days.
      </PageHeading>
      <ListScreen
        list={list}
        query={query}
        columns={decisionColumns}
        compact={compactDecision}
        exporting={decisionExport(list.search)}
        onOpen={open}
        above={<DecisionChart />}
        label="Decisions"
        noun="decisions"
        placeholder="Search prefixes, countries, or IP addresses..."
        filters={
          <>
            <FilterSelect list={list} name="days" label="Time period" options={periods} />
            <FilterSelect list={list} name="outcome" label="Outcome" options={outcomes} />
            <FilterSelect list={list} name="rule" label="Rule" options={rules} />
            <ApiKeyFilter list={list} />
          </>
        }
        rowId={({ id }) => id}
        failure="Failed to load the decisions"
        empty={{
          icon: <IconShieldCheck size={24} />,
          title: 'No send looked suspicious',
          noMatch: 'No decisions match the current filters. Try adjusting the search or the filters.',
        }}
      />
      {/* Phones show only the last breadcrumb. */}
      <p className="mt-3 mb-0 text-14 md:hidden">
        <LoneLink to="/protection">Back to Protection</LoneLink>
      </p>
      <DecisionSheet decision={shown} isOpen={isOpen} onClose={close} />
    </ForRole>
  );
}

const compactDecision = (decision: DestinationDecision): Compact => ({
  title: destinationOf(decision),
  details: [rowDateTime(decision.created_at), RULE_NAMES[decision.rule], countOf(decision.sends, 'send')],
  more: [OUTCOME_LABELS[decision.outcome], decision.client],
});

const column = columnsOf<DestinationDecision>();
export const decisionColumns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '12.25rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.accessor('outcome', {
    header: 'Outcome',
    meta: { width: '7.5rem' },
    cell: ({ getValue }) => <OutcomeBadge outcome={getValue()} />,
  }),
  column.accessor('rule', {
    header: 'Rule',
    cell: ({ row: { original } }) => (
      <span className="grid min-w-0">
        <span className="font-550">{RULE_NAMES[original.rule]}</span>
        {original.findings.length > 1 ? (
          <span className="text-13 text-ink-soft">
            and {countOf(original.findings.length - 1, 'more rule')}
          </span>
        ) : null}
      </span>
    ),
  }),
  column.display({
    id: 'destination',
    header: 'Destination',
    cell: ({ row: { original } }) => (
      <span className="grid min-w-0 wrap-anywhere">
        <span>{destinationOf(original)}</span>
        {original.client === null ? null : <span className="text-13 text-ink-soft">{original.client}</span>}
      </span>
    ),
  }),
  column.accessor('sends', {
    header: 'Sends',
    meta: { isSortable: true, width: '6rem', align: 'right' },
    cell: ({ getValue }) => getValue().toLocaleString('en-US'),
  }),
]);

const DAY_MS = 86_400_000;
const PARTS = [
  ['blocked', 'Blocked', 'bg-red'],
  ['challenged', 'Challenged', 'bg-blue'],
  ['monitored', 'Monitored', 'bg-orange'],
  ['passed', 'Passed', 'bg-green'],
] as const;

/** The sends of each day (UTC), by outcome. */
function DecisionChart() {
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
