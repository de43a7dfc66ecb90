import { listTemplates, type Template, type TemplateText } from '@sixdigit/contract/templates.ts';
import { asPage } from '../api/list.ts';
import { read } from '../api/read.ts';
import { apiKeySearch } from '../api-keys/api-keys.ts';

/** The list has the search and the orderings of that of API keys. */
export const templateSearch = apiKeySearch;
type Search = typeof templateSearch.defaults;

/** The service returns all templates at once, so the browser searches, sorts and pages them. */
export const templatePage = (search: Search) =>
  read(listTemplates, {}, { select: ({ results }) => asPage(matching(results, search), search.page) });

function matching(all: readonly Template[], { search, ordering }: Search): Template[] {
  const wanted = search.trim().toLowerCase();
  const by = ordering.endsWith('name') ? 'name' : 'created_at';
  const sign = ordering.startsWith('-') ? -1 : 1;
  return all
    .filter(({ name, texts }) => `${name} ${texts.map(({ text }) => text)}`.toLowerCase().includes(wanted))
    .sort((one, other) => sign * one[by].localeCompare(other[by]));
}

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
