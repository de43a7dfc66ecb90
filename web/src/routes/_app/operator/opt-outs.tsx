import { createFileRoute } from '@tanstack/react-router';
import { OptOuts } from '../../../operator/OptOuts.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/opt-outs')({
  head: titled(operatorPages.optOuts),
  component: OptOuts,
});
