import { createFileRoute } from '@tanstack/react-router';
import { ForgotPassword } from '../../accounts/ForgotPassword.tsx';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_auth/forgot-password')({
  head: titled('Reset your password'),
  component: ForgotPassword,
});
