import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Carriers } from '../../../operator/carriers/Carriers.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';

export const Route = createFileRoute('/_app/operator/carriers')({
  head: titled(operatorPages.carriers),
  component: Carriers,
});
