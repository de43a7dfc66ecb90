import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import type { OperatorAccountDetail } from '@sixdigit/contract/operator/accounts.ts';
import type { Webhook } from '@sixdigit/contract/webhooks.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { nowMs } from '../../api/clock.ts';
import { expiryOf, scopesText } from '../../api-keys/key-values.ts';
import { count } from '../../payments/prices.ts';
import { Badge, TestBadge } from '../../ui/Badge.tsx';
import { shortDateTime, timeZone } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { Ltr } from '../../ui/Ltr.tsx';
import { percentOf, signOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { RecipientText } from '../../ui/RecipientText.tsx';
import { eventsOf } from '../../webhooks/webhooks.ts';
import { Facts, number } from '../Facts.tsx';
import classes from '../Operator.module.css';
import { accountOf, latestTransactions } from '../operator.ts';
import { AccountDisputes } from '../payments/Disputes.tsx';
import { displayCents } from '../payments/payments.ts';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { AccountMembers } from './AccountMembers.tsx';
import { AccountState } from './columns.tsx';

/** One account with its members, keys, endpoints and sessions. */
export function Account() {
  const { id } = useParams({ from: '/_app/operator/accounts/$id' });
  const query = useQuery(accountOf(id));
  return (
    <Loaded query={query} failure="Failed to load the account" waiting={<Waiting />}>
      {(account) => (
        <div className="grid grid-cols-1 gap-5">
          <Summary account={account} />
          <div className={`${classes.halves} grid items-start gap-5`}>
            <div className="grid min-w-0 content-start gap-5">
              <AccountMembers account={account} />
              <AccountKeys keys={account.api_keys} />
              <Webhooks account={account} />
            </div>
            <div className="grid min-w-0 content-start gap-5">
              <Transactions id={id} />
              <Sessions account={account} />
            </div>
          </div>
          <AccountDisputes id={id} />
        </div>
      )}
    </Loaded>
  );
}

const NAMES = [
  'State',
  'Contact',
  'Phone',
  'Two-factor',
  'Balance',
  'Auto-purchase',
  'Purchases',
  'Sends, 30 days',
  'Verified, 30 days',
  'Blocked, 24 hours',
  'Last activity',
  'Created',
];

const Waiting = () => (
  <WaitingPanels>
    <WaitingPanel title="Account" description={timesText()} facts={NAMES} />
    <div className={`${classes.halves} grid items-start gap-5`}>
      <div className="grid min-w-0 content-start gap-5">
        <WaitingPanel title="Members" rows={1} />
        <WaitingPanel title="API keys" rows={2} />
        <WaitingPanel title="Webhooks" rows={1} />
      </div>
      <div className="grid min-w-0 content-start gap-5">
        <WaitingPanel title="Latest transactions" rows={8} />
        <WaitingPanel title="Sessions" rows={1} />
      </div>
    </div>
  </WaitingPanels>
);

const timesText = (): string => `All times on this page are in ${timeZone()}.`;

const Summary = ({ account }: { account: OperatorAccountDetail }) => (
  <Panel title="Account" description={timesText()}>
    <Facts
      facts={{
        State: (
          <>
            <AccountState state={account.state} />
            {account.suspended_reason ? (
              <div className="text-13 text-ink-soft">
                {account.suspended_reason}, since {shortDateTime(account.suspended_at)}
              </div>
            ) : null}
          </>
        ),
        Contact: `${account.first_name} ${account.last_name}`.trim() || '–',
        Phone: account.phone_number ? (
          <>
            <RecipientText recipient={account.phone_number} isWhole />
            {account.phone_verified_at ? '' : ' (not verified)'}
          </>
        ) : (
          '–'
        ),
        'Two-factor': account.two_factor_enabled ? 'On' : 'Off',
        Balance: number(account.credits),
        ...(account.debt > 0 ? { Debt: number(account.debt) } : {}),
        'Auto-purchase': account.auto_purchase_enabled ? 'On' : 'Off',
        Purchases: `${number(account.purchases)} · ${displayCents(account.purchased_cents)}`,
        'Sends, 30 days': number(account.sends_30_days),
        'Verified, 30 days': percentOf(account.verified_30_days, account.sends_30_days),
        'Blocked, 24 hours': number(account.blocked_24_hours),
        'Last activity': shortDateTime(account.last_activity_at, 'Never'),
        Created: shortDateTime(account.created_at),
      }}
    />
  </Panel>
);

const Webhooks = ({ account: { webhooks } }: { account: OperatorAccountDetail }) => (
  <Panel title="Webhooks">
    {webhooks.length === 0 ? <Note>No webhook endpoints.</Note> : null}
    <Rows>
      {webhooks.map((webhook) => {
        const { id, name, url, is_active, consecutive_failures } = webhook;
        return (
          <Row key={id}>
            <RowText>
              {name}
              <small>{url}</small>
              <small>{eventsText(webhook)}</small>
            </RowText>
            {is_active ? (
              <Badge tone={consecutive_failures > 0 ? 'orange' : 'green'}>
                {consecutive_failures > 0 ? `${consecutive_failures} failures` : 'Active'}
              </Badge>
            ) : (
              <Badge tone="gray">Inactive</Badge>
            )}
          </Row>
        );
      })}
    </Rows>
  </Panel>
);

function eventsText(webhook: Webhook): string {
  const events = eventsOf(webhook);
  if (events.length === 0) return 'No events';
  return `Events: ${events.join(', ')}`;
}

const Sessions = ({ account: { email, members, sessions } }: { account: OperatorAccountDetail }) => (
  <Panel
    title="Sessions"
    description={
      email && members.some((member) => member.email !== email) ? `Where ${email} is signed in.` : undefined
    }
  >
    {sessions.length === 0 ? <Note>No active sessions.</Note> : null}
    <Rows>
      {sessions.map(({ id, ip_address, place, user_agent, last_used_at }) => (
        <Row key={id}>
          <RowText>
            {deviceOf(user_agent)}
            <small>{[ip_address ?? 'Unknown address', place].filter(Boolean).join(' · ')}</small>
          </RowText>
          <span className="text-13 text-ink-soft max-sm:w-full">Last seen {shortDateTime(last_used_at)}</span>
        </Row>
      ))}
    </Rows>
  </Panel>
);

function Transactions({ id }: { id: string }) {
  const query = useQuery(latestTransactions(id));
  return (
    <Panel title="Latest transactions">
      <Loaded query={query} failure="Failed to fetch transactions">
        {({ results }) => (
          <Rows>
            {results.map(({ id: transaction, description, transaction_type, amount, created_at }) => (
              <Row key={transaction}>
                <RowText>
                  {description}
                  <small>{shortDateTime(created_at)}</small>
                </RowText>
                <strong>
                  <Ltr>{`${signOf(transaction_type === 'usage' ? -amount : amount)}${count(Math.abs(amount))}`}</Ltr>
                </strong>
              </Row>
            ))}
          </Rows>
        )}
      </Loaded>
    </Panel>
  );
}

/** The account's API keys with their limits, to find out why a request is refused. */
const AccountKeys = ({ keys }: { keys: readonly ApiKey[] }) => (
  <Panel title="API keys">
    {keys.length === 0 ? <Note>No API keys.</Note> : null}
    <Rows aria-label="API keys">
      {keys.map((key) => (
        <Row key={key.id}>
          <RowText>
            <span className="flex flex-wrap items-center gap-[0.35rem]">
              {key.name}
              {key.mode === 'test' ? <TestBadge /> : null}
              {expiryOf(key.expires_at, nowMs()) === 'expired' ? <Badge tone="red">Expired</Badge> : null}
            </span>
            <small>
              <code>{key.prefix}…</code>
            </small>
            {limitsOf(key).map((limit) => (
              <small key={limit}>{limit}</small>
            ))}
          </RowText>
          <span className="text-13 text-ink-soft max-sm:w-full">
            {key.last_used_at ? `Last used ${shortDateTime(key.last_used_at)}` : 'Never used'}
          </span>
        </Row>
      ))}
    </Rows>
  </Panel>
);

function limitsOf(key: ApiKey): string[] {
  const { allowed_networks, daily_credit_limit, expires_at, retired, note } = key;
  const networks = allowed_networks.length === 0 ? 'Any network' : allowed_networks.join(', ');
  return [
    `${scopesText(key.scopes)} · ${networks}`,
    daily_credit_limit === null
      ? ''
      : `${number(key.spent_today ?? 0)} of ${number(daily_credit_limit)} credits spent today`,
    expires_at === null ? '' : `Expires ${shortDateTime(expires_at)}`,
    retired
      ? `Old secret ${retired.prefix}… valid until ${shortDateTime(retired.valid_until)}, last used ${shortDateTime(retired.last_used_at, 'never')}`
      : '',
    note,
  ].filter((text) => text !== '');
}
