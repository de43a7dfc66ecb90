import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../../../frame/title.ts';
import { Announcements } from '../../../operator/Announcements.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { announcementSearch } from '../../../operator/searches.ts';
import { withOpened } from '../../../ui/opened.ts';

export const Route = createFileRoute('/_app/operator/announcements')({
  ...withOpened(announcementSearch.routing, 'dialog'),
  head: titled(operatorPages.announcements),
  component: Announcements,
});
