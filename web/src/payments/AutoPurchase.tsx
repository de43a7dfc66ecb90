import { Button, Skeleton } from '@mantine/core';
import type { AutoPurchase as State } from '@sixdigit/contract/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '../ui/Badge.tsx';
import { paymentDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { useOpened } from '../ui/opened.ts';
import { Panel } from '../ui/Panel.tsx';
import { lastAttempt, STATES, toDo } from './auto-purchase.ts';
import { autoPurchase } from './payments.ts';
import { brandOf, count, expiryOf } from './prices.ts';

const AutoPurchaseDialog = lazyDialog(
  async () => (await import('./AutoPurchaseDialog.tsx')).AutoPurchaseDialog,
);

/** The state of auto-purchase, with its settings one click away. */
export function AutoPurchase() {
  const query = useQuery(autoPurchase);
  const dialog = useOpened('step');
  const { data } = query;
  const needsCard = data?.state === 'off' && data.is_card_known && !data.card;
  const action = data?.auto_purchase_enabled ? 'Change' : 'Set Up';
  return (
    <Panel
      title="Auto-purchase"
      badge={data ? <StateBadge state={data.state} /> : null}
      actions={
        <Button
          variant="default"
          disabled={!data || needsCard}
          aria-label={`${action} Auto-purchase`}
          onClick={() => dialog.open('auto-purchase')}
        >
          {action}
        </Button>
      }
    >
      {/** The panels below do not move when the state arrives. */}
      <div className="min-h-22 max-sm:min-h-20">
        <Loaded query={query} failure="Failed to load auto-purchase" waiting={<Waiting />}>
          {(loaded) => <Shown of={loaded} />}
        </Loaded>
      </div>
      {data ? (
        <AutoPurchaseDialog opened={dialog.opened === 'auto-purchase'} onClose={dialog.close} kept={data} />
      ) : null}
    </Panel>
  );
}

const Waiting = () => (
  <>
    <Skeleton height={12} my={6} width="84%" radius="xl" />
    <Skeleton height={12} my={12} width="58%" radius="xl" />
  </>
);

function StateBadge({ state }: Pick<State, 'state'>) {
  const { label, tone, Icon } = STATES[state];
  return (
    <Badge tone={tone} icon={Icon ? <Icon size={13} stroke={2.25} aria-hidden /> : null}>
      {label}
    </Badge>
  );
}

function Shown({ of }: { of: State }) {
  const advice = toDo(of);
  return (
    <div className="grid gap-2 text-14">
      <p className={of.auto_purchase_enabled ? 'm-0' : 'm-0 text-ink-soft'}>
        {of.auto_purchase_enabled
          ? `Below ${count(of.auto_purchase_threshold)}, buys ${count(of.auto_purchase_amount)} for ${of.price_display}.`
          : 'Buys credits with your saved card when your balance is low.'}
      </p>
      {advice ? <p className="m-0 max-w-120">{advice}</p> : null}
      <dl
        className="m-0 grid gap-x-4 gap-y-1 [&_dd]:m-0 [&_dt]:text-ink-soft"
        style={{ gridTemplateColumns: 'max-content minmax(0, 1fr)' }}
      >
        {of.auto_purchase_enabled || of.card || !of.is_card_known ? (
          <>
            <dt>Card</dt>
            <dd>{cardText(of)}</dd>
          </>
        ) : null}
        {of.last_attempt ? (
          <>
            <dt>Last attempt</dt>
            <dd>
              <time dateTime={of.last_attempt.created_at}>{paymentDateTime(of.last_attempt.created_at)}</time>
              : {lastAttempt(of.last_attempt)}
            </dd>
          </>
        ) : null}
      </dl>
    </div>
  );
}

function cardText({ card, is_card_known }: State): string {
  if (!is_card_known) return 'Unknown: the card provider does not respond.';
  if (!card) return 'None saved';
  return `${brandOf(card)} ending in ${card.last4}, expires ${expiryOf(card)}`;
}
