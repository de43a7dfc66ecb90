import { Button, PasswordInput, TextInput } from '@mantine/core';
import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { call } from '../api/call.ts';
import { dropTokens } from '../api/session.ts';
import { Form, SubmitButton } from '../form/Form.tsx';
import { useBodyForm } from '../form/useBodyForm.ts';
import { Dialog, DialogActions } from '../ui/Dialog.tsx';
import { toast } from '../ui/toast.ts';
import classes from './Settings.module.css';

interface Props {
  opened: boolean;
  onClose: () => void;
}

export const DeleteAccountDialog = ({ opened, onClose }: Props) => (
  <Dialog opened={opened} onClose={onClose} title="Delete Account" size="md">
    <DeleteAccountForm onClose={onClose} />
  </Dialog>
);

const WORD = 'DELETE';
const schema = deleteMe.body.extend({
  confirmation: z.string().refine((text) => text.trim() === WORD, `Type ${WORD} to confirm`),
});

function DeleteAccountForm({ onClose }: Pick<Props, 'onClose'>) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const form = useBodyForm({
    schema,
    initialValues: { password: '', confirmation: '' },
    submit: ({ password }) => call(deleteMe, { body: { password } }),
    failure: 'Failed to delete the account',
    onSuccess: async () => {
      dropTokens();
      await navigate({ to: '/sign-in' });
      queryClient.clear();
      toast.success('Your account has been deleted');
    },
  });
  return (
    <Form form={form} label="Delete Account">
      <ul className={classes.consequences}>
        <li>API keys stop working at once, webhook endpoints are removed, and every session ends.</li>
        <li>Credits that are left are lost, and saved cards are forgotten.</li>
        <li>Your name, email address, phone number and the history of your codes are erased.</li>
        <li>The totals of purchases and usage are kept without your name. This cannot be undone.</li>
      </ul>
      <PasswordInput
        label="Password"
        autoComplete="current-password"
        data-autofocus
        {...form.field('password')}
      />
      <TextInput
        label={`Type ${WORD} to confirm`}
        autoComplete="off"
        spellCheck={false}
        {...form.field('confirmation')}
      />
      <DialogActions>
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <SubmitButton form={form} busy="Deleting..." color="red">
          Delete Account
        </SubmitButton>
      </DialogActions>
    </Form>
  );
}
