import { createFileRoute } from '@tanstack/react-router';
import { ForgotPassword } from '../../accounts/ForgotPassword.tsx';
import { titled } from '../../frame/title.ts';
import { otherPages } from '../../pages.ts';

export const Route = createFileRoute('/_auth/forgot-password')({
  head: titled(otherPages.forgotPassword),
  component: ForgotPassword,
});
