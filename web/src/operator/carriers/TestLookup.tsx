import { Alert, Button } from '@mantine/core';
import { checkLookup, testLookup } from '@sixdigit/contract/operator/lookups.ts';
import { LINE_NAMES, type LookupFacts } from '@sixdigit/contract/protection/lookups.ts';
import type { Reply } from '@sixdigit/contract/route.ts';
import { call } from '../../api/call.ts';
import { Form, SubmitButton, useBodyForm } from '../../form/Form.tsx';
import { PhoneInput } from '../../form/PhoneInput.tsx';
import { phoneOfField } from '../../form/phone-value.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { fullDateTime } from '../../ui/dates.ts';
import { number } from '../Facts.tsx';
import { Checks } from './Checks.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Looks one number up. */
export const TestLookup = ({ opened, onClose }: Props) => (
  <Dialog
    opened={opened}
    onClose={onClose}
    title="Test Look-up"
    description="Makes one real request, even while the look-up is off. The company may charge for it."
  >
    <TestForm onClose={onClose} />
  </Dialog>
);

function TestForm({ onClose }: Pick<Props, 'onClose'>) {
  const form = useBodyForm({
    schema: testLookup.body,
    initialValues: { recipient: '' },
    toBody: ({ recipient }: { recipient: string }) => ({ recipient: phoneOfField(recipient) }),
    submit: (body) => call(testLookup, { body }),
    failure: 'Failed to look the number up',
  });
  return (
    <Form form={form} label="Look-up">
      <PhoneInput
        label="Phone number"
        isOfAnyCountry
        autoComplete="off"
        data-autofocus
        {...form.field('recipient')}
      />
      <Checks failure="Failed to check the look-up" checks={CHECKS} />
      <div aria-live="polite">
        {form.result && !form.isBusy && !form.problem ? <Result result={form.result} /> : null}
      </div>
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Close
        </Button>
        <SubmitButton form={form} busy="Looking up...">
          Look Up
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

const CHECKS = [{ label: 'Check Credentials', run: () => call(checkLookup, { body: {} }) }];

const Result = ({ result: { facts, detail, ms } }: { result: Reply<typeof testLookup> }) => (
  <Alert color={facts ? 'green' : 'red'} title={`${facts ? 'Answered' : 'No answer'} after ${number(ms)} ms`}>
    {facts
      ? textsOf(facts).map((text) => (
          <span key={text} className="block">
            {text}
          </span>
        ))
      : detail}
  </Alert>
);

function textsOf({ line_type, carrier, country, ported, temporary, sim }: LookupFacts): string[] {
  const yes = (value: boolean | null): string => (value === null ? 'unknown' : value ? 'yes' : 'no');
  return [
    `Line type: ${line_type === null ? 'unknown' : LINE_NAMES[line_type]}`,
    `Carrier: ${carrier ?? 'unknown'}${country === null ? '' : ` (${country})`}`,
    `Ported: ${yes(ported)}`,
    `Temporary: ${yes(temporary)}`,
    `SIM changed: ${simText(sim)}`,
  ];
}

function simText(sim: LookupFacts['sim']): string {
  if (!sim) return 'unknown';
  if (sim.changed_at !== null) return fullDateTime(sim.changed_at);
  if (sim.changed_within_hours !== null) return `within ${number(sim.changed_within_hours)} hours`;
  return sim.unchanged_within_hours === null
    ? 'no change known'
    : `not within ${number(sim.unchanged_within_hours)} hours`;
}
