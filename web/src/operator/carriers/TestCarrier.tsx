import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { checkCarrier, prepareCarrier } from '@sixdigit/contract/operator/carrier-setups.ts';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { useMutation } from '@tanstack/react-query';
import { call, sentence } from '../../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { carrierName } from '../../otp/route-filters.ts';
import { busyButton } from '../../ui/busy-button.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { number } from '../Facts.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
  name: string;
  channels: readonly Channel[];
  /** the button that checks it without a message */
  check: string | undefined;
  /** the button that makes at the company what the carrier needs */
  prepare: string | undefined;
}

/** Sends a message without a valid code through one carrier and shows the carrier's response. */
export const TestCarrier = (props: Props) => (
  <Dialog
    opened={props.opened}
    onClose={props.onClose}
    title={`Test ${carrierName(props.name)}`}
    description="Sends one real message without a valid code through this carrier alone, even while it is off or paused. It costs no credits."
  >
    <TestForm key={props.name} {...props} />
  </Dialog>
);

function TestForm({ onClose, name, channels, check, prepare }: Props) {
  const [first = 'sms'] = channels;
  const form = useBodyForm({
    schema: testCarrier.body,
    initialValues: { channel: first as Channel, recipient: '' },
    submit: (body) => call(testCarrier, { params: { name }, body }),
    failure: 'Failed to send the message',
  });
  const isPhone = factsOf(form.fields.values.channel).recipient === 'phone';
  return (
    <Form form={form} label="Test message">
      {channels.length > 1 ? (
        <NativeSelect
          label="Channel"
          data={channels.map((value) => ({ value, label: factsOf(value).label }))}
          {...form.field('channel')}
        />
      ) : null}
      {isPhone ? (
        <PhoneInput
          label="Phone number"
          description="Your own number."
          isOfAnyCountry
          autoComplete="off"
          data-autofocus
          {...form.field('recipient')}
        />
      ) : (
        <TextInput
          label="Email"
          description="Your own address."
          placeholder="you@example.com"
          type="email"
          autoComplete="off"
          data-autofocus
          {...form.field('recipient')}
        />
      )}
      {check === undefined ? null : <CarrierCheck name={name} check={check} prepare={prepare} />}
      <div aria-live="polite">
        {form.result && !form.isBusy && !form.problem ? <Result result={form.result} /> : null}
      </div>
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

const CHECKED = { ok: 'green', warning: 'orange', problem: 'red' } as const;

/** Tries the credentials, or looks up the DNS records, without a message. */
function CarrierCheck({ name, check, prepare }: Pick<Props, 'name' | 'prepare'> & { check: string }) {
  const { data, error, isPending, mutate, variables } = useMutation({
    mutationFn: (route: typeof checkCarrier | typeof prepareCarrier) =>
      call(route, { params: { name }, body: {} }),
  });
  const isBusy = (route: object) => isPending && variables === route;
  return (
    <div className="grid gap-3">
      <span className="flex flex-wrap gap-2.5">
        {prepare === undefined ? null : (
          <Button
            variant="default"
            {...busyButton(isBusy(prepareCarrier))}
            onClick={() => mutate(prepareCarrier)}
          >
            {isBusy(prepareCarrier) ? 'Setting up...' : prepare}
          </Button>
        )}
        <Button variant="default" {...busyButton(isBusy(checkCarrier))} onClick={() => mutate(checkCarrier)}>
          {isBusy(checkCarrier) ? 'Checking...' : check}
        </Button>
      </span>
      <div aria-live="polite">
        {data ? (
          <Alert color={CHECKED[data.level]}>
            {data.says} {data.advice}
          </Alert>
        ) : null}
        {error ? <ErrorAlert problem={sentence(error, 'Failed to check the carrier')} /> : null}
      </div>
    </div>
  );
}

const LOOKS = {
  accepted: { color: 'green', title: 'Accepted' },
  refused: { color: 'red', title: 'Refused' },
  uncertain: { color: 'orange', title: 'No clear response' },
} as const;

const Result = ({ result }: { result: Reply<typeof testCarrier> }) => {
  const { color, title } = LOOKS[result.outcome];
  const { detail, words, provider_message_id: id } = result;
  return (
    <Alert color={color} title={`${title} after ${number(result.ms)} ms`}>
      {result.outcome === 'accepted'
        ? `The carrier has the message${id === null ? '.' : `, with the id ${id}.`} Check that it arrives.`
        : detail}
      {words === null ? null : (
        <blockquote className="mx-0 mt-2 mb-0 border-l-2 border-border pl-3 wrap-anywhere">
          The carrier replied: “{words}”
        </blockquote>
      )}
    </Alert>
  );
};
