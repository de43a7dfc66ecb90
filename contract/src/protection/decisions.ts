import { z } from 'zod';
import { countryCode, id, keyFilter, time } from '../field.ts';
import { createdAfter, createdBefore, EXPORT_DESCRIPTION, exportQuery, listOf, listQuery } from '../list.ts';
import { route } from '../route.ts';
import { wholeText } from '../viewer-texts.ts';
import { RuleFinding } from './destination-check.ts';
import { BLOCKERS } from './rules.ts';

/** The number of days after which a decision is removed. */
export const DECISION_DAYS = 30;
/** Rows of an account in an hour, in each process. Further sends are summed by rule. */
export const DECISIONS_PER_HOUR = 300;

/** challenged: the sends needed a proof of work. passed: a rule would have refused the sends, but they were exempt. */
export const DECISION_OUTCOMES = ['blocked', 'challenged', 'monitored', 'passed'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];
export const EXEMPTIONS = ['known', 'allow_list', 'proof', 'no_lookup'] as const;

const base = { tag: 'protection', auth: 'bearer' } as const;

export const DestinationDecision = z.object({
  id,
  created_at: time.meta({ description: 'The first of the sends' }),
  last_at: time,
  sends: z.number().int().meta({ description: 'Like sends of that minute' }),
  outcome: z.enum(DECISION_OUTCOMES),
  rule: z.enum(BLOCKERS).meta({ description: 'The first rule that objected' }),
  exemption: z.enum(EXEMPTIONS).nullable().meta({
    description:
      'Why a rule did not apply: the recipient was known, the destination allowed, the send had a proof of work, or the look-up gave no answer',
  }),
  findings: z
    .array(RuleFinding)
    .meta({ description: 'Every rule that objected, with its figures at the first of the sends' }),
  strictest: z.boolean().nullable().meta({
    description:
      'Whether the account’s rules would have blocked the send with mode enforce and the strictest thresholds; null: not evaluated',
  }),
  loosest: z.boolean().nullable().meta({ description: 'The same with the loosest thresholds' }),
  api_key_id: id.nullable(),
  prefix: wholeText.nullable().meta({
    description: 'The number without its last four digits; null: sums of sends beyond the rows of an hour',
  }),
  country: z.string().nullable(),
  client: wholeText
    .nullable()
    .meta({ description: 'The end user’s address (IPv6: its /64 network), for the rules on clients' }),
});
export type DestinationDecision = z.infer<typeof DestinationDecision>;

export const listDecisions = route('GET /protection/decisions/', {
  ...base,
  name: 'listDecisions',
  summary: 'Sends about which a rule objected, with the rules and their figures',
  description: `Like sends of a minute are one row: the same key, prefix, outcome and rule, and for the rules on clients the same client. Rows are kept for ${DECISION_DAYS} days. Beyond ${DECISIONS_PER_HOUR} rows in an hour, sends are summed by outcome and rule.`,
  query: listQuery(['created_at', 'sends'], '-created_at').extend({
    outcome: z
      .enum(DECISION_OUTCOMES, { error: `Outcome must be one of: ${DECISION_OUTCOMES.join(', ')}.` })
      .optional(),
    rule: z
      .enum(BLOCKERS, { error: `Rule must be one of: ${BLOCKERS.join(', ')}.` })
      .optional()
      .meta({ description: 'Any of the rules that objected' }),
    country: countryCode.optional(),
    prefix: z
      .string()
      .trim()
      .regex(
        /^[+ ]?\d{1,15}$/,
        'Enter the first digits of phone numbers with the country code, such as +1415555.',
      )
      .overwrite((text) => `+${text.replace(/^[+ ]/, '')}`)
      .optional()
      .meta({ description: 'The first digits, with the country code' }),
    client: z
      .string()
      .trim()
      .regex(/^[\da-f.:/]{1,64}$/i, 'Enter an IP address or a network, such as 203.0.113.7.')
      .optional(),
    api_key: keyFilter,
    created_after: createdAfter.optional(),
    created_before: createdBefore.optional(),
  }),
  reply: listOf(DestinationDecision),
  failures: ['list_timeout'],
});

export const exportDecisions = route('GET /protection/decisions/export/', {
  ...base,
  name: 'exportDecisions',
  summary: 'Decisions as CSV',
  description: EXPORT_DESCRIPTION,
  query: exportQuery(listDecisions.query),
  stream: 'text/csv',
  failures: ['list_timeout', 'export_limit_reached'],
});

export const getDecisionFigures = route('GET /protection/decisions/figures/', {
  ...base,
  name: 'getDecisionFigures',
  summary: `Sends of the last ${DECISION_DAYS} days about which a rule objected, by day`,
  reply: z.object({
    days: z.array(
      z.object({
        day: z.string().meta({ format: 'date' }),
        blocked: z.number().int(),
        challenged: z.number().int(),
        monitored: z.number().int(),
        passed: z.number().int(),
      }),
    ),
  }),
  failures: ['list_timeout'],
});
