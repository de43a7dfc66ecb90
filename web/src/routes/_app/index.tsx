import { createFileRoute } from '@tanstack/react-router';
import { apiKeyChoices } from '../../api-keys/api-keys.ts';
import { titled } from '../../frame/title.ts';
import { Verifications } from '../../otp/Verifications.tsx';
import { newestVerification, verificationPage, verificationSearch } from '../../otp/verifications.ts';
import { pages } from '../../pages.ts';
import { withOpened } from '../../ui/opened.ts';

export const Route = createFileRoute('/_app/')({
  ...withOpened(withOpened(verificationSearch.routing, 'otp'), 'dialog'),
  loaderDeps: ({ search: { otp: _, dialog: __, ...list } }) => list,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(verificationPage(deps));
    void queryClient.prefetchQuery(apiKeyChoices);
    void queryClient.prefetchQuery(newestVerification());
  },
  head: titled(pages.verifications),
  component: Verifications,
});
