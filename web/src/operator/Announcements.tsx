import { Button, NativeSelect, Textarea } from '@mantine/core';
import { getMe } from '@sixdigit/contract/accounts/accounts.ts';
import { momentOf } from '@sixdigit/contract/local-time.ts';
import {
  type Announcement,
  createAnnouncement,
  endAnnouncement,
  listAnnouncements,
} from '@sixdigit/contract/operator/announcements.ts';
import { IconPlus, IconSpeakerphone } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useAction } from '../api/action.ts';
import { call } from '../api/call.ts';
import { nowMs } from '../api/clock.ts';
import { FormDialog } from '../form/FormDialog.tsx';
import { DAY_MS, HOUR_MS, MomentInput } from '../form/MomentInput.tsx';
import { AnnouncementBanner, AnnouncementIcon } from '../frame/AppLayout.tsx';
import type { Compact } from '../table/CompactRow.tsx';
import { columnsOf } from '../table/columns.ts';
import { headingAction, ListScreen } from '../table/ListScreen.tsx';
import { useList } from '../table/list.ts';
import { Badge } from '../ui/Badge.tsx';
import { TONES } from '../ui/Banner.tsx';
import { format, longDate, shortDateTime, zoneName } from '../ui/dates.ts';
import { useOpened } from '../ui/opened.ts';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Time } from '../ui/Time.tsx';
import { announcementPage, useIsAdmin } from './operator.ts';
import { operatorPages } from './operator-pages.ts';
import { CellText, Line } from './Rows.tsx';
import { announcementSearch } from './searches.ts';

/** Banners on every customer screen. */
export function Announcements() {
  const list = useList(announcementSearch);
  const query = useQuery(announcementPage(list.search));
  const dialog = useOpened('dialog');
  const end = useAction({
    run: ({ id }: Announcement) => call(endAnnouncement, { params: { id } }),
    success: 'Announcement ended',
    failure: 'Failed to end the announcement',
    refresh: [listAnnouncements, getMe],
  });
  const isAdmin = useIsAdmin();
  const { columns, compact } = useMemo(() => {
    const onEnd = isAdmin ? end.mutate : undefined;
    return { columns: columnsWith(onEnd), compact: compactWith(onEnd) };
  }, [isAdmin, end.mutate]);
  const addButton = isAdmin ? (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      aria-label="Create Announcement"
      onClick={() => dialog.open('create')}
    >
      Create<span className="max-sm:hidden">&nbsp;Announcement</span>
    </Button>
  ) : null;
  return (
    <>
      <PageHeading title={operatorPages.announcements.title} actions={headingAction(list, query, addButton)}>
        Banners on every customer screen between their start and end.
      </PageHeading>
      <ListScreen
        label="Announcements"
        noun="announcement(s)"
        placeholder="Search announcements..."
        list={list}
        query={query}
        columns={columns}
        compact={compact}
        rowId={({ id }) => id}
        usualRows={3}
        failure="Failed to load the announcements"
        empty={{
          icon: <IconSpeakerphone size={24} />,
          title: 'No announcements',
          action: addButton,
          text: 'Announce maintenance or an incident before customers ask.',
          noMatch: 'No announcement matches the search.',
        }}
      />
      <AnnouncementDialog opened={dialog.opened === 'create'} onClose={dialog.close} />
    </>
  );
}

const STARTS = [
  { label: 'In an hour', ms: HOUR_MS },
  { label: 'In a day', ms: DAY_MS },
  { label: 'In 7 days', ms: 7 * DAY_MS },
];
const ENDS = [
  { label: 'In an hour', ms: HOUR_MS },
  { label: 'In 4 hours', ms: 4 * HOUR_MS },
  { label: 'In a day', ms: DAY_MS },
  { label: 'In 7 days', ms: 7 * DAY_MS },
];

/** Converts a date and time in the dashboard's time zone to ISO 8601. */
const isoOf = (local: string): string | undefined =>
  local === '' ? undefined : momentOf(local, zoneName()).toISOString();

/** A banner is one line, so line breaks become spaces. */
const oneLine = (text: string): string => text.replace(/\s*\n\s*/g, ' ');

const AnnouncementDialog = (dialog: { opened: boolean; onClose: () => void }) => (
  <FormDialog
    {...dialog}
    title="Create Announcement"
    description="Customers see it within 30 seconds of its start."
    confirm="Create Announcement"
    success="Announcement created"
    refresh={[listAnnouncements, getMe]}
    form={{
      schema: createAnnouncement.body,
      initialValues: { text: '', tone: 'info', starts_at: '', ends_at: '' },
      toBody: ({ text, tone, starts_at, ends_at }) => ({
        text: oneLine(text),
        tone,
        starts_at: isoOf(starts_at),
        ends_at: isoOf(ends_at) ?? null,
      }),
      submit: (body) => call(createAnnouncement, { body }),
      failure: 'Failed to create the announcement',
    }}
  >
    {({ field, fields }) => (
      <>
        <Textarea
          label="Text"
          autosize
          minRows={2}
          maxRows={4}
          autoComplete="off"
          data-autofocus
          {...field('text')}
        />
        <NativeSelect
          label="Tone"
          data={Object.entries(TONES).map(([value, label]) => ({ value, label }))}
          {...field('tone')}
        />
        <MomentInput label="From" otherwise="Now" presets={STARTS} {...field('starts_at')} />
        <MomentInput label="Until" otherwise="An operator ends it" presets={ENDS} {...field('ends_at')} />
        <Preview {...fields.values} />
      </>
    )}
  </FormDialog>
);

/** The banner as customers will see it. */
const Preview = ({ text, tone }: { text: string; tone: string }) => (
  <div className="grid gap-1.5">
    <span className="text-14 font-550">Preview</span>
    <div className="overflow-hidden rounded-8">
      <AnnouncementBanner label="Preview" tone={tone === 'warning' ? 'warning' : 'info'}>
        {text.trim() || 'Your text appears here.'}
      </AnnouncementBanner>
    </div>
  </div>
);

type OnEnd = ((announcement: Announcement) => void) | undefined;

const compactWith =
  (onEnd: OnEnd) =>
  (announcement: Announcement): Compact => ({
    title: (
      <>
        {announcement.text}
        <Line>{periodText(announcement)}</Line>
      </>
    ),
    isLong: true,
    details: [TONES[announcement.tone]],
    end: (
      <>
        <State announcement={announcement} />
        <EndButton announcement={announcement} onEnd={onEnd} />
      </>
    ),
  });

const clock = format({ hour: '2-digit', minute: '2-digit' });

/** 'Dec 3, 2026, 03:16 PM to 04:16 PM' */
function periodText({ starts_at, ends_at }: Announcement): string {
  const from = shortDateTime(starts_at);
  if (ends_at === null) return `From ${from} until an operator ends it`;
  // It was canceled before it started.
  if (ends_at <= starts_at) return from;
  const isSameDay = longDate(ends_at) === longDate(starts_at);
  return `${from} to ${isSameDay ? clock.format(new Date(ends_at)) : shortDateTime(ends_at)}`;
}

function State({ announcement }: { announcement: Announcement }) {
  const { is_shown, starts_at, ends_at } = announcement;
  if (is_shown) return <Badge tone="green">Active</Badge>;
  if (isPlanned(announcement)) return <Badge tone="blue">Scheduled</Badge>;
  return <Badge tone="gray">{ends_at !== null && ends_at <= starts_at ? 'Canceled' : 'Ended'}</Badge>;
}

const isPlanned = ({ starts_at, ends_at }: Announcement): boolean =>
  Date.parse(starts_at) > nowMs() && (ends_at === null || Date.parse(ends_at) > nowMs());

const EndButton = ({ announcement, onEnd }: { announcement: Announcement; onEnd: OnEnd }) =>
  onEnd && (announcement.is_shown || isPlanned(announcement)) ? (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`${announcement.is_shown ? 'End' : 'Cancel'} “${announcement.text}”`}
      onClick={() => onEnd(announcement)}
    >
      {announcement.is_shown ? 'End' : 'Cancel'}
    </Button>
  ) : null;

const column = columnsOf<Announcement>();
const columnsWith = (onEnd: OnEnd) =>
  column.columns([
    column.accessor('text', {
      header: 'Announcement',
      cell: ({ row: { original } }) => (
        <span className="flex items-start gap-2.5">
          <span
            className={`flex-none pt-0.5 ${original.tone === 'warning' ? 'text-orange' : 'text-ink-soft'}`}
          >
            <AnnouncementIcon tone={original.tone} />
          </span>
          <CellText>
            {original.text}
            <small>{TONES[original.tone]}</small>
          </CellText>
        </span>
      ),
    }),
    column.accessor('is_shown', {
      header: 'State',
      meta: { width: '7rem' },
      cell: ({ row: { original } }) => <State announcement={original} />,
    }),
    column.accessor('starts_at', {
      header: 'From',
      meta: { isSortable: true, width: '11.75rem' },
      cell: ({ getValue }) => <Time at={getValue()} />,
    }),
    column.accessor('ends_at', {
      header: 'Until',
      meta: { width: '11.75rem' },
      cell: ({ row: { original } }) =>
        original.ends_at === null || original.ends_at <= original.starts_at ? (
          '–'
        ) : (
          <Time at={original.ends_at} />
        ),
    }),
    column.display({
      id: 'end',
      header: 'Actions',
      meta: { isAction: true, align: 'right', width: '6rem' },
      cell: ({ row: { original } }) => <EndButton announcement={original} onEnd={onEnd} />,
    }),
  ]);
