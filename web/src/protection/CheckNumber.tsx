import { NativeSelect, TextInput } from '@mantine/core';
import { checkOwnDestination } from '@sixdigit/contract/protection/protection.ts';
import { call } from '../api/call.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Panel } from '../ui/Panel.tsx';
import { CheckResult } from './CheckResult.tsx';
import classes from './Protection.module.css';

const channels = [
  { value: 'sms', label: 'SMS' },
  { value: 'voice', label: 'Voice' },
];

/** Shows what would happen to a send now, and why. */
export function CheckNumber() {
  const form = useBodyForm({
    schema: checkOwnDestination.body,
    initialValues: { channel: 'sms', recipient: '', client_ip: '' },
    toBody: ({ client_ip, ...values }: { channel: string; recipient: string; client_ip: string }) => ({
      ...values,
      ...(client_ip.trim() === '' ? {} : { client_ip }),
    }),
    whenEmpty: { recipient: 'Enter a phone number.' },
    submit: (body) => call(checkOwnDestination, { body }),
    failure: 'Failed to check the number',
  });
  const { fields } = form;
  return (
    <Panel
      id="check"
      title="Check a number"
      description="What would happen to a send now, and why. Nothing is sent, counted or charged."
    >
      <Form form={form} label="Check a number">
        <div className={classes.check}>
          <NativeSelect label="Channel" data={channels} {...fields.getInputProps('channel')} />
          <TextInput
            label="Phone number"
            type="tel"
            inputMode="tel"
            autoComplete="off"
            placeholder="+1 415 555 2671"
            maxLength={40}
            {...fields.getInputProps('recipient')}
          />
          <TextInput
            label="End user’s IP address (optional)"
            autoComplete="off"
            placeholder="203.0.113.7"
            maxLength={64}
            spellCheck={false}
            {...fields.getInputProps('client_ip')}
          />
          <SubmitButton
            form={form}
            busy="Checking..."
            variant="default"
            className={classes.checkButton ?? ''}
          >
            Check
          </SubmitButton>
        </div>
      </Form>
      <div role="status">{form.result ? <CheckResult check={form.result} /> : null}</div>
    </Panel>
  );
}
