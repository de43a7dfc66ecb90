import { createFileRoute, type SearchSchemaInput } from '@tanstack/react-router';
import { SignIn } from '../../accounts/SignIn.tsx';
import { titled } from '../../frame/title.ts';
import { otherPages } from '../../pages.ts';

interface Flags {
  reset?: boolean;
  ended?: boolean;
}

export const Route = createFileRoute('/_auth/sign-in')({
  /** `reset`: the password has just been changed; `ended`: the session has expired or was ended elsewhere */
  validateSearch: (raw: Flags & SearchSchemaInput): Flags => ({
    ...(String(raw.reset) === 'true' && { reset: true }),
    ...(String(raw.ended) === 'true' && { ended: true }),
  }),
  head: titled(otherPages.signIn),
  component: SignIn,
});
