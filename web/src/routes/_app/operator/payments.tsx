import { createFileRoute } from '@tanstack/react-router';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Payments } from '../../../operator/Payments.tsx';
import { purchaseSearch } from '../../../operator/searches.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/payments')({
  ...purchaseSearch.routing,
  head: titled(operatorPages.payments),
  component: Payments,
});
