import { TextInput } from '@mantine/core';
import { createSuppression, listSuppressions } from '@sixdigit/contract/suppressions.ts';
import { call } from '../api/call.ts';
import { FormDialog } from '../form/FormDialog.tsx';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** Adds an address by hand. */
export const SuppressionForm = (dialog: Props) => (
  <FormDialog
    {...dialog}
    title="Add Address"
    description="No more codes are sent to it until it is removed. Only a keyed hash of the address is stored."
    confirm="Add Address"
    busy="Adding..."
    success="Address added"
    refresh={[listSuppressions]}
    form={{
      schema: createSuppression.body,
      initialValues: { recipient: '' },
      submit: (body) => call(createSuppression, { body }),
      failure: 'Failed to add the address',
    }}
  >
    {(form) => (
      <TextInput
        label="Email address"
        type="email"
        placeholder="someone@example.com"
        autoComplete="off"
        data-autofocus
        {...form.field('recipient')}
      />
    )}
  </FormDialog>
);
