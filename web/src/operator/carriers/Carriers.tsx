import { Alert, Button, TextInput } from '@mantine/core';
import {
  type OperatorCarrier,
  type OperatorChannel,
  testCarrier,
  updateCarrier,
} from '@sixdigit/contract/operator/carriers.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { labelOf } from '../../otp/channel.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { Loaded } from '../../ui/Loaded.tsx';
import { PageHeading } from '../../ui/PageHeading.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { PanelSkeletons } from '../../ui/PanelSkeletons.tsx';
import { Switch } from '../../ui/Switch.ts';
import { number } from '../Facts.tsx';
import { carriers, useIsAdmin } from '../operator.ts';
import { operatorPages } from '../operator-pages.ts';
import { ReasonDialog } from '../ReasonDialog.tsx';
import { Note, Row, Rows, RowText } from '../Rows.tsx';
import { CarrierDialog } from './CarrierDialog.tsx';
import { answersOf, CarrierErrors, CarrierState } from './CarrierHealth.tsx';
import { CountryRoutes } from './CountryRoutes.tsx';

interface Chosen {
  channel: OperatorChannel['channel'];
  carrier: OperatorCarrier;
}

/**
 * The carriers of each channel with health, order, weights and pauses. Changes take effect in every process within a second.
 */
export function Carriers() {
  const query = useQuery(carriers);
  const isAdmin = useIsAdmin();
  const queryClient = useQueryClient();
  const [chosen, setChosen] = useState<Chosen>();
  const [open, setOpen] = useState<'pause' | 'edit' | 'test'>();
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
    const state = await call(updateCarrier, { params, body: { channel: chosen.channel, ...change } });
    queryClient.setQueryData(carriers.queryKey, state);
  };
  const isPaused = chosen?.carrier.is_paused ?? false;
  return (
    <>
      <PageHeading title={operatorPages.carriers.title}>
        Changes take effect in every process within a second. No message is lost while a carrier is paused:
        the next carrier sends it, or it waits.
      </PageHeading>
      <Loaded
        query={query}
        failure="Failed to load the carriers"
        waiting={<PanelSkeletons lines={[2, 2, 2]} />}
      >
        {({ channels, errors }) => (
          <div className="grid grid-cols-1 gap-5">
            {channels.map((channel) => (
              <Channel
                key={channel.channel}
                state={channel}
                isAdmin={isAdmin}
                onPause={choose('pause')}
                onEdit={choose('edit')}
                onTest={choose('test')}
              />
            ))}
            <CarrierErrors errors={errors} />
          </div>
        )}
      </Loaded>
      <ReasonDialog
        {...dialog('pause')}
        title={`${isPaused ? 'Resume' : 'Pause'} ${chosen?.carrier.name ?? ''}`}
        description={
          isPaused
            ? 'Messages go to this carrier again.'
            : 'This carrier gets no messages. Other carriers send them, or they wait.'
        }
        schema={updateCarrier.body.pick({ reason: true })}
        confirm={isPaused ? 'Resume' : 'Pause'}
        isDangerous={!isPaused}
        success={isPaused ? 'Carrier resumed' : 'Carrier paused'}
        submit={({ reason }) => update({ is_paused: !isPaused, reason })}
      />
      <CarrierDialog {...dialog('edit')} chosen={chosen?.carrier} submit={update} />
      <TestMessageDialog
        {...dialog('test')}
        carrier={chosen?.carrier.name ?? ''}
        isPhone={chosen?.channel !== 'email'}
        submit={(recipient) =>
          call(testCarrier, {
            params: { name: chosen?.carrier.name ?? '' },
            body: { channel: chosen?.channel ?? 'sms', recipient },
          })
        }
      />
    </>
  );
}

interface ChannelProps {
  state: OperatorChannel;
  isAdmin: boolean;
  onPause: (chosen: Chosen) => void;
  onEdit: (chosen: Chosen) => void;
  onTest: (chosen: Chosen) => void;
}

const Channel = ({ state, state: { channel, carriers: all, waiting }, isAdmin, ...on }: ChannelProps) => (
  <Panel title={labelOf(channel)} description={queueText(waiting)}>
    {all.length === 0 ? <Note>No carrier is configured for this channel.</Note> : null}
    <Rows>
      {all.map((carrier) => (
        <Row key={carrier.name}>
          <RowText>
            <span>
              {carrier.position}. <strong>{carrier.name}</strong> <CarrierState carrier={carrier} />
            </span>
            <small>
              Last 10 minutes: {answersOf(carrier)}
              {carrier.weight === null ? '' : `, weight ${carrier.weight}`}
            </small>
          </RowText>
          {isAdmin ? (
            <span className="flex flex-wrap items-center gap-2">
              <Switch
                label="In use"
                checked={!carrier.is_paused}
                onChange={() => on.onPause({ channel, carrier })}
                aria-label={`${carrier.name} for ${labelOf(channel)} is in use`}
              />
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Order and Weight of ${carrier.name} for ${labelOf(channel)}`}
                onClick={() => on.onEdit({ channel, carrier })}
              >
                Order and Weight
              </Button>
              <Button
                variant="default"
                size="compact-sm"
                aria-label={`Test ${carrier.name} for ${labelOf(channel)}`}
                onClick={() => on.onTest({ channel, carrier })}
              >
                Test
              </Button>
            </span>
          ) : null}
        </Row>
      ))}
    </Rows>
    <CountryRoutes state={state} isAdmin={isAdmin} />
  </Panel>
);

const queueText = (waiting: number): string =>
  waiting === 0
    ? 'No messages are waiting'
    : waiting === 1
      ? '1 message is waiting'
      : `${number(waiting)} messages are waiting`;

interface Props {
  opened: boolean;
  onClose: () => void;
  carrier: string;
  isPhone: boolean;
  submit: (recipient: string) => Promise<Reply<typeof testCarrier>>;
}

/** Sends a message without a code through one carrier and shows the carrier's response. */
const TestMessageDialog = (props: Props) => (
  <Dialog
    opened={props.opened}
    onClose={props.onClose}
    title={`Test ${props.carrier}`}
    description="Sends one message without a code, even while the carrier is paused."
  >
    <TestForm {...props} />
  </Dialog>
);

function TestForm({ onClose, isPhone, submit }: Props) {
  const form = useBodyForm({
    schema: testCarrier.body.pick({ recipient: true }),
    initialValues: { recipient: '' },
    submit: ({ recipient }) => submit(recipient),
    failure: 'Failed to send the message',
  });
  const { result } = form;
  return (
    <Form form={form} label="Test message">
      <TextInput
        label={isPhone ? 'Phone number' : 'Email'}
        placeholder={isPhone ? '+1 415 555 2671' : 'you@example.com'}
        autoComplete="off"
        data-autofocus
        {...form.field('recipient')}
      />
      {result ? (
        <Alert
          color={result.outcome === 'accepted' ? 'green' : 'red'}
          title={`${result.outcome.charAt(0).toUpperCase()}${result.outcome.slice(1)} after ${result.ms} ms`}
        >
          {result.detail ?? result.provider_message_id ?? 'The carrier returned no id.'}
        </Alert>
      ) : null}
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <SubmitButton form={form} busy="Sending...">
          Send Test Message
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
