import { createFileRoute, redirect } from '@tanstack/react-router';
import { isSignedIn } from '../api/session.ts';
import { receiptOf } from '../payments/payments.ts';
import { ReceiptPage } from '../payments/ReceiptPage.tsx';
import { titled } from '../shell/title.ts';

/** Outside the frame of the other screens: it is made for paper. */
export const Route = createFileRoute('/receipt/$id')({
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/sign-in', search: { redirect: location.href } });
  },
  loader: ({ context, params: { id } }) => {
    void context.queryClient.prefetchQuery(receiptOf(id));
  },
  head: titled('Receipt'),
  component: ReceiptPage,
});
