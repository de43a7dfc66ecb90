import { z } from 'zod';
import { moment, momentIn } from './moment.ts';

const PAGE_SIZE = 10;

const wholeNumber = (message: string) => z.coerce.number({ error: message }).int(message);

/** `-created_at` sorts in descending order. */
export const ordering = <const F extends readonly [string, ...string[]]>(fields: F) =>
  z.enum(fields.flatMap((field) => [field, `-${field}`]) as [F[number] | `-${F[number]}`], {
    error: `Order by one of: ${fields.join(', ')}; a leading - sorts in descending order.`,
  });

/** The common query of all lists. Pages count from 1; a page past the end is empty. */
export const listQuery = <const F extends readonly [string, ...string[]]>(
  orderings: F,
  byDefault: NoInfer<F[number] | `-${F[number]}`>,
) =>
  z.object({
    page: wholeNumber('Page must be a whole number from 1.')
      .min(1, 'Page must be a whole number from 1.')
      .max(10_000_000, 'Page is too large.')
      .default(1),
    page_size: wholeNumber('Page size must be a whole number from 1 to 100.')
      .min(1, 'Page size must be a whole number from 1 to 100.')
      .max(100, 'Page size must be a whole number from 1 to 100.')
      .default(PAGE_SIZE),
    search: z
      .string({ error: 'Search must be given only once.' })
      .trim()
      .max(200, 'Search must be at most 200 characters.')
      .refine((text) => !text.includes('\0'), 'Search must be plain text.')
      .default(''),
    ordering: ordering(orderings).default(byDefault as never),
  });

/** One page and the exact number of matches. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ results: z.array(item), count: z.number().int() });

/** How a response counts lists of millions of rows. Only a wide search is slow to count, because the count reads every row. */
export const countMode = z
  .enum(['exact', 'later', 'only'], { error: 'Count must be one of: exact, later, only.' })
  .default('exact')
  .meta({
    description:
      'exact: `count` is the number of matches. later: if a search has more than 20,000 matches, `count` is null and `at_least` is the number of matches found so far. only: the exact count without rows.',
  });

export type CountMode = z.infer<typeof countMode>;

/** Like `listOf`, but the count can be missing, depending on `countMode`. */
export const countedListOf = <T extends z.ZodType>(item: T) =>
  z.object({
    results: z.array(item),
    count: z.number().int().nullable().meta({ description: 'Null only in a response to `count=later`' }),
    at_least: z.number().int().optional().meta({ description: 'Only if `count` is null' }),
  });

/** The query of an export: its list's filters, without pages. Rows are ordered by time. */
export const exportQuery = <S extends z.ZodRawShape>(query: z.ZodObject<S>) =>
  query.omit({
    page: true,
    page_size: true,
    ordering: true,
    ...('count' in query.shape && { count: true }),
  } as never) as z.ZodObject<Omit<S, 'page' | 'page_size' | 'ordering' | 'count'>>;

export const EXPORT_DESCRIPTION =
  'All matching rows, newest first, as RFC 4180 CSV in UTF-8 with a byte order mark and a header row. Times are ISO 8601 in UTC. Texts are quoted. An apostrophe precedes anything that a spreadsheet could run as a formula or round as a number. To get the exact text, a program removes one apostrophe at the beginning of a text and after each ;, |, tab and line break in it. E.164 phone numbers are unchanged, and a second column contains them in a form that no spreadsheet rounds. A response that ends before its last chunk is incomplete. A member can run one export at a time, and an account two, or one while many others are running. While others wait, a client that reads less than 100 kB per second may be disconnected.';

/** Test or live rows. Defaults to live rows, or to the key's rows if the list is filtered by key. */
export const modeFilter = z
  .enum(['live', 'test', 'all'], { error: 'Mode must be one of: live, test, all.' })
  .optional()
  .meta({ description: 'live, test or all. Default: live, or all rows of the key if api_key is given' });
export type ModeFilter = z.infer<typeof modeFilter>;

const CREATED_AFTER = 'Use a number of days or an ISO 8601 date.';

/** The start of a time window: a number of days before now, or an ISO 8601 date. Default: all time. */
export const createdAfter = z
  .string({ error: CREATED_AFTER })
  .trim()
  .overwrite((text) => momentIn(text)?.toISOString() ?? text)
  .refine(
    (text) => (/^\d{1,4}$/.test(text) && Number(text) > 0) || momentIn(text) !== undefined,
    CREATED_AFTER,
  );

const CREATED_BEFORE = 'Use an ISO 8601 date.';

/** The end of a time window: an ISO 8601 date or time, not included. */
export const createdBefore = moment(CREATED_BEFORE).meta({
  description: 'Only rows before this ISO 8601 date or time',
});
