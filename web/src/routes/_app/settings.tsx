import { createFileRoute } from '@tanstack/react-router';
import { Settings } from '../../accounts/settings/Settings.tsx';
import { pages } from '../../pages.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_app/settings')({
  // Loaded with the screen, because the first screen needs none of its calls.
  loader: async ({ context: { queryClient } }) => {
    const [{ branding, profile, secondFactors, sessions, twoFactor }, { linkDomains }] = await Promise.all([
      import('../../accounts/settings/settings.ts'),
      import('../../message-links/message-links.ts'),
    ]);
    void queryClient.prefetchQuery(profile);
    void queryClient.prefetchQuery(twoFactor);
    void queryClient.prefetchQuery(secondFactors);
    void queryClient.prefetchQuery(sessions);
    void queryClient.prefetchQuery(branding);
    void queryClient.prefetchQuery(linkDomains);
  },
  head: titled(pages.settings),
  component: Settings,
});
