import { Button, Skeleton } from '@mantine/core';
import {
  allowDestination,
  type Block,
  getProtection,
  removeListEntry,
} from '@sixdigit/contract/protection/protection.ts';
import { IconShieldCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useMay } from '../accounts/role.ts';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { Badge } from '../ui/Badge.tsx';
import { busyButton } from '../ui/busy-button.ts';
import { relativeTime, shortDateTime } from '../ui/dates.ts';
import { Loaded } from '../ui/Loaded.tsx';
import { LoneLink } from '../ui/links.tsx';
import { Panel } from '../ui/Panel.tsx';
import { usePhoneFormat } from '../ui/phone-numbers.ts';
import { blockDestination, blockKey, groupsOf } from './block-texts.ts';
import { DestinationRow } from './DestinationList.tsx';
import { blocks } from './protection.ts';
import { RULE_NAMES } from './rule-texts.ts';

const FIRST = 8;

/** The sends of the last 24 hours that rules blocked or would have blocked. A click allows a destination, and a second click undoes it. */
export function Blocks() {
  const query = useQuery(blocks);
  const may = useMay();
  return (
    <Panel
      id="blocked"
      actions={may('listDecisions') ? <LoneLink to="/protection/decisions">Decisions</LoneLink> : undefined}
      title="Suspicious sends in the last 24 hours"
      description="If your own users asked for these codes, allow the destination or IP address. The change takes effect immediately."
    >
      <Loaded query={query} waiting={<Waiting />} failure="Failed to load the suspicious sends">
        {({ blocked, monitored, results }) => (
          <>
            <dl className="mt-0 mb-3.5 flex flex-wrap gap-x-10 gap-y-2">
              <Figure name="Blocked sends" value={blocked} />
              <Figure name="Monitored only" value={monitored} />
            </dl>
            {results.length === 0 ? (
              <p className="m-0 flex items-center gap-2 text-14 text-ink-soft">
                <IconShieldCheck size={20} stroke={1.75} aria-hidden />
                No send looked suspicious.
              </p>
            ) : (
              <Results results={results} />
            )}
          </>
        )}
      </Loaded>
    </Panel>
  );
}

const Waiting = () => (
  <>
    <dl className="mt-0 mb-3.5 flex flex-wrap gap-x-10 gap-y-2" aria-hidden>
      <Figure name="Blocked sends" />
      <Figure name="Monitored only" />
    </dl>
    <Skeleton height={12} my={5} width="40%" radius="xl" />
  </>
);

const Figure = ({ name, value }: { name: string; value?: number }) => (
  <div>
    <dt className="text-13 text-ink-soft">{name}</dt>
    <dd className="m-0 text-22 font-650 tabular-nums">
      {value === undefined ? <Skeleton height="1lh" width="2.5rem" /> : value.toLocaleString('en-US')}
    </dd>
  </div>
);

function Results({ results }: { results: readonly Block[] }) {
  const [isAll, setAll] = useState(false);
  const groups = groupsOf(results);
  const shown = isAll ? groups : groups.slice(0, FIRST);
  return (
    <>
      <ul className="m-0 list-none border-t border-line p-0" aria-label="Suspicious destinations">
        {shown.map(([first, ...others]) =>
          first ? <BlockRow key={blockKey(first)} first={first} others={others} /> : null,
        )}
      </ul>
      {groups.length > shown.length ? (
        <Button className="mt-3" variant="default" size="compact-sm" onClick={() => setAll(true)}>
          Show All {groups.length}
        </Button>
      ) : null}
    </>
  );
}

/** One destination or IP address, with each rule that its sends met. */
function BlockRow({ first, others }: { first: Block; others: readonly Block[] }) {
  usePhoneFormat();
  const { allow, is_allowed } = first;
  const all = [first, ...others];
  const destination = blockDestination(first);
  const may = useMay();
  const change = useAction({
    run: () => {
      if (is_allowed) return call(removeListEntry, { body: { list: 'allow', ...given(allow) } });
      const { rule, blocked } = all.find((block) => block.blocked > 0) ?? first;
      const note = `${blocked > 0 ? 'Blocked' : 'Monitored'} by: ${RULE_NAMES[rule]}`;
      return call(allowDestination, { body: { ...given(allow), note } });
    },
    success: is_allowed ? `${destination} is no longer allowed` : `${destination} is allowed`,
    failure: 'Failed to change the allow list',
    refresh: [getProtection],
  });
  return (
    <DestinationRow
      name={
        <>
          {destination}
          {is_allowed ? <Badge tone="green">Allowed</Badge> : null}
        </>
      }
      note={all.map((block) => <RuleLine key={blockKey(block)} block={block} />)}
    >
      {allow && !may(is_allowed ? 'removeListEntry' : 'allowDestination') ? null : allow ? (
        <Button
          variant="default"
          size="compact-sm"
          className="flex-none"
          {...busyButton(change.isPending)}
          aria-label={`${is_allowed ? 'Undo allowing' : 'Allow'} ${destination}`}
          onClick={() => {
            if (!change.isPending) change.mutate();
          }}
        >
          {is_allowed ? 'Undo' : 'Allow'}
        </Button>
      ) : (
        <span className="flex-none text-13 text-ink-soft">
          {first.rule === 'deny_list' ? 'Your deny list' : 'Set by the operator'}
        </span>
      )}
    </DestinationRow>
  );
}

/** '2 blocked · 3 monitored · Many sends to one prefix, last seen 2 hours ago' */
const RuleLine = ({ block }: { block: Block }) => {
  const { rule, scope, is_allowed, blocked, monitored, last_at, blocked_until } = block;
  return (
    <span className="block">
      {blocked > 0 ? (
        <>
          <strong className="font-600 text-red">{blocked.toLocaleString('en-US')} blocked</strong> ·{' '}
        </>
      ) : null}
      {monitored > 0 ? (
        <>
          <strong className="font-550 text-ink">{monitored.toLocaleString('en-US')} monitored</strong> ·{' '}
        </>
      ) : null}
      {RULE_NAMES[rule]}
      {scope === 'deployment' ? ' (this service’s rule)' : ''},{' '}
      <span className="whitespace-nowrap">last seen {relativeTime(last_at, nowMs())}</span>
      {blocked_until && !is_allowed ? (
        <>
          , <span className="whitespace-nowrap">blocked until {shortDateTime(blocked_until)}</span>
        </>
      ) : null}
    </span>
  );
};

const given = (allow: Block['allow']): NonNullable<Block['allow']> => {
  if (!allow) throw new Error('This block cannot be allowed');
  return allow;
};
