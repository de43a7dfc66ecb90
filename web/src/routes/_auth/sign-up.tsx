import { createFileRoute } from '@tanstack/react-router';
import { SignUp } from '../../accounts/SignUp.tsx';
import { titled } from '../../frame/title.ts';
import { otherPages } from '../../pages.ts';

export const Route = createFileRoute('/_auth/sign-up')({
  head: titled(otherPages.signUp),
  component: SignUp,
});
