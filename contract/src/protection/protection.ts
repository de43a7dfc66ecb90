import { z } from 'zod';
import { optionalTime, REQUIRED } from '../field.ts';
import { route } from '../route.ts';
import { BACK_TEST_DAYS, BackTest, BackTestBody } from './back-test.ts';
import { DestinationBody, DestinationCheck } from './destination-check.ts';
import { Block, LIST_KINDS, LISTS, ListEntryBody, Protection, ProtectionBody } from './shapes.ts';
import { CAMPAIGNS, WORST_DAYS_PER_HOUR, WorstDay, WorstDayBody } from './worst-day.ts';

export * from './back-test.ts';
export * from './decisions.ts';
export * from './destination-check.ts';
export * from './known.ts';
export * from './lookups.ts';
export * from './rules.ts';
export * from './shapes.ts';
export * from './worst-day.ts';

const bearer = { tag: 'protection', auth: 'bearer' } as const;

export const getProtection = route('GET /protection/', {
  ...bearer,
  name: 'getProtection',
  summary: 'Rules and lists that protect the account from fraudulent destinations',
  reply: Protection,
});

export const updateProtection = route('PUT /protection/', {
  ...bearer,
  name: 'updateProtection',
  stepUp: { when: 'the request has rules, lists, lookups, known_days or require_proof' },
  summary: 'Change rules and lists; omitted ones stay unchanged',
  body: ProtectionBody,
  reply: Protection,
});

export const listBlocks = route('GET /protection/blocks/', {
  ...bearer,
  name: 'listBlocks',
  summary: 'Blocks of the last 24 hours, by rule, prefix, country and client',
  reply: z.object({
    results: z.array(Block).meta({ description: 'The 100 most frequent, latest first' }),
    blocked: z.number().int(),
    monitored: z.number().int(),
  }),
});

export const allowDestination = route('POST /protection/allow/', {
  ...bearer,
  name: 'allowDestination',
  summary: 'Add an entry to the allow list and end the blocks that it covers',
  stepUp: true,
  body: ListEntryBody,
  reply: Protection,
});

export const denyDestination = route('POST /protection/deny/', {
  ...bearer,
  name: 'denyDestination',
  stepUp: true,
  summary: 'Add an entry to the deny list',
  body: ListEntryBody,
  reply: Protection,
});

export const removeListEntry = route('POST /protection/remove/', {
  ...bearer,
  name: 'removeListEntry',
  summary: 'Remove an entry from the allow or the deny list',
  description: 'Removing an entry that is not on the list is not an error.',
  stepUp: true,
  body: z.object({
    list: z.enum(LISTS, { error: `List must be one of: ${LISTS.join(', ')}.` }),
    kind: ListEntryBody.shape.kind,
    value: ListEntryBody.shape.value,
  }),
  reply: Protection,
});

export const checkOwnDestination = route('POST /protection/check/', {
  ...bearer,
  name: 'checkOwnDestination',
  summary: 'Check whether a send would be accepted now, and why; the same as POST /otp/check-destination/',
  body: DestinationBody,
  reply: DestinationCheck,
});

export const backTestRule = route('POST /protection/back-test/', {
  ...bearer,
  name: 'backTestRule',
  summary: 'Test thresholds of a rule on past sends',
  description: `Replays the accepted sends of the last ${BACK_TEST_DAYS} days against the rule in mode enforce, with the other rules and the lists as saved. Sends that were refused at the time are not part of the history, and a blocked user’s next attempt is unknown. Changes nothing. An account has one back-test at a time.`,
  body: BackTestBody,
  reply: BackTest,
  failures: ['list_timeout'],
});

export const playWorstDay = route('POST /protection/worst-day/', {
  ...bearer,
  name: 'playWorstDay',
  summary: 'Play the worst day of fraud against the account’s settings',
  description: `Simulates a day of each of ${CAMPAIGNS.length} campaigns against the account’s rules, prices and limits, with users like those of its last ${BACK_TEST_DAYS} days, in virtual time and through the code that decides real sends. Sends and changes nothing. An account plays one day at a time, at most ${WORST_DAYS_PER_HOUR} an hour.`,
  body: WorstDayBody,
  reply: WorstDay,
  failures: ['list_timeout'],
});

export const unblockDestination = route('POST /protection/unblock/', {
  name: 'unblockDestination',
  tag: 'protection',
  auth: 'none',
  summary: 'Allow a blocked prefix or country by the link in an email',
  description:
    'The token in the link authorizes the call. It allows only that prefix or country, and expires seven days after the email.',
  body: z.object({ token: z.string().trim().min(1, REQUIRED).max(1_000, 'Token is too long.') }),
  reply: z.object({
    kind: z.enum(LIST_KINDS),
    value: z.string(),
    expires_at: optionalTime,
  }),
  failures: ['invalid_unblock_link'],
});
