import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Payments } from '../../../operator/payments/Payments.tsx';
import { purchaseSearch } from '../../../operator/searches.ts';

export const Route = createFileRoute('/_app/operator/payments')({
  ...purchaseSearch.routing,
  head: titled(operatorPages.payments),
  component: Payments,
});
