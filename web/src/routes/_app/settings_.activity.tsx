import { createFileRoute } from '@tanstack/react-router';
import { Activity } from '../../audit/Activity.tsx';
import { auditPage, auditSearch } from '../../audit/audit.ts';
import { otherPages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_app/settings_/activity')({
  ...auditSearch.routing,
  loaderDeps: ({ search }) => search,
  loader: ({ context: { queryClient }, deps }) => {
    void queryClient.prefetchQuery(auditPage(deps));
  },
  head: titled(otherPages.activity),
  component: Activity,
});
