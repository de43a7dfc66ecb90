import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { Settings } from '../../settings/Settings.tsx';

export const Route = createFileRoute('/_app/settings')({
  // Loaded with the screen, because the first screen needs none of its calls.
  loader: async ({ context: { queryClient } }) => {
    const [{ branding, profile, secondFactors, sessions, twoFactor }, { linkDomains }] = await Promise.all([
      import('../../settings/settings.ts'),
      import('../../settings/message-links/message-links.ts'),
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
