import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { Settings } from '../../../operator/settings/Settings.tsx';

export const Route = createFileRoute('/_app/operator/settings')({
  head: titled(operatorPages.settings),
  component: Settings,
});
