import { createFileRoute } from '@tanstack/react-router';
import { Carriers } from '../../../operator/Carriers.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/carriers')({
  head: titled(operatorPages.carriers),
  component: Carriers,
});
