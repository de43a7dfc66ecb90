import { createFileRoute, Outlet, redirect, type SearchSchemaInput } from '@tanstack/react-router';
import { AuthLayout, SiteDataBlocked } from '../accounts/AuthLayout.tsx';
import { isSignedIn, pathOfThisOrigin } from '../api/session.ts';
import { isSiteDataBlocked } from '../api/site-data.ts';

/** The signed-out area. Redirects signed-in visitors to / or to the `redirect` parameter. */
export const Route = createFileRoute('/_auth')({
  validateSearch: (raw: { redirect?: string } & SearchSchemaInput): { redirect?: string } =>
    typeof raw.redirect === 'string' ? { redirect: pathOfThisOrigin(raw.redirect) } : {},
  beforeLoad: ({ search }) => {
    if (isSignedIn()) throw redirect({ href: search.redirect ?? '/' });
  },
  component: () => <AuthLayout>{isSiteDataBlocked() ? <SiteDataBlocked /> : <Outlet />}</AuthLayout>,
});
