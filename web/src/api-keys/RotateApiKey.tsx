import { NativeSelect } from '@mantine/core';
import {
  type ApiKey,
  listApiKeys,
  type NewApiKey,
  ROTATION_DAYS_MAX,
  rotateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import { countOf } from '../ui/numbers.ts';

interface Props {
  apiKey: ApiKey | undefined;
  opened: boolean;
  onClose: () => void;
  onRotated: (key: NewApiKey) => void;
}

const choices = Array.from({ length: ROTATION_DAYS_MAX + 1 }, (_, days) => ({
  value: String(days),
  label: days === 0 ? 'Not at all: it stops working immediately' : countOf(days, 'day'),
}));

/** Gives a key a new secret. The old one stays valid for a few days, so that programs can switch. */
export const RotateApiKey = ({ apiKey, onRotated, ...dialog }: Props) => (
  <FormDialog
    {...dialog}
    title="Rotate API Key"
    description={apiKey?.name}
    confirm="Rotate API Key"
    busy="Rotating..."
    refresh={[listApiKeys]}
    formKey={apiKey?.id}
    form={
      apiKey && {
        schema: rotateApiKey.body,
        initialValues: { valid_days: '1' },
        toBody: ({ valid_days }) => ({ valid_days: Number(valid_days) }),
        submit: (body) => call(rotateApiKey, { params: { id: apiKey.id }, body }),
        failure: 'Failed to rotate the API key',
        onSuccess: onRotated,
      }
    }
  >
    {({ field }) => (
      <>
        <p className="m-0 text-ink-soft">
          The key gets a new secret, which is shown once. Its name, settings and history do not change.
          {apiKey?.retired
            ? ` The secret ${apiKey.retired.prefix}… of the last rotation, valid until ${shortDateTime(apiKey.retired.valid_until)}, stops working immediately.`
            : ''}
        </p>
        <NativeSelect
          label="The current secret stays valid for"
          description="Choose long enough to update every program."
          data={choices}
          data-autofocus
          {...field('valid_days')}
        />
      </>
    )}
  </FormDialog>
);
