import { createFileRoute } from '@tanstack/react-router';
import { AuthLayout } from '../accounts/AuthLayout.tsx';
import { ResetPassword } from '../accounts/ResetPassword.tsx';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';

/** Open to people who are signed in, too: they may have forgotten their password. */
export const Route = createFileRoute('/reset-password')({
  head: titled(otherPages.resetPassword),
  component: () => (
    <AuthLayout>
      <ResetPassword />
    </AuthLayout>
  ),
});
