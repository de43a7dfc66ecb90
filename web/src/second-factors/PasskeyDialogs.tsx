import { Button, TextInput } from '@mantine/core';
import { deviceOf } from '@sixdigit/contract/accounts/device.ts';
import {
  addPasskey,
  type Passkey,
  renamePasskey,
  startPasskey,
} from '@sixdigit/contract/second-factors/passkeys.ts';
import { getSecondFactors } from '@sixdigit/contract/second-factors/second-factors.ts';
import { useQueryClient } from '@tanstack/react-query';
import { createCredential, passkeyProblem } from '../accounts/passkey.ts';
import { call } from '../api/call.ts';
import { invalidate } from '../api/read.ts';
import { toast } from '../api/toast.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { FormDialog } from '../form/FormDialog.tsx';
import { DialogActions } from '../ui/Dialog.tsx';
import { SetUpDialog } from './RecoveryCodesDialog.tsx';

interface AddProps {
  opened: boolean;
  onClose: () => void;
}

export const AddPasskeyDialog = ({ opened, onClose }: AddProps) => (
  <SetUpDialog opened={opened} onClose={onClose} title="Add Passkey">
    {(onCodes) => <AddPasskey onClose={onClose} onCodes={onCodes} />}
  </SetUpDialog>
);

const nameSchema = renamePasskey.body;

/** Asks for the name first, so that the browser's dialog is the last step. */
function AddPasskey({
  onClose,
  onCodes,
}: {
  onClose: () => void;
  onCodes: (codes: readonly string[]) => void;
}) {
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: nameSchema,
    initialValues: { name: deviceOf(navigator.userAgent) },
    submit: async ({ name }) => {
      const { options } = await call(startPasskey);
      try {
        const credential = await createCredential(options);
        return await call(addPasskey, { body: { name, credential } });
      } catch (cause) {
        const problem = passkeyProblem(cause);
        if (!problem) throw cause;
        console.error(cause);
        form.setProblem(problem);
        return undefined;
      }
    },
    failure: 'Failed to add the passkey',
    onSuccess: async (added) => {
      if (!added) return;
      await invalidate(queryClient, getSecondFactors);
      toast.success('Passkey added');
      if (added.recovery_codes) onCodes(added.recovery_codes);
      else onClose();
    },
  });
  return (
    <Form form={form} label="Add Passkey">
      <p className="m-0 text-ink-soft">
        Your device asks for your fingerprint, face, PIN or security key. From then on, signing in with your
        password requires a passkey too.
      </p>
      <TextInput
        label="Name"
        description="Shown in your list of passkeys."
        autoComplete="off"
        data-autofocus
        {...form.field('name')}
      />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Waiting for your device...">
          Add Passkey
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}

interface ChangeProps extends AddProps {
  passkey: Passkey | undefined;
}

export const RenamePasskeyDialog = ({ passkey, ...dialog }: ChangeProps) => (
  <FormDialog
    {...dialog}
    title="Rename Passkey"
    confirm="Save"
    busy="Saving..."
    success="Passkey renamed"
    refresh={[getSecondFactors]}
    formKey={passkey?.id}
    form={
      passkey && {
        schema: nameSchema,
        initialValues: { name: passkey.name },
        submit: (body) => call(renamePasskey, { params: { id: passkey.id }, body }),
        failure: 'Failed to rename the passkey',
      }
    }
  >
    {({ field }) => <TextInput label="Name" autoComplete="off" data-autofocus {...field('name')} />}
  </FormDialog>
);
