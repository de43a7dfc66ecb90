import { createFileRoute } from '@tanstack/react-router';
import { AccountVerifications } from '../../../operator/accounts/AccountVerifications.tsx';
import { verificationSearch } from '../../../otp/verifications.ts';

export const Route = createFileRoute('/_app/operator/accounts_/$id/verifications')({
  ...verificationSearch.routing,
  component: AccountVerifications,
});
