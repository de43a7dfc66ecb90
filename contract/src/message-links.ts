import { z } from 'zod';
import { id, optionalTime, requiredText, time } from './field.ts';
import { route } from './route.ts';
import { wholeText } from './viewer-texts.ts';

export const MESSAGE_LINKS = ['any', 'listed'] as const;
export const MESSAGE_DOMAINS_MAX = 20;
/** A verified record is looked up again after this time. */
export const PROOF_DAYS = 7;
/** How long a domain stays verified after its record is gone. */
export const GRACE_DAYS = 7;

export const DOMAIN_PROBLEMS = ['record_missing', 'record_differs', 'dns_unavailable'] as const;

export const MessageDomain = z.object({
  id,
  domain: wholeText.meta({ description: 'In lower case and punycode; its subdomains are included' }),
  status: z.enum(['pending', 'verified', 'lapsing']).meta({
    description: `lapsing: the record was missing at the last check; links are allowed until lapses_at`,
  }),
  record_name: wholeText.meta({ description: 'The name of the DNS record' }),
  record_value: wholeText.meta({ description: 'The value of the TXT record' }),
  problem: z.enum(DOMAIN_PROBLEMS).nullable().meta({ description: 'The problem that the last check found' }),
  checked_at: optionalTime,
  verified_at: optionalTime,
  lapses_at: optionalTime,
  created_at: time,
});
export type MessageDomain = z.infer<typeof MessageDomain>;

const own = { tag: 'account', auth: 'bearer' } as const;

export const listMessageDomains = route('GET /message-domains/', {
  ...own,
  name: 'listMessageDomains',
  summary: 'Domains that messages may link to',
  description:
    'With `links: listed`, custom messages, subjects and the default message can link only to verified domains in this list.',
  reply: z.object({
    results: z.array(MessageDomain),
    count: z.number().int(),
    links: z.enum(MESSAGE_LINKS).meta({ description: 'any: every link is allowed' }),
  }),
});

export const addMessageDomain = route('POST /message-domains/', {
  ...own,
  name: 'addMessageDomain',
  summary: 'Add a domain',
  description: `Messages can link to the domain once its TXT record is verified. Public suffixes, such as co.uk, are refused. An account can list ${MESSAGE_DOMAINS_MAX} domains.`,
  body: z.object({ domain: requiredText().max(300, 'The domain is too long.') }),
  status: 201,
  reply: MessageDomain,
});

export const verifyMessageDomain = route('POST /message-domains/:id/verify/', {
  ...own,
  name: 'verifyMessageDomain',
  summary: 'Look up the TXT record of a domain',
  description: `The response has the new status. A verified record is looked up again every ${PROOF_DAYS} days; if the record is removed, the domain stays verified for ${GRACE_DAYS} more days.`,
  reply: MessageDomain,
  failures: ['not_found', 'too_many_requests'],
});

export const removeMessageDomain = route('DELETE /message-domains/:id/', {
  ...own,
  name: 'removeMessageDomain',
  stepUp: true,
  summary: 'Remove a domain',
  failures: ['not_found'],
});
