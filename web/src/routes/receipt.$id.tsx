import { createFileRoute, redirect } from '@tanstack/react-router';
import { isSignedIn } from '../api/session.ts';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { ReceiptPage } from '../payments/ReceiptPage.tsx';

/** Without the dashboard's layout, because it is for printing. */
export const Route = createFileRoute('/receipt/$id')({
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/sign-in', search: { redirect: location.href } });
  },
  // Loaded with the screen, because the first screen needs none of its calls.
  loader: async ({ context, params: { id } }) => {
    const { receiptOf } = await import('../payments/payments.ts');
    void context.queryClient.prefetchQuery(receiptOf(id));
  },
  head: titled(otherPages.receipt),
  component: ReceiptPage,
});
