import { Button, FileInput, TextInput } from '@mantine/core';
import {
  getOperatorPrices,
  importSendPrices,
  sendPricesFromCsv,
} from '@sixdigit/contract/operator/prices.ts';
import { DEFAULT_PRICES, type SendPrice } from '@sixdigit/contract/prices.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { invalidate } from '../../api/read.ts';
import { Form, SubmitButton } from '../../form/Form.tsx';
import { useBodyForm } from '../../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../../ui/Dialog.tsx';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { toast } from '../../ui/toast.ts';
import { Differences } from './Differences.tsx';
import { differences } from './prices.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  version: number;
  before: readonly SendPrice[];
}

/** Replaces the prices of sends by those of a file, after showing what changes. */
export const ImportPrices = (props: Props) => (
  <Dialog
    opened={props.opened}
    onClose={props.onClose}
    title="Import Prices of Sends"
    description="A CSV with the columns channel, country, credits and unit. It replaces every price of sends."
  >
    <ImportForm {...props} />
  </Dialog>
);

function ImportForm({ onClose, version, before }: Props) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: importSendPrices.body,
    initialValues: { csv: '', reason: '' },
    toBody: ({ csv, reason }) => ({ csv, version, reason }),
    submit: (body) => call(importSendPrices, { body }),
    failure: 'The prices could not be imported',
    onSuccess: () => {
      toast.success('Prices imported');
      onClose();
      void invalidate(queryClient, getOperatorPrices);
    },
  });
  const { csv } = form.fields.values;
  const read = csv === '' ? undefined : sendPricesFromCsv(csv);
  const changes = read
    ? differences({ ...DEFAULT_PRICES, sends: [...before] }, { ...DEFAULT_PRICES, sends: read.sends })
    : [];
  const readFile = async (file: File | null): Promise<void> =>
    form.fields.setFieldValue('csv', file ? await file.text() : '');
  return (
    <Form form={form} label="Import Prices of Sends">
      <FileInput
        label="File"
        placeholder="Choose a CSV file"
        accept=".csv,text/csv,text/plain"
        error={form.fields.errors.csv}
        onChange={(file) => void readFile(file)}
      />
      <ErrorAlert problem={read && read.problems.length > 0 ? read.problems.join(' ') : undefined} />
      {read?.problems.length === 0 ? (
        <Differences changes={changes} nothing="The file changes nothing." />
      ) : null}
      <TextInput label="Reason" autoComplete="off" {...form.field('reason')} />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} disabled={!read || read.problems.length > 0 || changes.length === 0}>
          Import
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
