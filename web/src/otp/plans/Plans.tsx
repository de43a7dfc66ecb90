import { Button } from '@mantine/core';
import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { getPlans, type Plans as PlansData, updatePlans } from '@sixdigit/contract/plans.ts';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../../accounts/role.ts';
import { call } from '../../api/call.ts';
import { useDeployment } from '../../api/deployment.ts';
import { read } from '../../api/read.ts';
import { prices } from '../../payments/price-list.ts';
import { countryName } from '../../ui/display-names.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { LazyActionDialog, lazyDialog } from '../../ui/lazy-dialog.tsx';
import { PageLink } from '../../ui/links.tsx';
import { useChosen } from '../../ui/opened.ts';
import { TipIcon } from '../../ui/TipIcon.tsx';
import { type PlanRow, withoutPlan } from './plan-rows.ts';
import { mostText, planText } from './plan-texts.ts';

const plans = read(getPlans, {});
const PlanForm = lazyDialog(async () => (await import('./PlanForm.tsx')).PlanForm);

/** What a send with `channels: "auto"` means, for all countries and for single ones. */
export function Plans() {
  const { channels } = useDeployment();
  const query = useQuery(plans);
  const offered = CHANNELS.filter(
    (channel) => channels.includes(channel) && factsOf(channel).recipient === 'phone',
  );
  if (offered.length === 0)
    return <p className="m-0 text-14 text-ink-soft">This service has no channel for phone numbers.</p>;
  return (
    <Loaded query={query} failure="Failed to load the plans" waiting={2}>
      {(data) => <PlanList data={data} offered={offered} />}
    </Loaded>
  );
}

/** The plan of all other countries first. */
const rowsOf = ({ default: own, built_in, countries }: PlansData): PlanRow[] => [
  { country: null, ...(own ?? built_in), isOwn: own !== null },
  ...countries
    .map((plan) => ({ ...plan, isOwn: true }))
    .sort((one, other) => countryName(one.country).localeCompare(countryName(other.country), 'en-US')),
];

const nameOf = ({ country }: Pick<PlanRow, 'country'>, data: PlansData): string => {
  if (country !== null) return countryName(country);
  return data.countries.length === 0 ? 'All countries' : 'All other countries';
};

function PlanList({ data, offered }: { data: PlansData; offered: readonly Channel[] }) {
  const may = useMay()('updatePlans');
  const { data: list } = useQuery(prices);
  const [isAdding, setAdding] = useState(false);
  const { row, opened, choose, close } = useChosen<PlanRow, 'edit' | 'remove'>();
  return (
    <div className="grid max-w-208 grid-cols-1 justify-items-start gap-3">
      <p className="m-0 text-14 text-ink-soft">
        A send with{' '}
        <code className="rounded-4 bg-sunken px-1 py-0.5 font-mono text-13">"channels": "auto"</code> tries
        these channels in turn, with one code. <PageLink to="/docs">How sends name channels</PageLink>
      </p>
      <ul className="m-0 w-full list-none p-0" aria-label="Plans">
        {rowsOf(data).map((plan) => {
          const name = nameOf(plan, data);
          return (
            <li
              key={plan.country}
              className="flex items-center gap-3 border-t border-line py-2.5 first:border-t-0"
            >
              <span className="grid min-w-0 flex-1">
                <span className="font-550">{name}</span>
                <span className="text-14 wrap-anywhere">
                  {planText(plan)}
                  {plan.isOwn ? '' : ' (preset)'}
                </span>
                <span className="text-13 text-ink-soft">
                  {mostText(plan, list?.sends ?? [], plan.country)}
                </span>
              </span>
              {may ? (
                <span className="flex flex-none gap-1">
                  <TipIcon label={`Edit the plan: ${name}`} onClick={() => choose('edit', plan)}>
                    <IconPencil size={18} stroke={1.75} aria-hidden />
                  </TipIcon>
                  {plan.isOwn ? (
                    <TipIcon
                      color="red"
                      label={`Remove the plan: ${name}`}
                      onClick={() => choose('remove', plan)}
                    >
                      <IconTrash size={18} stroke={1.75} aria-hidden />
                    </TipIcon>
                  ) : null}
                </span>
              ) : null}
            </li>
          );
        })}
      </ul>
      {may ? (
        <Button variant="default" onClick={() => setAdding(true)}>
          Add Country
        </Button>
      ) : null}
      <PlanForm
        opened={isAdding}
        onClose={() => setAdding(false)}
        data={data}
        offered={offered}
        row={undefined}
      />
      <PlanForm opened={opened === 'edit'} onClose={close} data={data} offered={offered} row={row} />
      <LazyActionDialog
        opened={opened === 'remove'}
        onClose={close}
        title="Remove Plan"
        confirm="Remove Plan"
        isDangerous
        of={row}
        run={(of) => call(updatePlans, { body: withoutPlan(data, of.country) })}
        success="Plan removed"
        failure="Failed to remove the plan"
        refresh={[getPlans]}
        done={close}
      >
        <p className="m-0">
          {row?.country
            ? `Remove the plan for ${countryName(row.country)}? Its sends follow the plan of all other countries from then on.`
            : `Remove your plan? Sends follow the preset from then on: ${planText(data.built_in)}.`}
        </p>
      </LazyActionDialog>
    </div>
  );
}
