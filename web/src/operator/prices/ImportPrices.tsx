import { FileInput, TextInput } from '@mantine/core';
import {
  getOperatorPrices,
  importSendPrices,
  sendPricesFromCsv,
} from '@sixdigit/contract/operator/prices.ts';
import { DEFAULT_PRICES, type SendPrice } from '@sixdigit/contract/prices.ts';
import { call } from '../../api/call.ts';
import { FormDialog } from '../../form/FormDialog.tsx';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { Differences } from './PriceHistory.tsx';
import { differences } from './prices.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
  version: number;
  before: readonly SendPrice[];
}

/** Replaces the prices of sends by those of a file, after showing what changes. */
export function ImportPrices({ version, before, ...dialog }: Props) {
  const changesOf = (sends: readonly SendPrice[]): string[] =>
    differences({ ...DEFAULT_PRICES, sends: [...before] }, { ...DEFAULT_PRICES, sends: [...sends] });
  return (
    <FormDialog
      {...dialog}
      title="Import Prices of Sends"
      description="A CSV with the columns channel, country, credits and unit. It replaces every price of sends."
      confirm="Import"
      isDisabled={({ csv }) => {
        const { problems, sends } = sendPricesFromCsv(csv);
        return csv === '' || problems.length > 0 || changesOf(sends).length === 0;
      }}
      success="Prices imported"
      refresh={[getOperatorPrices]}
      form={{
        schema: importSendPrices.body,
        initialValues: { csv: '', reason: '' },
        toBody: ({ csv, reason }) => ({ csv, version, reason }),
        submit: (body) => call(importSendPrices, { body }),
        failure: 'The prices could not be imported',
      }}
    >
      {({ field, fields }) => {
        const { csv } = fields.values;
        const file = csv === '' ? undefined : sendPricesFromCsv(csv);
        return (
          <>
            <FileInput
              label="File"
              placeholder="Choose a CSV file"
              accept=".csv,text/csv,text/plain"
              error={fields.errors.csv}
              onChange={(chosen) => void textOf(chosen).then((text) => fields.setFieldValue('csv', text))}
            />
            <ErrorAlert problem={file && file.problems.length > 0 ? file.problems.join(' ') : undefined} />
            {file?.problems.length === 0 ? (
              <Differences changes={changesOf(file.sends)} nothing="The file changes nothing." />
            ) : null}
            <TextInput label="Reason" autoComplete="off" {...field('reason')} />
          </>
        );
      }}
    </FormDialog>
  );
}

const textOf = async (file: File | null): Promise<string> => (file ? file.text() : '');
