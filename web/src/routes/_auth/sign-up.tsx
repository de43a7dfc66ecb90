import { createFileRoute } from '@tanstack/react-router';
import { SignUp } from '../../accounts/SignUp.tsx';
import { otherPages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_auth/sign-up')({
  head: titled(otherPages.signUp),
  component: SignUp,
});
