import { createFileRoute } from '@tanstack/react-router';
import { Settings } from '../../accounts/settings/Settings.tsx';
import { branding, profile, secondFactors, sessions, twoFactor } from '../../accounts/settings/settings.ts';
import { pages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_app/settings')({
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(profile);
    void queryClient.prefetchQuery(twoFactor);
    void queryClient.prefetchQuery(secondFactors);
    void queryClient.prefetchQuery(sessions);
    void queryClient.prefetchQuery(branding);
  },
  head: titled(pages.settings),
  component: Settings,
});
