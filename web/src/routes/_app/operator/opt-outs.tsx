import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { OptOuts } from '../../../operator/carriers/OptOuts.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';

export const Route = createFileRoute('/_app/operator/opt-outs')({
  head: titled(operatorPages.optOuts),
  component: OptOuts,
});
