/** Named texts of an account, which sends choose by `template`. */

import { z } from 'zod';
import { MESSAGE_MAX, messageTemplate, subjectLine } from './code-message.ts';
import { id, time } from './field.ts';
import { route } from './route.ts';
import { templateName, templateVariables, VARIABLE, VARIABLES_MAX } from './template-fields.ts';
import { wholeText } from './viewer-texts.ts';

export const TEMPLATES_MAX = 50;
const TEXTS_MAX = 80;

/** The placeholders that Sixdigit fills in. The others are the template's own variables. */
const OURS = ['code', 'brand', 'minutes'];

/** The template's own variables in a text, each once. */
export const variablesIn = (...texts: readonly (string | null | undefined)[]): string[] => {
  const names = texts.flatMap((text) =>
    [...(text ?? '').matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
  );
  return [...new Set(names)].filter((name) => !OURS.includes(name));
};

/** Fills in a text, in one pass, so that no value is read as a text. `{code}` stays. */
export const filledIn = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(/\{(\w+)\}/g, (placeholder, name: string) => values.get(name) ?? placeholder);

const PLACEHOLDERS =
  'Braces must enclose a name such as {order}: a lower-case letter, then up to 29 of a-z, 0-9 and _.';
const hasNames = (text: string): boolean =>
  !/[{}]/.test(text.replace(/\{(\w+)\}/g, (placeholder, name) => (VARIABLE.test(name) ? '' : placeholder)));

const LOCALE_MESSAGE = 'Locale must be a BCP 47 tag, such as pt-BR.';
/** In canonical form: pt-BR, zh-Hant. */
const locale = z
  .string({ error: LOCALE_MESSAGE })
  .max(35, LOCALE_MESSAGE)
  .transform((tag, context) => {
    try {
      return new Intl.Locale(tag.trim().replaceAll('_', '-')).baseName;
    } catch {
      context.addIssue({ code: 'custom', message: LOCALE_MESSAGE });
      return z.NEVER;
    }
  });

const TEMPLATE_CHANNELS = ['sms', 'email'] as const;
export type TemplateChannel = (typeof TEMPLATE_CHANNELS)[number];

const TextFields = z.object({
  channel: z.enum(TEMPLATE_CHANNELS, { error: 'Channel must be sms or email.' }),
  locale: locale.meta({ type: 'string', description: 'The language of the text, as a BCP 47 tag' }),
  text: messageTemplate.refine(hasNames, PLACEHOLDERS).meta({
    description: `Up to ${MESSAGE_MAX} characters, with {code}. {brand} is the account’s sender name, {minutes} how long the code is valid, and every other name in braces is a variable`,
  }),
  subject: subjectLine.refine(hasNames, PLACEHOLDERS).nullable().default(null).meta({
    description:
      'Email only; null: the default subject. With {code}, inboxes and locked screens show the code',
  }),
});
const onlyEmail = [
  ({ channel, subject }: { channel: string; subject: string | null }): boolean =>
    channel === 'email' || subject === null,
  { error: 'Only emails have a subject.', path: ['subject'] as PropertyKey[] },
] as const;
export const TemplateText = TextFields.refine(...onlyEmail);
export type TemplateText = z.infer<typeof TemplateText>;

const DLT_MESSAGE = 'DLT ids are numbers of 10 to 30 digits.';
const dltId = z
  .string({ error: DLT_MESSAGE })
  .trim()
  .regex(/^\d{10,30}$/, DLT_MESSAGE);
export const Dlt = z.object({ entity_id: dltId, template_id: dltId });
export type Dlt = z.infer<typeof Dlt>;

export const TemplateBody = z.object({
  name: templateName.meta({ description: 'The name by which sends choose the template' }),
  texts: z
    .array(TemplateText)
    .min(1, 'A template needs a text.')
    .max(TEXTS_MAX, `A template has at most ${TEXTS_MAX} texts.`)
    .refine(
      (texts) => new Set(texts.map(({ channel, locale: tag }) => `${channel} ${tag}`)).size === texts.length,
      'A template has one text per channel and language.',
    )
    .refine(
      (texts) =>
        variablesIn(...texts.flatMap(({ text, subject }) => [text, subject])).length <= VARIABLES_MAX,
      `A template has at most ${VARIABLES_MAX} variables.`,
    ),
  dlt: Dlt.nullable().default(null).meta({
    description:
      'The ids under which the text is registered in India: that of the entity and that of the content template. Carriers with such fields get them',
  }),
});

export const Template = z.object({
  id,
  name: wholeText,
  texts: z.array(
    z.object({
      channel: z.enum(TEMPLATE_CHANNELS),
      locale: wholeText,
      text: z.string(),
      subject: z.string().nullable(),
    }),
  ),
  variables: z
    .array(wholeText)
    .meta({ description: 'The names of its own variables, which every send needs' }),
  dlt: z.object({ entity_id: wholeText, template_id: wholeText }).nullable(),
  version: z.number().int().meta({ description: '1 for a new template; every change of it counts' }),
  created_at: time,
  updated_at: time,
});
export type Template = z.infer<typeof Template>;

/** Also for keys with the scope. */
const shared = { tag: 'templates', auth: 'bearer', scope: 'templates:write' } as const;

export const listTemplates = route('GET /templates/', {
  ...shared,
  name: 'listTemplates',
  summary: 'Templates of the account',
  reply: z.object({ results: z.array(Template), count: z.number().int() }),
});

export const createTemplate = route('POST /templates/', {
  ...shared,
  name: 'createTemplate',
  stepUp: true,
  summary: `Create a template, at most ${TEMPLATES_MAX} per account`,
  description:
    'A send with `template` takes the text of its channel in the requested language, or else in that of the account, in English, or the first one. A call speaks a text of its own. A text that links to domains that the account has not proven is refused if the service limits links.',
  body: TemplateBody,
  status: 201,
  reply: Template,
});

export const updateTemplate = route('PUT /templates/:id/', {
  ...shared,
  name: 'updateTemplate',
  stepUp: true,
  summary: 'Replace a template',
  description: 'Sends that are already accepted keep their text and the version they were made with.',
  body: TemplateBody,
  reply: Template,
  failures: ['not_found'],
});

export const deleteTemplate = route('DELETE /templates/:id/', {
  ...shared,
  name: 'deleteTemplate',
  stepUp: true,
  summary: 'Delete a template; sends that name it are refused',
  failures: ['not_found'],
});

export const previewTemplate = route('POST /templates/preview/', {
  ...shared,
  name: 'previewTemplate',
  summary: 'Preview one text of a template, with its segments and prices',
  description: 'Runs the checks of a send and stores nothing. A variable without a value shows its name.',
  body: TextFields.extend({ variables: templateVariables.optional() }).refine(...onlyEmail),
  reply: z.object({
    text: wholeText,
    subject: wholeText.nullable(),
    html: wholeText.nullable(),
    segments: z.number().int().nullable().meta({ description: 'SMS only' }),
    problem: wholeText
      .nullable()
      .meta({ description: 'Why a send of this text would be refused, if it would' }),
    prices: z
      .array(z.object({ country: wholeText.nullable(), credits: z.number().int() }))
      .meta({ description: 'What a send of this text costs; null: every country without its own price' }),
  }),
});
