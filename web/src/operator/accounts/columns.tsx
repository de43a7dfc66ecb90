import type { OperatorAccount } from '@sixdigit/contract/operator/accounts.ts';
import { count } from '../../payments/prices.ts';
import type { Compact } from '../../table/CompactRow.tsx';
import { columnsOf } from '../../table/columns.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { PageLink } from '../../ui/links.tsx';
import { countOf, percentOf } from '../../ui/numbers.ts';
import { number } from '../Facts.tsx';
import { CellText } from '../Rows.tsx';

/** The badge of each state. */
export const STATES: Record<OperatorAccount['state'], { tone: Tone; label: string }> = {
  active: { tone: 'green', label: 'Active' },
  suspended: { tone: 'red', label: 'Suspended' },
  deleted: { tone: 'gray', label: 'Deleted' },
};

export const AccountState = ({ state }: Pick<OperatorAccount, 'state'>) => (
  <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>
);

/** The account's name and its owner's. */
export const namesOf = ({ name, first_name, last_name }: OperatorAccount): string[] =>
  [name, `${first_name} ${last_name}`.trim()].filter(Boolean);

const column = columnsOf<OperatorAccount>();

export const compactAccount = (account: OperatorAccount): Compact => ({
  title: account.email ?? 'Deleted account',
  badge: <AccountState state={account.state} />,
  details: [
    account.name,
    `${countOf(account.sends_30_days, 'send')} in 30 days`,
    ...(account.blocked_24_hours > 0 ? [`${number(account.blocked_24_hours)} blocked in 24 hours`] : []),
  ],
  more: [`Created ${shortDateTime(account.created_at)}`],
  end: <span className="text-13">{count(account.credits - account.debt)}</span>,
});

export const accountColumns = column.columns([
  column.accessor('email', {
    header: 'Account',
    meta: { isSortable: true },
    cell: ({ row: { original } }) => (
      <CellText>
        <PageLink to="/operator/accounts/$id" params={{ id: original.id }}>
          {original.email ?? 'Deleted account'}
        </PageLink>
        <small>{namesOf(original).join(' · ')}</small>
      </CellText>
    ),
  }),
  column.accessor('state', {
    header: 'State',
    meta: { width: '6.5rem' },
    cell: ({ getValue }) => <AccountState state={getValue()} />,
  }),
  column.accessor('credits', {
    header: 'Balance',
    meta: { isSortable: true, align: 'right', width: '6.5rem' },
    cell: ({ row: { original } }) => number(original.credits - original.debt),
  }),
  column.accessor('sends_30_days', {
    header: 'Sends, 30 days',
    meta: { align: 'right', width: '8.5rem' },
    cell: ({ row: { original } }) => (
      <CellText>
        {number(original.sends_30_days)}
        {original.sends_30_days > 0 ? (
          <small>{percentOf(original.verified_30_days, original.sends_30_days)} verified</small>
        ) : null}
        {original.blocked_24_hours > 0 ? (
          <small>{number(original.blocked_24_hours)} blocked in 24 hours</small>
        ) : null}
      </CellText>
    ),
  }),
  column.accessor('last_activity_at', {
    header: 'Last activity',
    meta: { width: '12.5rem' },
    cell: ({ getValue }) => shortDateTime(getValue(), 'Never'),
  }),
  column.accessor('created_at', {
    header: 'Created',
    meta: { isSortable: true, width: '11.5rem' },
    cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
  }),
]);
