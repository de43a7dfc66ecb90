import { createFileRoute } from '@tanstack/react-router';
import { AuthLayout } from '../accounts/AuthLayout.tsx';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { Unblock } from '../protection/Unblock.tsx';

/** Where mails about blocked destinations link to. Open to everybody: the token is the proof. */
export const Route = createFileRoute('/protection/unblock')({
  validateSearch: ({ token }: Record<string, unknown>) => ({ token: typeof token === 'string' ? token : '' }),
  head: titled(otherPages.unblock),
  component: () => (
    <AuthLayout>
      <Unblock />
    </AuthLayout>
  ),
});
