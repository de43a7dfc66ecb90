import { createFileRoute, redirect } from '@tanstack/react-router';
import { currentUser } from '../accounts/current-user.ts';
import { isSignedIn } from '../api/session.ts';
import { AppLayout } from '../frame/AppLayout.tsx';

/** The signed-in area. Redirects others to /sign-in and back to the requested page afterwards. */
export const Route = createFileRoute('/_app')({
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/sign-in', search: { redirect: location.href } });
  },
  loader: ({ context }) => {
    void context.queryClient.prefetchQuery(currentUser);
  },
  component: AppLayout,
});
