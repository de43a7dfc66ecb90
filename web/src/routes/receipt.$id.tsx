import { createFileRoute, redirect } from '@tanstack/react-router';
import { isSignedIn } from '../api/session.ts';
import { otherPages } from '../pages.ts';
import { receiptOf } from '../payments/payments.ts';
import { ReceiptPage } from '../payments/ReceiptPage.tsx';
import { titled } from '../shell/title.ts';

/** Without the dashboard's layout, because it is for printing. */
export const Route = createFileRoute('/receipt/$id')({
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/sign-in', search: { redirect: location.href } });
  },
  loader: ({ context, params: { id } }) => {
    void context.queryClient.prefetchQuery(receiptOf(id));
  },
  head: titled(otherPages.receipt),
  component: ReceiptPage,
});
