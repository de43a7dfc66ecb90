import { createFileRoute } from '@tanstack/react-router';
import { AccountBlocks } from '../../../operator/accounts/AccountBlocks.tsx';

export const Route = createFileRoute('/_app/operator/accounts_/$id/blocks')({
  component: AccountBlocks,
});
