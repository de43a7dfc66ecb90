import { z } from 'zod';
import { optionalTime, REQUIRED } from '../field.ts';
import { route } from '../route.ts';
import {
  Block,
  DestinationBody,
  DestinationCheck,
  LIST_KINDS,
  LISTS,
  ListEntryBody,
  Protection,
  ProtectionBody,
} from './shapes.ts';

export * from './rules.ts';
export * from './shapes.ts';

const bearer = { tag: 'protection', auth: 'bearer' } as const;

export const getProtection = route({
  ...bearer,
  name: 'getProtection',
  method: 'GET',
  path: '/protection/',
  summary: 'Rules and lists that protect the account from fraudulent destinations',
  status: 200,
  reply: Protection,
});

export const updateProtection = route({
  ...bearer,
  name: 'updateProtection',
  method: 'PUT',
  path: '/protection/',
  stepUp: { when: 'the request has rules or lists' },
  summary: 'Change rules and lists; omitted ones stay unchanged',
  body: ProtectionBody,
  status: 200,
  reply: Protection,
});

export const listBlocks = route({
  ...bearer,
  name: 'listBlocks',
  method: 'GET',
  path: '/protection/blocks/',
  summary: 'What was blocked in the last 24 hours, by rule, prefix, country and client',
  status: 200,
  reply: z.object({
    results: z.array(Block).meta({ description: 'The 100 most frequent, latest first' }),
    blocked: z.number().int(),
    monitored: z.number().int(),
  }),
});

export const allowDestination = route({
  ...bearer,
  name: 'allowDestination',
  method: 'POST',
  path: '/protection/allow/',
  summary: 'Add an entry to the allow list and end the blocks that it covers',
  stepUp: true,
  body: ListEntryBody,
  status: 200,
  reply: Protection,
});

export const denyDestination = route({
  ...bearer,
  name: 'denyDestination',
  method: 'POST',
  path: '/protection/deny/',
  summary: 'Add an entry to the deny list',
  body: ListEntryBody,
  status: 200,
  reply: Protection,
});

export const removeListEntry = route({
  ...bearer,
  name: 'removeListEntry',
  method: 'POST',
  path: '/protection/remove/',
  summary: 'Remove an entry from the allow or the deny list',
  description: 'An entry that is not on the list is no error.',
  stepUp: { when: 'the entry leaves the deny list' },
  body: z.object({
    list: z.enum(LISTS, { error: `List must be one of: ${LISTS.join(', ')}.` }),
    kind: ListEntryBody.shape.kind,
    value: ListEntryBody.shape.value,
  }),
  status: 200,
  reply: Protection,
});

export const checkOwnDestination = route({
  ...bearer,
  name: 'checkOwnDestination',
  method: 'POST',
  path: '/protection/check/',
  summary: 'What would happen to a send now, and why; the same as POST /otp/check-destination/',
  body: DestinationBody,
  status: 200,
  reply: DestinationCheck,
});

export const checkDestination = route({
  name: 'checkDestination',
  tag: 'otp',
  method: 'POST',
  path: '/otp/check-destination/',
  auth: 'api_key',
  scope: 'otp:read',
  summary: 'Check whether a destination is blocked, without sending',
  description:
    'Free. Decides as a send with the account’s default message would be decided now, in its order: opt-out, rules on destinations, limits of the recipient, spend limits, credits. Returns every rule that is on, with its numbers. Nothing is counted. Invalid input is refused as the send refuses it.',
  body: DestinationBody,
  status: 200,
  reply: DestinationCheck,
  failures: ['rate_limited'],
});

export const unblockDestination = route({
  name: 'unblockDestination',
  tag: 'protection',
  method: 'POST',
  path: '/protection/unblock/',
  auth: 'none',
  summary: 'Follow the link of a mail about a block: allow its prefix or country',
  description:
    'The token of the link is the proof. It allows that one prefix or country and nothing else, for seven days after the mail.',
  body: z.object({ token: z.string().trim().min(1, REQUIRED).max(1_000, 'Token is too long.') }),
  status: 200,
  reply: z.object({
    kind: z.enum(LIST_KINDS),
    value: z.string(),
    expires_at: optionalTime,
  }),
  failures: ['invalid_unblock_link'],
});
