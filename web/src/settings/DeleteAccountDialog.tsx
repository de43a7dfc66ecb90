import { TextInput } from '@mantine/core';
import { deleteMe } from '@sixdigit/contract/accounts/accounts.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { z } from 'zod';
import { currentUser } from '../accounts/current-user.ts';
import { call } from '../api/call.ts';
import { SIGN_OUT } from '../api/queries.ts';
import { dropTokens } from '../api/session.ts';
import { toast } from '../api/toast.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { countOf } from '../ui/numbers.ts';
import { PasswordInput } from '../ui/PasswordInput.ts';

interface Props {
  opened: boolean;
  onClose: () => void;
}

const WORD = 'DELETE';
const schema = deleteMe.body.extend({
  confirmation: z.string().refine((text) => text.trim() === WORD, `Type ${WORD} to confirm`),
});

export function DeleteAccountDialog(dialog: Props) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { data: user } = useQuery(currentUser);
  const credits = user?.credits ?? 0;
  return (
    <FormDialog
      {...dialog}
      title="Delete Account"
      confirm="Delete Account"
      busy="Deleting..."
      isDangerous
      form={{
        schema,
        initialValues: { password: '', confirmation: '' },
        key: SIGN_OUT,
        submit: async ({ password }) => {
          // A read that is refused would open the sign-in page as if the session had expired.
          await queryClient.cancelQueries();
          return call(deleteMe, { body: { password } });
        },
        failure: 'Failed to delete the account',
        onSuccess: async () => {
          dropTokens();
          await navigate({ to: '/sign-in' });
          queryClient.clear();
          toast.success('Your account has been deleted');
        },
      }}
    >
      {({ field }) => (
        <>
          <p className="m-0 wrap-anywhere">
            This deletes <strong>{user?.email}</strong>. <span className="block">This cannot be undone.</span>
          </p>
          <ul className="m-0 grid gap-[0.35rem] ps-[1.1rem] text-14 text-ink-soft">
            <li>API keys stop working immediately, webhook endpoints are removed, and all sessions end.</li>
            <li>
              {credits === 0
                ? 'Your saved cards are removed.'
                : `You lose ${countOf(credits, 'credit')}, and your saved cards are removed.`}
            </li>
            <li>Your name, email address, phone number and code history are erased.</li>
            <li>Purchase and usage totals are kept without your name.</li>
          </ul>
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            data-autofocus
            {...field('password')}
          />
          <TextInput
            label={`Type ${WORD} to confirm`}
            autoCapitalize="characters"
            autoComplete="off"
            spellCheck={false}
            {...field('confirmation')}
          />
        </>
      )}
    </FormDialog>
  );
}
