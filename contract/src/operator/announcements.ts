import { z } from 'zod';
import { headerText, headerTextMessage, id, optionalTime, requiredText, time } from '../field.ts';
import { listOf, listQuery } from '../list.ts';
import { moment } from '../moment.ts';
import { adminRoute, supportRoute } from './operator.ts';

export const ANNOUNCEMENT_TONES = ['info', 'warning'] as const;
export const Announcement = z.object({
  id,
  text: z.string(),
  tone: z.enum(ANNOUNCEMENT_TONES),
  starts_at: time,
  ends_at: optionalTime,
  created_at: time,
  created_by: z.string(),
  is_shown: z.boolean(),
});
export type Announcement = z.infer<typeof Announcement>;

const announcedAt = moment('Please enter a date and time');

export const listAnnouncements = supportRoute('announcements:read', 'GET /operator/announcements/', {
  name: 'listAnnouncements',
  summary: 'Announcements, including ended ones',
  query: listQuery(['created_at', 'starts_at'], '-created_at'),
  reply: listOf(Announcement),
});
export const createAnnouncement = adminRoute('announcements:write', 'POST /operator/announcements/', {
  name: 'createAnnouncement',
  summary: 'Show a banner on every customer screen',
  body: z
    .object({
      text: requiredText('Please enter a text')
        .max(300, 'Text must be at most 300 characters')
        .refine(headerText, headerTextMessage('Text')),
      tone: z.enum(ANNOUNCEMENT_TONES, { error: 'Tone must be info or warning.' }).default('info'),
      starts_at: announcedAt.optional().meta({ description: 'Default: now' }),
      ends_at: announcedAt.nullable().default(null).meta({ description: 'null: until an operator ends it' }),
    })
    .refine(
      ({ starts_at, ends_at }) =>
        starts_at === undefined || ends_at === null || Date.parse(ends_at) > Date.parse(starts_at),
      { message: 'The end must be after the start', path: ['ends_at'] },
    ),
  status: 201,
  reply: Announcement,
});
export const endAnnouncement = adminRoute('announcements:write', 'POST /operator/announcements/:id/end/', {
  name: 'endAnnouncement',
  summary: 'End an announcement now',
  reply: Announcement,
});
