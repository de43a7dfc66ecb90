import type { OperatorAction } from '@sixdigit/contract/operator/operator.ts';
import { IconClipboardList } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { Dialog } from '../ui/Dialog.tsx';
import { fullDateTime, shortDateTime } from '../ui/dates.ts';
import { PageLink } from '../ui/links.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { useShown } from '../ui/shown.ts';
import { Facts } from './Facts.tsx';
import classes from './Operator.module.css';
import { auditPage } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { CellText } from './Rows.tsx';
import { auditSearch } from './searches.ts';

const TEXTS: Record<string, string> = {
  'account.adjust_credits': 'Adjusted credits',
  'account.change_email': 'Changed the email address of an account',
  'account.end_sessions': 'Ended sessions',
  'account.make_owner': 'Made a member an owner',
  'account.erase': 'Erased an account',
  'account.limits': 'Changed the limits of an account',
  'account.request_email': 'Requested a new email address for an account',
  'account.resume': 'Resumed an account',
  'account.reveal': 'Revealed an account',
  'account.suspend': 'Suspended an account',
  'activity.reveal': 'Revealed activity',
  'announcement.create': 'Created an announcement',
  'announcement.end': 'Ended an announcement',
  'carrier.change': 'Changed the setup of a carrier',
  'carrier.create': 'Added a carrier',
  'carrier.delete': 'Deleted a carrier',
  'carrier.remove_route': 'Removed the route of a country',
  'carrier.test': 'Tested a carrier',
  'carrier.update': 'Changed the order or pause of a carrier',
  'operator.add': 'Added an operator',
  'operator.remove': 'Removed an operator',
  'operator_key.create': 'Created an operator key',
  'operator_key.delete': 'Deleted an operator key',
  'opt_out.remove': 'Removed an opt-out',
  'payment.export': 'Exported payments',
  'payment.refund': 'Refunded a purchase',
  'payment.refund_failed': 'Failed to refund a purchase',
  'prices.update': 'Changed prices',
  'protection.update': 'Changed protection',
  'recipient.erase': 'Started to erase a recipient',
  'recipient.erased': 'Erased a recipient',
  'recipient.search': 'Searched for a recipient',
  'request.reveal': 'Revealed a request',
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
        Every change and every reveal by an operator, with the state before and after. Entries never change.
      </PageHeading>
      <ListScreen
        label="Audit"
        noun="entries"
        placeholder="Operator, action, or reason..."
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
      <Dialog opened={isOpen} onClose={close} title={shown ? actionText(shown.action) : ''} size="lg">
        {shown ? <Entry action={shown} /> : null}
      </Dialog>
    </>
  );
}

const operatorOf = ({ operator, operator_key }: OperatorAction): string =>
  operator_key ? `${operator_key} (key of ${operator ?? 'a deleted account'})` : (operator ?? 'Command line');

const Entry = ({ action }: { action: OperatorAction }) => (
  <div className="grid grid-cols-1 gap-5">
    <Facts
      facts={{
        When: fullDateTime(action.created_at),
        Action: <code>{action.action}</code>,
        Operator: operatorOf(action),
        Subject: action.subject,
        Reason: action.reason || '–',
        Address: action.ip_address ?? '–',
        ...(action.account_id
          ? {
              Account: (
                <PageLink to="/operator/accounts/$id" params={{ id: action.account_id }}>
                  {action.account_id}
                </PageLink>
              ),
            }
          : {}),
      }}
    />
    <div className={`${classes.fields} grid gap-3`}>
      <State title="Before" state={action.before} />
      <State title="After" state={action.after} />
    </div>
  </div>
);

const State = ({ title, state }: { title: string; state: unknown }) => (
  <div>
    <strong>{title}</strong>
    <pre className="mt-1 mb-0 overflow-auto rounded-8 border border-line bg-canvas px-3 py-2.5 font-mono text-13 wrap-anywhere whitespace-pre-wrap">
      {state === null || state === undefined ? '–' : JSON.stringify(state, null, 2)}
    </pre>
  </div>
);

const compactAction = (action: OperatorAction): Compact => ({
  title: actionText(action.action),
  // the subject may be long, and the end of the line is cut
  details: [shortDateTime(action.created_at), operatorOf(action), action.subject],
});

const column = columnsOf<OperatorAction>();
const columns = column.columns([
  column.accessor('created_at', {
    header: 'When',
    meta: { isSortable: true, width: '12rem' },
    cell: ({ getValue }) => <time dateTime={getValue()}>{shortDateTime(getValue())}</time>,
  }),
  column.accessor('action', {
    header: 'Action',
    cell: ({ row: { original } }) => (
      <CellText>
        {actionText(original.action)}
        <small>{original.subject}</small>
      </CellText>
    ),
  }),
  column.display({
    id: 'operator',
    header: 'Operator',
    cell: ({ row: { original } }) => operatorOf(original),
  }),
  column.accessor('reason', { header: 'Reason', cell: ({ getValue }) => getValue() || '–' }),
]);
