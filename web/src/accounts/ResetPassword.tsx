import {
  checkResetLink,
  ResetPasswordByLinkBody,
  resetPasswordByLink,
} from '@sixdigit/contract/accounts/passwords.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiError, call } from '../api/call.ts';
import { dropTokens } from '../api/session.ts';
import { Form, SubmitButton, useBodyForm } from '../form/Form.tsx';
import { NewPasswordFields, whenPasswordsEmpty } from '../form/NewPasswordFields.tsx';
import { otherPages } from '../pages.ts';
import { ButtonLink } from '../ui/links.tsx';
import { AuthLayout } from './AuthLayout.tsx';
import { BackToSignIn, Intro } from './FormText.tsx';

/** The page that the link in the email opens. The token is in the URL fragment, which browsers do not send. */
export const ResetPassword = () => (
  <AuthLayout>
    <LinkCheck />
  </AuthLayout>
);

function LinkCheck() {
  const token = useLocation({ select: ({ hash }) => hash });
  const [refused, setRefused] = useState<string>();
  const check = useQuery({
    queryKey: ['reset-link', token],
    queryFn: async () => {
      if (token === '') return 'dead';
      return call(checkResetLink, { body: { token } }).then(
        () => 'alive',
        (cause: unknown) => {
          if (isDead(cause)) return 'dead';
          throw cause;
        },
      );
    },
  });
  if (check.isPending) return <p className="mt-0 mb-6 text-ink-soft">Checking the link…</p>;
  // If the check fails, the form is still shown; submitting it reports the error.
  return check.data === 'dead' || refused === token ? (
    <DeadLink />
  ) : (
    <NewPassword token={token} onDead={() => setRefused(token)} />
  );
}

const isDead = (cause: unknown): boolean => cause instanceof ApiError && cause.status === 400;

function NewPassword({ token, onDead }: { token: string; onDead: () => void }) {
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const form = useBodyForm({
    schema: ResetPasswordByLinkBody,
    initialValues: { password: '', confirm_password: '' },
    toBody: (values) => ({ ...values, token }),
    whenEmpty: whenPasswordsEmpty,
    submit: (body) =>
      call(resetPasswordByLink, { body }).catch((cause: unknown) => {
        if (cause instanceof ApiError && cause.reason === 'invalid_reset_link') onDead();
        throw cause;
      }),
    failure: 'An unexpected error occurred',
    onSuccess: async () => {
      // The reset ended every session.
      dropTokens();
      queryClient.clear();
      await navigate({ to: '/sign-in', search: { reset: true }, replace: true });
    },
  });
  return (
    <>
      <Intro title={otherPages.resetPassword.title}>You will be signed out everywhere.</Intro>
      <Form form={form}>
        <NewPasswordFields form={form} label="New password" autoFocus />
        <SubmitButton form={form} busy="Saving..." fullWidth>
          Change Password
        </SubmitButton>
      </Form>
      <BackToSignIn replace />
    </>
  );
}

const DeadLink = () => (
  <>
    <Intro title="This link no longer works">
      It has been used already, or it is more than 30 minutes old.
    </Intro>
    <ButtonLink to="/forgot-password" replace fullWidth>
      Send a New Email
    </ButtonLink>
    <BackToSignIn replace />
  </>
);
