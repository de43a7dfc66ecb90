import { Button, NativeSelect } from '@mantine/core';
import {
  type ApiKey,
  listApiKeys,
  type NewApiKey,
  ROTATION_DAYS_MAX,
  rotateApiKey,
} from '@sixdigit/contract/api-keys.ts';
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { shortDateTime } from '../ui/dates.ts';
import classes from './KeySettings.module.css';

interface Props {
  apiKey: ApiKey | undefined;
  opened: boolean;
  onClose: () => void;
  onRotated: (key: NewApiKey) => void;
}

/** Gives a key a new secret. The old one stays valid for a few days, so that programs can change over. */
export const RotateApiKey = ({ apiKey, opened, onClose, onRotated }: Props) => (
  <Dialog opened={opened} onClose={onClose} title="Rotate API Key" description={apiKey?.name} size="md">
    {apiKey ? <RotateForm key={apiKey.id} apiKey={apiKey} onClose={onClose} onRotated={onRotated} /> : null}
  </Dialog>
);

const choices = Array.from({ length: ROTATION_DAYS_MAX + 1 }, (_, days) => ({
  value: String(days),
  label: days === 0 ? 'Not at all: it stops at once' : `${days} ${days === 1 ? 'day' : 'days'}`,
}));

function RotateForm({ apiKey, onClose, onRotated }: Omit<Props, 'opened'> & { apiKey: ApiKey }) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: rotateApiKey.body,
    initialValues: { valid_days: '1' },
    toBody: ({ valid_days }: { valid_days: string }) => ({ valid_days: Number(valid_days) }),
    submit: (body) => call(rotateApiKey, { params: { id: apiKey.id }, body }),
    failure: 'Failed to rotate the API key',
    onSuccess: (key) => {
      onRotated(key);
      void invalidate(queryClient, listApiKeys);
    },
  });
  return (
    <Form form={form} label="Rotate API Key">
      <p className={classes.text}>
        The key gets a new secret, which is shown once. Name, settings and history stay.
        {apiKey.retired
          ? ` The secret ${apiKey.retired.prefix}… of the last rotation, valid until ${shortDateTime(apiKey.retired.valid_until)}, stops at once.`
          : ''}
      </p>
      <NativeSelect
        label="The current secret stays valid for"
        description="Long enough to give every program the new one."
        data={choices}
        data-autofocus
        {...form.field('valid_days')}
      />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Rotating...">
          Rotate API Key
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
