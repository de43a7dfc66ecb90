import { Alert, Button, NativeSelect, TextInput } from '@mantine/core';
import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { checkCarrier, prepareCarrier } from '@sixdigit/contract/operator/carrier-setups.ts';
import { testCarrier } from '@sixdigit/contract/operator/carriers.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { call } from '../../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { carrierName } from '../../otp/route-filters.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { number } from '../Facts.tsx';
import { Checks } from './Checks.tsx';

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
      {check === undefined ? null : (
        <Checks
          failure="Failed to check the carrier"
          checks={[
            ...(prepare === undefined
              ? []
              : [
                  {
                    label: prepare,
                    busy: 'Setting up...',
                    run: () => call(prepareCarrier, { params: { name }, body: {} }),
                  },
                ]),
            { label: check, run: () => call(checkCarrier, { params: { name }, body: {} }) },
          ]}
        />
      )}
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
