import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../frame/title.ts';
import { pages } from '../../pages.ts';
import { Protection } from '../../protection/Protection.tsx';

export const Route = createFileRoute('/_app/protection')({
  // Loaded with the screen, because its calls are large and the first screen needs none of them.
  loader: async ({ context: { queryClient } }) => {
    const { blocks, protectionSettings, spending } = await import('../../protection/protection.ts');
    void queryClient.prefetchQuery(protectionSettings);
    void queryClient.prefetchQuery(blocks);
    void queryClient.prefetchQuery(spending);
  },
  head: titled(pages.protection),
  component: Protection,
});
