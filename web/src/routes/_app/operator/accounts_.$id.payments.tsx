import { createFileRoute } from '@tanstack/react-router';
import { AccountPayments } from '../../../operator/accounts/AccountPayments.tsx';
import { transactionSearch } from '../../../payments/transaction-search.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/payments')({
  ...transactionSearch.routing,
  component: AccountPayments,
});
