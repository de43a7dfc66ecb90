import { createFileRoute } from '@tanstack/react-router';
import { pages } from '../../pages.ts';
import { Protection } from '../../protection/Protection.tsx';
import { blocks, protectionSettings, spending } from '../../protection/protection.ts';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_app/protection')({
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(protectionSettings);
    void queryClient.prefetchQuery(blocks);
    void queryClient.prefetchQuery(spending);
  },
  head: titled(pages.protection),
  component: Protection,
});
