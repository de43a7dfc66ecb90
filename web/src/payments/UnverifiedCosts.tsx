import { Button, NativeSelect } from '@mantine/core';
import { getProtection } from '@sixdigit/contract/protection/protection.ts';
import { RULE_NAMES, type Rule } from '@sixdigit/contract/protection/rules.ts';
import {
  COST_PERIODS,
  type UnverifiedCosts as Costs,
  type CountryCost,
} from '@sixdigit/contract/unverified-costs.ts';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Fragment, useState } from 'react';
import { read } from '../api/read.ts';
import { prefixText } from '../protection/block-texts.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { PageLink } from '../ui/links.tsx';
import { countOf, percentOf } from '../ui/numbers.ts';
import { useOpened } from '../ui/opened.ts';
import { Panel } from '../ui/Panel.tsx';
import { PlainTable } from '../ui/PlainTable.tsx';
import { usePhoneFormat } from '../ui/phone-numbers.ts';
import { SegmentedControl } from '../ui/SegmentedControl.ts';
import classes from './Payments.module.css';
import { unverifiedCosts } from './payments.ts';
import { count, number } from './prices.ts';
import { countryText } from './send-prices.ts';

const SHOWN = 5;
const BY = [
  { value: 'prefix', label: 'By prefix' },
  { value: 'country', label: 'By country' },
];

type Days = (typeof COST_PERIODS)[number];

/** What codes cost that were never verified, and the rules that limit them. */
export function UnverifiedCosts() {
  const period = useOpened('costs');
  const days: Days = COST_PERIODS.find((value) => value === period.opened) ?? '30';
  const query = useQuery(unverifiedCosts(days));
  return (
    <Panel
      id="unverified"
      title="Cost of unverified codes"
      description="Credits spent on codes that were sent but never verified. Refunded codes are not included."
      actions={
        <NativeSelect
          aria-label="Period"
          value={days}
          onChange={({ currentTarget }) => period.open(currentTarget.value)}
          data={COST_PERIODS.map((value) => ({ value, label: `Last ${value} days` }))}
        />
      }
    >
      <Loaded query={query} failure="Failed to load the cost of unverified codes">
        {(costs) => <Shown costs={costs} />}
      </Loaded>
    </Panel>
  );
}

function Shown({ costs }: { costs: Costs }) {
  if (costs.credits === 0)
    return (
      <p className="m-0 flex items-center gap-2 text-14 text-ink-soft">
        <IconShieldCheck className="flex-none" size={20} stroke={1.75} aria-hidden />
        No credits were spent on unverified codes in this period.
      </p>
    );
  return <Spent costs={costs} />;
}

function Spent({ costs }: { costs: Costs }) {
  usePhoneFormat();
  const [by, setBy] = useState('prefix');
  const [isWhole, setWhole] = useState(false);
  const rows: readonly Named[] =
    by === 'prefix' ? byPrefix(costs) : costs.by_country.map((row) => ({ ...row, name: countryOf(row) }));
  const shown = isWhole ? rows : rows.slice(0, SHOWN);
  return (
    <>
      <div className="mb-4 flex flex-wrap items-end justify-between gap-x-6 gap-y-3">
        <p className="m-0 text-15">
          <strong className="text-22 font-650 tabular-nums">{count(costs.credits)}</strong> for{' '}
          {countOf(costs.unverified, 'unverified code')}, {percentOf(costs.credits, costs.spent)} of the
          credits spent on finished codes.
        </p>
        <SegmentedControl
          aria-label="Group by"
          data={BY}
          value={by}
          onChange={(value) => {
            setBy(value);
            setWhole(false);
          }}
        />
      </div>
      <PlainTable
        label="Cost of unverified codes"
        headings={[by === 'prefix' ? 'Destination' : 'Country', 'Credits', 'Unverified', 'Rule']}
        className={classes.costs ?? ''}
      >
        {shown.map((row) => (
          <Fragment key={row.name}>
            <tr>
              <td>
                <strong className="font-550 whitespace-nowrap tabular-nums">{row.name}</strong>
                {row.note ? <small className="block text-13 text-ink-soft">{row.note}</small> : null}
              </td>
              <td className="tabular-nums">{number(row.credits)}</td>
              <td className="whitespace-nowrap tabular-nums">
                {number(row.unverified)} of {number(row.unverified + row.verified)} (
                {percentOf(row.unverified, row.unverified + row.verified)})
              </td>
              <td>
                <RuleLink rule={row.rule} isEmail={row.country === null} />
              </td>
            </tr>
            {/** Narrow screens have no room for the last column, and show only rules that help. */}
            {row.rule === null ? null : (
              <tr className={`${classes.below} text-13 lg:hidden`}>
                <td colSpan={3}>
                  <RuleLink rule={row.rule} isEmail={false} />
                </td>
              </tr>
            )}
          </Fragment>
        ))}
      </PlainTable>
      {shown.some(({ rule, country }) => rule === null && country !== null) ? (
        <p className="mt-2.5 mb-0 text-13 text-ink-soft">
          Destinations where most codes are verified need no rule.
        </p>
      ) : null}
      {rows.length > SHOWN ? (
        <Button className="mt-3" variant="default" size="compact-sm" onClick={() => setWhole(!isWhole)}>
          {isWhole ? 'Show Fewer' : `Show All ${rows.length}`}
        </Button>
      ) : null}
    </>
  );
}

type Named = CountryCost & { name: string; note?: string };

/** Email has no prefixes, so it is one row among them. */
const byPrefix = ({ by_prefix, by_country }: Costs): Named[] =>
  [
    ...by_prefix.map((row) => ({ ...row, name: prefixText(row.prefix), note: countryOf(row) })),
    ...by_country.filter(({ country }) => country === null).map((row) => ({ ...row, name: 'Email' })),
  ].sort((one, other) => other.credits - one.credits);

const countryOf = ({ country }: CountryCost): string => (country === null ? 'Email' : countryText(country));

const modes = { enforce: 'already blocks', monitor: 'monitoring only', off: 'off' } as const;

/** The rule with its mode, linked to its setting. */
function RuleLink({ rule, isEmail }: { rule: Rule | null; isEmail: boolean }) {
  const { data } = useQuery(read(getProtection, {}));
  if (rule === null)
    return <span className="text-ink-soft">{isEmail ? 'No rules for email' : 'Not needed'}</span>;
  const mode = data?.rules[rule].mode;
  return (
    <>
      <PageLink to="/protection" hash={rule === 'country' ? 'countries' : 'rules'}>
        {RULE_NAMES[rule]}
      </PageLink>
      {mode && rule !== 'country' ? <span className="text-ink-soft"> ({modes[mode]})</span> : null}
    </>
  );
}
