import type { OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Changes } from '../audit/EntrySheet.tsx';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { SideSheet } from '../ui/Dialog.tsx';
import { fullDateTime, rowDateTime } from '../ui/dates.ts';
import { Fact, Facts } from '../ui/Facts.tsx';
import { PageLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { useShown } from '../ui/shown.ts';
import { Time } from '../ui/Time.tsx';
import { placeOf, shortSubject } from './audit-place.ts';
import { auditPage } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { CellText, Line } from './Rows.tsx';
import { auditSearch } from './searches.ts';

const TEXTS: Record<string, string> = {
  'account.adjust_credits': 'Adjusted credits',
  'account.change_email': 'Changed an email address',
  'account.end_sessions': 'Ended sessions',
  'account.make_owner': 'Made a member an owner',
  'account.erase': 'Erased an account',
  'account.limits': 'Changed an account’s limits',
  'account.request_email': 'Requested an email address change',
  'account.resume': 'Resumed an account',
  'account.reveal': 'Revealed an account',
  'account.suspend': 'Suspended an account',
  'activity.reveal': 'Revealed an activity entry',
  'announcement.create': 'Created an announcement',
  'announcement.end': 'Ended an announcement',
  'carrier.change': 'Changed a carrier’s setup',
  'carrier.create': 'Added a carrier',
  'carrier.delete': 'Deleted a carrier',
  'carrier.remove_route': 'Removed a country’s route',
  'carrier.prepare': 'Set a carrier up at its company',
  'carrier.test': 'Tested a carrier',
  'lookup.create': 'Set the look-up of numbers up',
  'lookup.change': 'Changed the look-up of numbers',
  'lookup.delete': 'Deleted the look-up of numbers',
  'lookup.test': 'Tested the look-up of numbers',
  'carrier.update': 'Changed a carrier’s order or pause',
  'operator.add': 'Added an operator',
  'operator.remove': 'Removed an operator',
  'operator_key.create': 'Created an operator key',
  'operator_key.delete': 'Deleted an operator key',
  'opt_out.remove': 'Removed an opt-out',
  'payment.export': 'Exported payments',
  'payment.refund': 'Refunded a purchase',
  'payment.refund_failed': 'Failed to refund a purchase',
  'prices.update': 'Changed prices',
  'protection.update': 'Changed protection rules',
  'recipient.erase': 'Started erasing a recipient',
  'recipient.erased': 'Erased a recipient',
  'recipient.search': 'Searched for a recipient',
  'request.reveal': 'Revealed a request',
  'retention.confirm': 'Confirmed a retention',
  'setting.update': 'Changed a setting',
  'test_message.reveal': 'Revealed a test message',
  'verification.resend': 'Resent a code',
  'verification.resend_failed': 'Failed to resend a code',
  'verification.reveal': 'Revealed a verification',
  'webhook.resend': 'Resent a webhook message',
  'webhook_attempt.reveal': 'Revealed a webhook attempt',
};

/** Falls back to the action's name. */
const actionText = (action: string): string => TEXTS[action] ?? action;

/** Every change and reveal by an operator. Entries are immutable. */
export function Audit() {
  const list = useList(auditSearch);
  const query = useQuery(auditPage(list.search));
  const { shown, isOpen, open, close } = useShown<OperatorAction>();
  return (
    <>
      <PageHeading title={operatorPages.audit.title}>
        Every change and reveal by an operator, with the reason if one was given. Entries cannot be changed.
      </PageHeading>
      <ListScreen
        label="Audit log"
        noun="entries"
        placeholder="Operator, account, or reason..."
        list={list}
        query={query}
        columns={columns}
        compact={compactAction}
        rowId={({ id }) => id}
        onOpen={open}
        failure="Failed to load the audit log"
        empty={{
          icon: <IconClipboardList size={24} />,
          title: 'No entries',
          text: 'The first change by an operator appears here.',
          noMatch: 'No entry matches the search.',
        }}
      />
      <SideSheet opened={isOpen} onClose={close} title={shown ? actionText(shown.action) : ''} size="38rem">
        {shown ? <Entry action={shown} /> : null}
      </SideSheet>
    </>
  );
}

const operatorOf = ({ operator, operator_key }: OperatorAction): string =>
  operator_key ? `${operator_key} (key of ${operator ?? 'a deleted account'})` : (operator ?? 'Command line');

const Subject = ({ action, text = action.subject }: Props & { text?: string }) => {
  const place = placeOf(action);
  return place ? <PageLink {...place}>{text}</PageLink> : text;
};

const accountName = ({ account_email }: OperatorAction): string => account_email ?? 'Deleted account';

const AccountLink = ({ action }: Props) =>
  action.account_id === null ? (
    '–'
  ) : (
    <PageLink to="/operator/accounts/$id" params={{ id: action.account_id }}>
      {accountName(action)}
    </PageLink>
  );

interface Props {
  action: OperatorAction;
}

type Values = Record<string, unknown> | null;

const Entry = ({ action }: Props) => (
  <>
    <Facts nameWidth="7rem">
      <Fact name="Date">{fullDateTime(action.created_at)}</Fact>
      <Fact name="Operator">{operatorOf(action)}</Fact>
      <Fact name="IP Address">{action.ip_address ?? '–'}</Fact>
      <Fact name="Account">
        <AccountLink action={action} />
      </Fact>
      <Fact name="Subject">
        <Subject action={action} />
      </Fact>
      <Fact name="Reason">{action.reason || '–'}</Fact>
    </Facts>
    <Changes before={action.before as Values} after={action.after as Values} />
  </>
);

const compactAction = (action: OperatorAction): Compact => ({
  title: (
    <>
      <span className="block">{actionText(action.action)}</span>
      <Line>{shortSubject(action)}</Line>
      {action.account_id === null ? null : <Line>Account: {accountName(action)}</Line>}
      {action.reason ? <Line>Reason: {action.reason}</Line> : null}
    </>
  ),
  isLong: true,
  details: [rowDateTime(action.created_at), `by ${operatorOf(action)}`],
});

const column = columnsOf<OperatorAction>();
const columns = column.columns([
  column.accessor('created_at', {
    header: 'Date',
    meta: { isSortable: true, width: '11.75rem' },
    cell: ({ getValue }) => <Time at={getValue()} />,
  }),
  column.display({
    id: 'operator',
    header: 'Operator',
    meta: { width: '11rem' },
    cell: ({ row: { original } }) => <span className="wrap-anywhere">{operatorOf(original)}</span>,
  }),
  column.accessor('action', {
    header: 'Action',
    cell: ({ row: { original } }) => (
      <CellText>
        <span className="font-550">{actionText(original.action)}</span>
        <small>
          {/* A click on any other part of the row opens the entry. */}
          {original.account_id === null ? (
            original.subject
          ) : (
            <Subject action={original} text={shortSubject(original)} />
          )}
        </small>
      </CellText>
    ),
  }),
  column.display({
    id: 'account',
    header: 'Account',
    meta: { width: '11rem' },
    cell: ({ row: { original } }) => (
      <span className="wrap-anywhere">
        <AccountLink action={original} />
      </span>
    ),
  }),
  column.accessor('reason', {
    header: 'Reason',
    meta: { width: '12rem' },
    cell: ({ getValue }) => getValue() || '–',
  }),
]);
