import { listTemplates, type Template, type TemplateText } from '@sixdigit/contract/templates.ts';
import { pageWithin } from '../api/list.ts';
import { read } from '../api/read.ts';
import { apiKeySearch } from '../api-keys/api-keys.ts';

/** The list has the search and the orderings of that of API keys. */
export const templateSearch = apiKeySearch;
type Search = typeof templateSearch.defaults;

const searched = ({ name, texts }: Template): string => `${name} ${texts.map(({ text }) => text)}`;
export const templatePage = (search: Search) =>
  read(listTemplates, {}, { select: ({ results }) => pageWithin(results, search, searched) });

/** The texts of a form, in which an empty subject is the default one. */
export type TextValues = Omit<TemplateText, 'subject'> & { subject: string };

export const NEW_TEXT: TextValues = { channel: 'sms', locale: 'en', text: '', subject: '' };

export const valuesOf = ({ name, texts, dlt }: Pick<Template, 'name' | 'texts' | 'dlt'>) => ({
  name,
  texts: texts.map((text): TextValues => ({ ...text, subject: text.subject ?? '' })),
  entity_id: dlt?.entity_id ?? '',
  template_id: dlt?.template_id ?? '',
});
type Values = ReturnType<typeof valuesOf>;

export const textOf = ({ subject, ...text }: TextValues): TemplateText => ({
  ...text,
  subject: text.channel === 'email' && subject.trim() !== '' ? subject : null,
});

export const bodyOf = ({ name, texts, entity_id, template_id }: Values) => ({
  name: name.trim(),
  texts: texts.map(textOf),
  dlt: entity_id.trim() === '' && template_id.trim() === '' ? null : { entity_id, template_id },
});
