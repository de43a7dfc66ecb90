import { createFileRoute, type SearchSchemaInput } from '@tanstack/react-router';
import { SignIn } from '../../accounts/SignIn.tsx';
import { otherPages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_auth/sign-in')({
  /** `reset`: the password has just been changed */
  validateSearch: (raw: { reset?: boolean } & SearchSchemaInput): { reset?: boolean } =>
    String(raw.reset) === 'true' ? { reset: true } : {},
  head: titled(otherPages.signIn),
  component: SignIn,
});
