import { Button } from '@mantine/core';
import { failures } from '@sixdigit/contract/errors.ts';
import { unblockDestination } from '@sixdigit/contract/protection/protection.ts';
import { useMutation } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { AuthLayout } from '../accounts/AuthLayout.tsx';
import { call, sentence } from '../api/call.ts';
import { otherPages } from '../pages.ts';
import { countryName } from '../ui/display-names.ts';
import { ErrorAlert } from '../ui/ErrorAlert.tsx';
import { PageLink } from '../ui/links.tsx';

const route = getRouteApi('/protection/unblock');

/** Allows one blocked prefix or country. Requires a click, because mail scanners open links. */
export const Unblock = () => (
  <AuthLayout>
    <Allowing />
  </AuthLayout>
);

function Allowing() {
  const { token } = route.useSearch();
  const unblock = useMutation({ mutationFn: () => call(unblockDestination, { body: { token } }) });
  if (unblock.data)
    return (
      <>
        <h1>Destination allowed</h1>
        <p className="mt-0 mb-6 text-ink-soft">
          Codes to <strong>{destinationOfToken(token) ?? unblock.data.value}</strong> are sent again. You can
          undo this in the allow list.
        </p>
        <ToProtection />
      </>
    );
  const destination = destinationOfToken(token);
  if (destination === undefined)
    return (
      <>
        <h1>{otherPages.unblock.title}</h1>
        <ErrorAlert problem={failures.invalid_unblock_link.error} />
        <ToProtection />
      </>
    );
  return (
    <>
      <h1>{otherPages.unblock.title}</h1>
      <p className="mt-0 mb-6 text-ink-soft">
        Codes to <strong>{destination}</strong> look like fraud and are blocked. If your own users asked for
        them, allow the destination: your rules then no longer block it.
      </p>
      <ErrorAlert
        problem={unblock.error ? sentence(unblock.error, 'Failed to allow the destination') : undefined}
      />
      <Button fullWidth loading={unblock.isPending} onClick={() => unblock.mutate()}>
        Allow
      </Button>
      <ToProtection />
    </>
  );
}

const ToProtection = () => (
  <p className="mt-6 mb-0 text-center text-ink-soft">
    <PageLink to="/protection" replace>
      Open Protection
    </PageLink>
  </p>
);

/**
 * Describes the destination that an emailed link allows: 'numbers that begin with +1415555'. The token's first part is the
 * base64url of account, kind, value and expiry. Only the server checks its signature. Undefined if the token is incomplete.
 */
export function destinationOfToken(token: string): string | undefined {
  const [, kind, value] = decoded(token.split('.')[0] ?? '').split(' ');
  if (kind === 'prefix' && value && /^\+\d+$/.test(value)) return `numbers that begin with ${value}`;
  if (kind === 'country' && value && /^[A-Z]{2}$/.test(value)) return `numbers of ${countryName(value)}`;
  return undefined;
}

function decoded(base64url: string): string {
  try {
    return atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return '';
  }
}
