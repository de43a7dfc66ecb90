import { createFileRoute } from '@tanstack/react-router';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Settings } from '../../../operator/Settings.tsx';
import { titled } from '../../../shell/title.ts';

export const Route = createFileRoute('/_app/operator/settings')({
  head: titled(operatorPages.settings),
  component: Settings,
});
