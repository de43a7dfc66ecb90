import { createFileRoute } from '@tanstack/react-router';
import { ForgotPassword } from '../../accounts/ForgotPassword.tsx';
import { otherPages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_auth/forgot-password')({
  head: titled(otherPages.forgotPassword),
  component: ForgotPassword,
});
