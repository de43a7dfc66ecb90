import { createFileRoute } from '@tanstack/react-router';
import { Announcements } from '../../../operator/Announcements.tsx';
import { operatorPages } from '../../../operator/operator-pages.ts';
import { announcementSearch } from '../../../operator/searches.ts';
import { titled } from '../../../shell/title.ts';
import { withOpened } from '../../../table/opened.ts';

export const Route = createFileRoute('/_app/operator/announcements')({
  ...withOpened(announcementSearch.routing, 'dialog'),
  head: titled(operatorPages.announcements),
  component: Announcements,
});
