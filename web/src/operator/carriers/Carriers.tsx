import { Button } from '@mantine/core';
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import {
  type OperatorCarrier,
  type OperatorChannel,
  updateCarrier,
} from '@sixdigit/contract/operator/carriers.ts';
import { IconPlus } from '@tabler/icons-react';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { store } from '../../api/read.ts';
import { carrierName } from '../../otp/route-filters.ts';
import { labelOf } from '../../ui/channel.ts';
import { hasFailed, Loaded, QueryError } from '../../ui/Loaded.tsx';
import { countOf } from '../../ui/numbers.ts';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { carrierSetups, carriers, useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { Bar, WaitingPanel, WaitingPanels } from '../WaitingPanel.tsx';
import { CarrierCosts } from './CarrierCosts.tsx';
import { CarrierDialog } from './CarrierDialog.tsx';
import { answersOf, CarrierErrors, CarrierState } from './CarrierHealth.tsx';
import { CarrierSetups, isSandbox } from './CarrierSetups.tsx';
import { CountryRoutes, ROUTES } from './CountryRoutes.tsx';
import { Lookup } from './Lookup.tsx';

interface Chosen {
  state: OperatorChannel;
  carrier: OperatorCarrier;
}

/**
 * The carriers of each channel with health, order, weights and pauses. Changes take effect in every process within a second.
 */
export function Carriers() {
  const query = useQuery(carriers);
  const setups = useQuery(carrierSetups);
  const { data: stored } = setups;
  const isAdmin = useIsAdmin();
  const queryClient = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [chosen, setChosen] = useState<Chosen>();
  const [open, setOpen] = useState<'pause' | 'edit'>();
  const choose = (what: typeof open) => (next: Chosen) => {
    setChosen(next);
    setOpen(what);
  };
  const dialog = (what: typeof open) => ({ opened: open === what, onClose: () => setOpen(undefined) });
  const update = async (change: {
    is_paused?: boolean;
    position?: number;
    weight?: number | null;
    reason: string;
  }) => {
    if (!chosen) return;
    const params = { name: chosen.carrier.name };
    const state = await call(updateCarrier, { params, body: { channel: chosen.state.channel, ...change } });
    await store(queryClient, carriers, state);
  };
  const isPaused = chosen?.carrier.is_paused ?? false;
  const isAnotherUsed = chosen?.state.carriers.some(
    ({ name, is_paused }) => name !== chosen.carrier.name && !is_paused,
  );
  return (
    <>
      <PageHeading
        title={operatorPages.carriers.title}
        // The first run's empty state has the button. Until it is known which one shows it, it cannot lose the focus.
        actions={
          isAdmin && (stored?.setups.length !== 0 || isSandbox()) ? (
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => setAdding(true)}
              disabled={!stored}
            >
              Add Carrier
            </Button>
          ) : null
        }
      >
        Changes take effect within a second. While a carrier is paused, the next one sends its messages, or
        they wait.
      </PageHeading>
      {hasFailed(query) && hasFailed(setups) ? (
        <QueryError query={both(query, setups)} message="Failed to load the carriers" />
      ) : (
        <div className="grid grid-cols-1 gap-5">
          <CarrierSetups isAdmin={isAdmin} isAdding={isAdding} setAdding={setAdding} />
          <Loaded
            query={query}
            failure="Failed to load the channels"
            waiting={
              <WaitingPanels>
                {CHANNELS.map((channel) => (
                  <WaitingPanel
                    key={channel}
                    title={labelOf(channel)}
                    description={<Bar width="11rem" />}
                    rows={1}
                    hasButtons
                  >
                    {channel === 'email' ? null : (
                      <div className="mt-4 border-t border-line pt-4">
                        <h3 className="mt-0 mb-2 text-15">{ROUTES}</h3>
                        <Note>
                          <Bar width="13rem" />
                        </Note>
                      </div>
                    )}
                  </WaitingPanel>
                ))}
              </WaitingPanels>
            }
          >
            {({ channels, errors }) => (
              <>
                {(isAnyServed(channels) ? channels : []).map((channel) => (
                  <Channel
                    key={channel.channel}
                    state={channel}
                    isAdmin={isAdmin}
                    onPause={choose('pause')}
                    onEdit={choose('edit')}
                  />
                ))}
                <Lookup isAdmin={isAdmin} />
                <CarrierErrors errors={errors} />
                <CarrierCosts />
              </>
            )}
          </Loaded>
        </div>
      )}
      <ReasonDialog
        {...dialog('pause')}
        title={
          chosen
            ? `${isPaused ? 'Resume' : 'Pause'} ${carrierName(chosen.carrier.name)} for ${labelOf(chosen.state.channel)}`
            : ''
        }
        description={
          isPaused
            ? 'Messages go to this carrier again.'
            : isAnotherUsed
              ? 'Until you resume it, the next carrier sends its messages.'
              : 'No other carrier is in use. Messages wait until you resume this one, or until their codes expire.'
        }
        schema={updateCarrier.body.pick({ reason: true })}
        confirm={isPaused ? 'Resume' : 'Pause'}
        isDangerous={!isPaused}
        success={isPaused ? 'Carrier resumed' : 'Carrier paused'}
        submit={({ reason }) => update({ is_paused: !isPaused, reason })}
      />
      <CarrierDialog {...dialog('edit')} chosen={chosen?.carrier} submit={update} />
    </>
  );
}

/** Two failed queries as one, with one alert. */
const both = (one: UseQueryResult<unknown>, other: UseQueryResult<unknown>) => ({
  error: one.error,
  isFetching: one.isFetching || other.isFetching,
  refetch: async () => {
    const results = await Promise.all([one.refetch(), other.refetch()]);
    return { isError: results.some(({ isError }) => isError) };
  },
});

/** Before the first carrier, the channels have nothing to order. */
const isAnyServed = (channels: readonly OperatorChannel[]): boolean =>
  channels.some(({ carriers: all }) => all.length > 0);

interface ChannelProps {
  state: OperatorChannel;
  isAdmin: boolean;
  onPause: (chosen: Chosen) => void;
  onEdit: (chosen: Chosen) => void;
}

const Channel = ({ state, state: { channel, carriers: all, waiting }, isAdmin, ...on }: ChannelProps) => (
  <Panel title={labelOf(channel)} description={queueText(waiting)}>
    {all.length === 0 ? <Note>No carrier is configured for this channel.</Note> : null}
    <Rows>
      {all.map((carrier) => (
        <Row key={carrier.name}>
          <RowText>
            <span>
              {all.length > 1 ? `${carrier.position}. ` : null}
              <strong>{carrierName(carrier.name)}</strong> <CarrierState carrier={carrier} />
            </span>
            <small>
              Last 10 minutes: {answersOf(carrier)}
              {carrier.weight === null ? '' : `, weight ${carrier.weight}`}
            </small>
          </RowText>
          {isAdmin ? (
            <span className="flex flex-wrap items-center gap-2.5">
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`${carrier.is_paused ? 'Resume' : 'Pause'} ${carrierName(carrier.name)} for ${labelOf(channel)}`}
                onClick={() => on.onPause({ state, carrier })}
              >
                {carrier.is_paused ? 'Resume' : 'Pause'}
              </Button>
              {/* one carrier has no order */}
              {all.length > 1 || carrier.weight !== null ? (
                <Button
                  variant="default"
                  size="compact-sm"
                  aria-label={`Order and Weight of ${carrierName(carrier.name)} for ${labelOf(channel)}`}
                  onClick={() => on.onEdit({ state, carrier })}
                >
                  Order and Weight
                </Button>
              ) : null}
            </span>
          ) : null}
        </Row>
      ))}
    </Rows>
    <CountryRoutes state={state} isAdmin={isAdmin} />
  </Panel>
);

const queueText = (waiting: number): string =>
  waiting === 0 ? 'No messages are waiting.' : `${countOf(waiting, 'message is', 'messages are')} waiting.`;
