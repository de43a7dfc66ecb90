import { Button, FileInput, NativeSelect } from '@mantine/core';
import { CHANNELS, type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import {
  getOperatorPrices,
  importSendPrices,
  SEND_PRICES_MOST,
  sendPricesFromCsv,
  sendPricesToCsv,
} from '@sixdigit/contract/operator/prices.ts';
import {
  DEFAULT_PRICES,
  type PriceList,
  SEND_PRICE_MOST,
  type SendPrice,
} from '@sixdigit/contract/prices.ts';
import { IconDownload, IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { call } from '../../api/call.ts';
import { toast } from '../../api/toast.ts';
import { CountryInput } from '../../form/CountryInput.tsx';
import { FormDialog } from '../../form/FormDialog.tsx';
import { countryText } from '../../payments/send-prices.ts';
import { labelOf } from '../../ui/channel.ts';
import { ErrorAlert } from '../../ui/ErrorAlert.tsx';
import { NumberInput } from '../../ui/NumberInput.ts';
import { Panel } from '../../ui/Panel.tsx';
import { useAsked } from '../asked.ts';
import { ReasonInput } from '../ReasonDialog.tsx';
import { EditableTable } from './EditableTable.tsx';
import { Differences } from './PriceHistory.tsx';
import { differences } from './prices.ts';

interface Props {
  draft: PriceList;
  version: number;
  /** disables the import, which replaces the stored prices */
  hasChanges: boolean;
  change: ((part: Partial<PriceList>) => void) | undefined;
}

const SAVE_FIRST = 'Save or discard your changes first.';

/** Send prices by channel and country. */
export function SendPriceTable({ draft: { sends }, version, hasChanges, change }: Props) {
  const [isImporting, setImporting] = useState(false);
  const put = (n: number, part: Partial<SendPrice>) =>
    change?.({ sends: sends.map((price, at) => (at === n ? consistent({ ...price, ...part }) : price)) });
  const add = () => change?.({ sends: [...sends, newPrice(sends)] });
  useAsked(change && sends.length < SEND_PRICES_MOST ? ['add'] : [], add);
  return (
    <Panel
      title="Message prices"
      description={
        sends.length === 0
          ? 'Every send costs 1 credit, on every channel and to every country.'
          : 'On a channel without a price, each send costs 1 credit. A country without its own price uses the price for all other countries.'
      }
      actions={
        <span className="flex flex-wrap items-center gap-2 max-sm:grid max-sm:w-full max-sm:grid-cols-2">
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => download('sixdigit-prices.csv', sendPricesToCsv(sends), 'text/csv')}
          >
            Export CSV
          </Button>
          {change ? (
            <>
              <Button
                variant="default"
                leftSection={<IconUpload size={16} aria-hidden />}
                {...(hasChanges && {
                  'aria-disabled': true,
                  'data-disabled': true,
                  'data-tip': SAVE_FIRST,
                  'aria-description': SAVE_FIRST,
                })}
                onClick={() => (hasChanges ? toast.error(SAVE_FIRST) : setImporting(true))}
              >
                Import CSV
              </Button>
              <Button
                variant="default"
                className="max-sm:col-span-2"
                leftSection={<IconPlus size={16} aria-hidden />}
                disabled={sends.length >= SEND_PRICES_MOST}
                onClick={add}
              >
                Add Price
              </Button>
            </>
          ) : null}
        </span>
      }
    >
      <EditableTable
        label="Message prices"
        noun="price"
        headings={['Channel', 'Country', 'Credits', 'For each']}
        rows={sends}
        change={change && ((rows) => change({ sends: rows }))}
        cells={(price, n) =>
          change ? (
            <Fields n={n} price={price} put={(part) => put(n, part)} />
          ) : (
            <>
              <td data-label="Channel">{labelOf(price.channel)}</td>
              <td data-label="Country">{countryText(price.country)}</td>
              <td data-label="Credits">{price.credits}</td>
              <td data-label="For each">{price.unit}</td>
            </>
          )
        }
      />
      {change ? (
        <ImportPrices
          opened={isImporting}
          onClose={() => setImporting(false)}
          version={version}
          before={sends}
        />
      ) : null}
    </Panel>
  );
}

const newPrice = (sends: readonly SendPrice[]): SendPrice => {
  const free = CHANNELS.find(
    (channel) => !sends.some((price) => price.channel === channel && price.country === null),
  );
  return { channel: free ?? 'sms', country: free ? null : '', credits: 1, unit: 'request' };
};

/** Emails have no country and no segments. Calls have no segments. */
const consistent = (price: SendPrice): SendPrice => ({
  ...price,
  country: factsOf(price.channel).recipient === 'phone' ? price.country : null,
  unit: factsOf(price.channel).format === 'text' ? price.unit : 'request',
});

const Fields = ({
  n,
  price,
  put,
}: {
  n: number;
  price: SendPrice;
  put: (part: Partial<SendPrice>) => void;
}) => (
  <>
    <td data-label="Channel" className="max-sm:col-span-2">
      <NativeSelect
        aria-label={`Channel of price ${n + 1}`}
        data={CHANNELS.map((value) => ({ value, label: labelOf(value) }))}
        value={price.channel}
        onChange={({ currentTarget }) => put({ channel: currentTarget.value as Channel })}
      />
    </td>
    {/* The placeholder of a price without a country is a value. */}
    <td
      data-label="Country"
      className={`max-sm:col-span-2 ${price.country === null ? '[&_input]:placeholder:text-ink' : ''}`}
    >
      <CountryInput
        aria-label={`Country of price ${n + 1}; empty for all others`}
        placeholder={price.country === null ? 'All others' : 'Choose a country'}
        isOptional
        disabled={factsOf(price.channel).recipient !== 'phone'}
        value={price.country ?? ''}
        onChange={(country) => put({ country: country || null })}
      />
    </td>
    <td data-label="Credits">
      <NumberInput
        aria-label={`Credits of price ${n + 1}`}
        min={1}
        max={SEND_PRICE_MOST}
        allowDecimal={false}
        hideControls
        value={price.credits}
        onChange={(value) => put({ credits: Number(value) })}
      />
    </td>
    <td data-label="For each">
      <NativeSelect
        aria-label={`Unit of price ${n + 1}`}
        data={factsOf(price.channel).format === 'text' ? ['request', 'segment'] : ['request']}
        value={price.unit}
        onChange={({ currentTarget }) => put({ unit: currentTarget.value as SendPrice['unit'] })}
      />
    </td>
  </>
);

/** Downloads a text as a file. */
function download(name: string, text: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}

interface ImportProps {
  opened: boolean;
  onClose: () => void;
  version: number;
  before: readonly SendPrice[];
}

/** Replaces the send prices with those of a file, after showing the changes. */
function ImportPrices({ version, before, ...dialog }: ImportProps) {
  const changesOf = (sends: readonly SendPrice[]): string[] =>
    differences({ ...DEFAULT_PRICES, sends: [...before] }, { ...DEFAULT_PRICES, sends: [...sends] });
  const isImportable = (csv: string): boolean => {
    const { problems, sends } = sendPricesFromCsv(csv);
    return problems.length === 0 && changesOf(sends).length > 0;
  };
  return (
    <FormDialog
      {...dialog}
      title="Import Message Prices"
      description="A CSV file with the columns channel, country, credits and unit (“For each”). It replaces all message prices."
      confirm="Import"
      success="Prices imported"
      refresh={[getOperatorPrices]}
      form={{
        schema: importSendPrices.body.refine(({ csv }) => isImportable(csv), {
          path: ['csv'],
          message: 'Choose another file',
        }),
        initialValues: { csv: '', reason: '' },
        toBody: ({ csv, reason }) => ({ csv, version, reason }),
        submit: (body) => call(importSendPrices, { body }),
        failure: 'Failed to import the message prices',
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
              leftSection={<IconUpload size={16} aria-hidden />}
              accept=".csv,text/csv,text/plain"
              data-path="csv"
              error={fields.errors.csv}
              onChange={(chosen) => void textOf(chosen).then((text) => fields.setFieldValue('csv', text))}
            />
            <ErrorAlert problem={file && file.problems.length > 0 ? file.problems.join(' ') : undefined} />
            {file?.problems.length === 0 ? (
              <Differences changes={changesOf(file.sends)} nothing="The file contains no changes." />
            ) : null}
            <ReasonInput {...field('reason')} />
          </>
        );
      }}
    </FormDialog>
  );
}

const textOf = async (file: File | null): Promise<string> => (file ? file.text() : '');
