import type { Fallback as FallbackData } from '@sixdigit/contract/insights.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useKeyChoices } from '../api-keys/api-keys.ts';
import { pages } from '../pages.ts';
import { labelOf } from '../ui/channel.ts';
import { shortDateTime } from '../ui/dates.ts';
import { Folded } from '../ui/Folded.tsx';
import { Loaded } from '../ui/Loaded.tsx';
import { ButtonLink } from '../ui/links.tsx';
import { countOf, percent } from '../ui/numbers.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { BarList } from './BarList.tsx';
import { ChartPanel } from './ChartPanel.tsx';
import { duration, fallbackText } from './figures.ts';
import { InsightsView } from './InsightsView.tsx';
import { fallbackOf, type InsightsSearch, insightsOf } from './insights.ts';

const route = getRouteApi('/_app/insights');

/** Counts, conversion and time to verify over a period, compared with the period before. */
export function Insights() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(insightsOf(search));
  const keys = useKeyChoices();
  return (
    <>
      <PageHeading title={pages.insights.title}>
        How your verifications perform, compared with the period before.
      </PageHeading>
      <InsightsView
        search={search}
        change={(to) => void navigate({ search: { ...search, ...to }, replace: true, resetScroll: false })}
        query={query}
        keys={keys ?? []}
        fallback={<Fallback search={search} />}
        action={
          <ButtonLink to="/" search={{ dialog: 'test-send' }}>
            Send a Test Code
          </ButtonLink>
        }
      />
    </>
  );
}

/** What plans with several channels did. Loaded when it opens. */
const Fallback = ({ search }: { search: InsightsSearch }) => (
  <Folded title="Fallback" about="what each step of plans delivered, verified and cost" hasPanels>
    {(isOpen) => (isOpen ? <Steps search={search} /> : null)}
  </Folded>
);

function Steps({ search }: { search: InsightsSearch }) {
  const query = useQuery(fallbackOf(search));
  return (
    <Loaded query={query} failure="Failed to load the fallback" waiting={4}>
      {(data) => <StepsPanel data={data} />}
    </Loaded>
  );
}

function StepsPanel({ data: { steps, counted_from } }: { data: FallbackData }) {
  const since = shortDateTime(counted_from);
  const rows = steps.map((step) => ({
    ...step,
    name: `${step.step}. ${labelOf(step.channel)}`,
    share: percent(step.sent === 0 ? null : step.verified / step.sent),
  }));
  return (
    <ChartPanel
      title="Steps of plans"
      description={
        steps.length === 0
          ? `No send with a plan since ${since}.`
          : `${fallbackText(steps)} Counted since ${since}.`
      }
      table={{
        head: [
          ...['Step', 'Messages', 'Delivered', 'Codes entered', 'Share', 'Skipped', 'Credits'],
          ...['Time to delivery', 'Time to code'],
        ],
        rows: rows.map((row) => [
          ...[row.name, row.sent, row.delivered, row.verified, row.share, row.skipped, row.credits],
          ...[duration(row.delivery_seconds), duration(row.verify_seconds)],
        ]),
      }}
    >
      {rows.length === 0 ? null : (
        <BarList
          headings={['Step', 'Messages', 'Codes entered']}
          unit="messages"
          rows={rows.map((row) => ({
            id: row.name,
            name: `${row.name} · ${factsOf(row)}`,
            value: row.sent,
            note: row.share,
          }))}
        />
      )}
    </ChartPanel>
  );
}

/** '95 delivered in 4 s, 120 credits' */
const factsOf = ({
  delivered,
  delivery_seconds,
  credits,
}: Pick<FallbackData['steps'][number], 'delivered' | 'delivery_seconds' | 'credits'>): string =>
  `${delivered.toLocaleString('en-US')} delivered${
    delivery_seconds === null ? '' : ` in ${duration(delivery_seconds)}`
  }, ${countOf(credits, 'credit')}`;
