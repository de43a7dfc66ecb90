import { Anchor, Skeleton } from '@mantine/core';
import type { OperatorDispute } from '@sixdigit/contract/operator/disputes.ts';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PAGE_SIZE } from '../../api/list.ts';
import { Pager } from '../../table/Pager.tsx';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { shortDateTime } from '../../ui/dates.ts';
import { Loaded } from '../../ui/Loaded.tsx';
import { ButtonLink, PageLink } from '../../ui/links.tsx';
import { countOf } from '../../ui/numbers.ts';
import { Panel } from '../../ui/Panel.tsx';
import { SegmentedControl } from '../../ui/SegmentedControl.ts';
import { useAsked } from '../asked.ts';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { type DisputeSearch, displayCents, disputePage, stripeAddress } from './payments.ts';

/** As high as the text for no open disputes. */
const NONE_YET = <Skeleton height={12} my={5} width="10rem" radius="xl" />;

const STATES = [
  { value: 'open', label: 'Open' },
  { value: 'all', label: 'All' },
];

const openDisputes = disputePage({ search: '', state: 'open', page: 1 });

/** A link to the open disputes below the purchases, because their evidence has a deadline. */
export function OpenDisputes() {
  const { data: { count } = { count: 0 } } = useQuery(openDisputes);
  if (count === 0) return null;
  return (
    <ButtonLink
      to="/operator/payments"
      search={true}
      hash={DISPUTES}
      color="red"
      variant="light"
      leftSection={<IconAlertTriangle size={16} aria-hidden />}
    >
      {countOf(count, 'Open Dispute')}
    </ButtonLink>
  );
}

const DISPUTES = 'disputes';

/** The disputes of all accounts: open ones by urgency, or all. */
export function Disputes() {
  useAsked([DISPUTES], () => document.getElementById(DISPUTES)?.scrollIntoView());
  const [state, setState] = useState<DisputeSearch['state']>('open');
  const [page, setPage] = useState(1);
  const query = useQuery(disputePage({ search: '', state, page }));
  return (
    <Panel
      id={DISPUTES}
      title="Disputes"
      description="While a dispute is open, the disputed credits are withheld from the account."
      actions={
        <SegmentedControl
          size="xs"
          style={{ flexShrink: 0 }}
          aria-label="Disputes to show"
          data={STATES}
          value={state}
          onChange={(next) => {
            setState(next as DisputeSearch['state']);
            setPage(1);
          }}
        />
      }
    >
      <Loaded query={query} failure="Failed to load the disputes" waiting={NONE_YET}>
        {({ results, count }) =>
          count === 0 ? (
            <Note>{state === 'open' ? 'No open disputes.' : 'No disputes.'}</Note>
          ) : (
            <>
              <List disputes={results} />
              {count > PAGE_SIZE ? (
                <Pager page={page} count={count} noun="disputes" isFiltered={false} onTurn={setPage} />
              ) : null}
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** The account's newest disputes, if any. */
export function AccountDisputes({ id }: { id: string }) {
  const { data } = useQuery(disputePage({ search: id, state: 'all', page: 1 }));
  return data && data.count > 0 ? (
    <Panel title="Disputes">
      <List disputes={data.results} isOfAccount />
    </Panel>
  ) : null;
}

const looks: Record<OperatorDispute['status'], { tone: Tone; label: string }> = {
  warning_needs_response: { tone: 'orange', label: 'Inquiry: needs response' },
  warning_under_review: { tone: 'blue', label: 'Inquiry: under review' },
  needs_response: { tone: 'red', label: 'Needs response' },
  under_review: { tone: 'blue', label: 'Under review' },
  warning_closed: { tone: 'gray', label: 'Inquiry closed' },
  prevented: { tone: 'gray', label: 'Prevented' },
  lost: { tone: 'gray', label: 'Lost' },
  won: { tone: 'green', label: 'Won' },
};

const FUNDS: Record<OperatorDispute['funds'], string> = {
  none: 'No money was withdrawn',
  taken: 'The credits were taken back',
  returned: 'The credits were restored',
};

/** 'Product not received' */
const reasonText = (reason: string): string =>
  reason.charAt(0).toUpperCase() + reason.slice(1).replaceAll('_', ' ');

const List = ({
  disputes,
  isOfAccount = false,
}: {
  disputes: readonly OperatorDispute[];
  isOfAccount?: boolean;
}) => (
  <Rows>
    {disputes.map((dispute) => (
      <Row key={dispute.id}>
        <RowText>
          <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
            <strong>{displayCents(dispute.cents)}</strong> {reasonText(dispute.reason)}
            <Badge tone={looks[dispute.status].tone}>{looks[dispute.status].label}</Badge>
          </span>
          <small>
            {isOfAccount ? null : (
              <>
                <PageLink to="/operator/accounts/$id" params={{ id: dispute.account_id }}>
                  {dispute.email ?? 'Deleted account'}
                </PageLink>
                {' · '}
              </>
            )}
            <PageLink to="/operator/payments" search={{ search: dispute.order_id }}>
              Purchase
            </PageLink>
            {` · opened ${shortDateTime(dispute.opened_at)} · ${FUNDS[dispute.funds]}`}
          </small>
          <small>
            <Deadline dispute={dispute} />
          </small>
        </RowText>
        <AtStripe dispute={dispute} />
      </Row>
    ))}
  </Rows>
);

function Deadline({
  dispute: { status, evidence_due_at, has_evidence, closed_at },
}: {
  dispute: OperatorDispute;
}) {
  if (closed_at !== null) return <>Closed {shortDateTime(closed_at)}</>;
  if (!status.endsWith('needs_response'))
    return <>{has_evidence ? 'Evidence was submitted' : 'No evidence'}</>;
  return <>Evidence is due by {shortDateTime(evidence_due_at, 'an unknown time')}</>;
}

/** Operators submit evidence at Stripe. */
function AtStripe({ dispute }: { dispute: OperatorDispute }) {
  const href = stripeAddress(dispute);
  return href ? (
    <Anchor inherit href={href} target="_blank" rel="noreferrer">
      Open in Stripe
    </Anchor>
  ) : null;
}
