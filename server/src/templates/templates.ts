import { type Language, languageOf, languageOfCountry } from '@sixdigit/contract/languages.ts';
import type { previewTemplate } from '@sixdigit/contract/templates.ts';
import {
  filledIn,
  TEMPLATES_MAX,
  type Template,
  type TemplateBody,
  type TemplateChannel,
  type TemplateText,
  variablesIn,
} from '@sixdigit/contract/templates.ts';
import { anyCode, renderSms, smsTooLong } from '@sixdigit/contract/text/sms-segments.ts';
import type { FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { type Log, loggedChange } from '../audit/audit.ts';
import { countChangeBy } from '../limits/limits.ts';
import type { Sql, Tx } from '../platform/db/sql.ts';
import { fairSlots } from '../platform/fair-slots.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { KeyCaller, UserCaller } from '../platform/http/serve.ts';
import type { Needs } from '../platform/platform.ts';
import { lookupBatcher } from '../platform/queue/batcher.ts';
import { isUuid } from '../platform/security/random.ts';
import {
  hasCodeInHost,
  hasLinks,
  hasOtherHosts,
  KNOWN_HOSTS_MOST,
  requireListedTemplates,
} from '../protection/message-links/message-links.ts';
import {
  countTemplates,
  deleteTemplateRow,
  findTemplatesByName,
  insertTemplate,
  lockTemplatesOf,
  selectTemplates,
  type TemplateRow,
  updateTemplateRow,
} from './queries.ts';

export { deleteTemplatesOf } from './queries.ts';

/**
 * Named texts of an account, per channel and language. A send stores the text that it made of one, with its version, so a change
 * concerns later sends only.
 */
export interface Templates {
  /** Undefined if the account has no template of this name. */
  find(account_id: string, name: string): Promise<Template | undefined>;
}

/** Looks the templates of concurrent sends up together. */
export function createTemplates(app: Needs<'db'>): Templates {
  const lookups = lookupBatcher(async (asked: { account_id: string; name: string }[]) => {
    const rows = await findTemplatesByName(app.db.reserve, asked);
    const byName = new Map(rows.map((row) => [`${row.account_id} ${row.name}`, shown(row)]));
    return asked.map(({ account_id, name }) => byName.get(`${account_id} ${name}`));
  });
  return { find: (account_id, name) => lookups.submit({ account_id, name }) };
}

const textsOf = (texts: readonly Pick<TemplateText, 'text' | 'subject'>[]) =>
  texts.flatMap(({ text, subject }) => [text, subject]);

const shown = ({ account_id: _, dlt_entity_id, dlt_template_id, ...row }: TemplateRow): Template => ({
  ...row,
  variables: variablesIn(...textsOf(row.texts)),
  dlt:
    dlt_entity_id === null || dlt_template_id === null
      ? null
      : { entity_id: dlt_entity_id, template_id: dlt_template_id },
});

// ── use ──

interface Wanted {
  channel: TemplateChannel;
  /** As requested. */
  locale: string | undefined;
  /** If it chooses the language. */
  country: string | null;
  /** of the account */
  language: Language;
}

/** The text for a send, in the language that fits best. Undefined if the template has none for the channel. */
export function textFor(
  { texts }: Pick<Template, 'texts'>,
  wanted: Wanted,
): Template['texts'][number] | undefined {
  const some = texts.filter(({ channel }) => channel === wanted.channel);
  const [first] = some;
  for (const tag of tagsOf(wanted)) {
    const found = some.find(({ locale }) => locale.toLowerCase() === tag.toLowerCase());
    if (found) return found;
  }
  return first;
}

function tagsOf({ locale, country, language }: Wanted): string[] {
  const tag = (locale ?? '').split(/[.@]/)[0]?.replaceAll('_', '-') ?? '';
  const asked =
    locale === undefined && country !== null ? [languageOfCountry(country, language)] : [tag, ...known(tag)];
  return [...asked, language, 'en'].flatMap(shortened);
}

/** Ours, such as zh-Hant for zh-TW. */
const known = (tag: string): string[] => {
  const [one, other] = [languageOf(tag, 'en'), languageOf(tag, 'de')];
  return one === other ? [one] : [];
};

/** pt-BR, pt */
const shortened = (tag: string): string[] =>
  tag.split('-').map((_, index, parts) => parts.slice(0, parts.length - index).join('-'));

interface Values {
  variables: Readonly<Record<string, string>>;
  brand: string;
  seconds: number;
  /** that the sender made */
  code?: string | undefined;
}

/**
 * The text with everything but the code. Throws field errors for a missing variable, and for a value that phones could turn into a
 * link, also together with the text, the code or another value next to it.
 */
export function filledText(
  { text, subject }: Pick<TemplateText, 'text' | 'subject'>,
  needed: readonly string[],
  { variables, brand, seconds, code = '{code}' }: Values,
): { text: string; subject: string | null } {
  const missing = needed.filter((name) => !Object.hasOwn(variables, name));
  if (missing.length > 0)
    throw new FieldErrors({ variables: [`The template needs a value for ${missing.join(', ')}.`] });
  const linking = needed.filter((name) => hasLinks(variables[name] ?? ''));
  if (linking.length > 0)
    throw new FieldErrors({ variables: [`Values must not contain links: ${linking.join(', ')}.`] });
  const ours: [string, string][] = [
    ['brand', brand],
    // A code is never valid for a shorter time than a text says.
    ['minutes', String(Math.max(1, Math.floor(seconds / 60)))],
  ];
  const values = new Map([...needed.map((name): [string, string] => [name, variables[name] ?? '']), ...ours]);
  const empty = new Map([...needed.map((name): [string, string] => [name, ' ']), ...ours]);
  const fill = (template: string): string => {
    const filled = filledIn(template, values);
    if (hasOtherHosts(renderSms(filled, code), renderSms(filledIn(template, empty), code)))
      throw new FieldErrors({ variables: ['Values must not complete a link.'] });
    return filled;
  };
  return { text: fill(text), subject: subject === null ? null : fill(subject) };
}

// ── changes ──

type App = Needs<'clock' | 'config' | 'db' | 'random'>;
type Body = z.output<typeof TemplateBody>;

/** Nobody else can change the account's templates meanwhile. */
const changing = <T>(
  app: App,
  caller: UserCaller | KeyCaller,
  request: FastifyRequest,
  work: (tx: Tx, log: Log) => Promise<T>,
): Promise<T> =>
  loggedChange(app, { caller, request, changed: 'templates' }, async (tx, log) => {
    await countChangeBy(tx, app, caller);
    await lockTemplatesOf(tx, caller.account_id);
    return work(tx, log);
  });

export const listOfTemplates = async (db: Sql, account_id: string) => {
  const results = (await selectTemplates(db, account_id)).map(shown);
  return { results, count: results.length };
};

/** A variable in a domain, or in front of one, would let a stranger choose where a text links to. */
async function requireAllowed(app: App, account_id: string, { texts }: Body): Promise<void> {
  for (const { channel, text, subject } of texts) {
    // A text can take milliseconds.
    await new Promise((resolve) => setImmediate(resolve));
    for (const one of [text, subject ?? '']) requireRightLinks(one);
    const shortest = renderSms(
      filledIn(text, new Map(variablesIn(text).map((name) => [name, '']))),
      anyCode(10),
    );
    const problem = channel === 'sms' ? smsTooLong(shortest, app.config.smsMaxSegments) : undefined;
    if (problem) throw new FieldErrors({ texts: [problem] });
    await requireListedTemplates(app, account_id, { texts: `${text}\n${subject ?? ''}` });
  }
}

/** Throws a field error. */
function requireRightLinks(text: string): void {
  if (hasOtherHosts(text, text))
    throw new FieldErrors({ texts: [`A text has at most ${KNOWN_HOSTS_MOST} links.`] });
  if (hasCodeInHost(withCodes(text)))
    throw new FieldErrors({
      texts: ['A variable must not be part of a domain. Put a space or a slash before it.'],
    });
}

/** Prevents that the checks of one account's templates take the time of the others. */
const checks = fairSlots({ anAccount: 1, aProcess: 1, waitingAnAccount: 10 });

const requireAllowedInTurn = (app: App, account_id: string, body: Body): Promise<void> =>
  checks.run(account_id, () => requireAllowed(app, account_id, body));

/** Every variable as a code, which is the least predictable text that a link check knows. */
const withCodes = (text: string): string =>
  filledIn(text.replaceAll('{code}', '123456'), new Map(variablesIn(text).map((name) => [name, '{code}'])));

const LOGGED_TEXTS = 10;
const LOGGED_CHARACTERS = 200;

/** What the audit log says of a template: of its texts only those that differ from the other version, as far as an entry has room. */
function valuesOf({ name, texts, dlt }: Body | Template, other?: Body | Template) {
  const identity = ({ channel, locale, text, subject }: TemplateText) =>
    JSON.stringify([channel, locale, text, subject]);
  const same = new Set(other?.texts.map(identity));
  const changed = texts.filter((one) => !same.has(identity(one)));
  const shortText = (text: string) =>
    text.length > LOGGED_CHARACTERS ? `${text.slice(0, LOGGED_CHARACTERS)}…`.toWellFormed() : text;
  return {
    name,
    dlt,
    texts: changed.slice(0, LOGGED_TEXTS).map((one) => ({ ...one, text: shortText(one.text) })),
    ...(changed.length > LOGGED_TEXTS ? { more_texts: changed.length - LOGGED_TEXTS } : {}),
  };
}

export async function createTemplateOf(
  app: App,
  caller: UserCaller | KeyCaller,
  request: FastifyRequest,
  body: Body,
): Promise<Template> {
  const { account_id } = caller;
  await requireAllowedInTurn(app, account_id, body);
  return changing(app, caller, request, async (tx, log) => {
    if ((await countTemplates(tx, account_id)) >= TEMPLATES_MAX)
      throw new FieldErrors({ name: [`At most ${TEMPLATES_MAX} templates are possible.`] });
    const row = await insertTemplate(tx, { id: app.random.uuid(), account_id }, body);
    if (!row) throw taken(body);
    await log({ action: 'template.create', subject: row.name, after: valuesOf(body) });
    return shown(row);
  });
}

const taken = ({ name }: Body) => new FieldErrors({ name: [`The account has a template ${name} already.`] });

export async function updateTemplateOf(
  app: App,
  caller: UserCaller | KeyCaller,
  request: FastifyRequest,
  { id, body }: { id: string; body: Body },
): Promise<Template> {
  const { account_id } = caller;
  await requireAllowedInTurn(app, account_id, body);
  return changing(app, caller, request, async (tx, log) => {
    const before = await getTemplate(tx, account_id, id);
    if (before.name !== body.name && (await isTaken(tx, account_id, body.name))) throw taken(body);
    const row = await updateTemplateRow(tx, { id: before.id, account_id }, body);
    if (!row) throw new Failure('not_found');
    await log({
      action: 'template.change',
      subject: row.name,
      before: valuesOf(before, body),
      after: valuesOf(body, before),
    });
    return shown(row);
  });
}

export const deleteTemplateOf = (
  app: App,
  caller: UserCaller | KeyCaller,
  request: FastifyRequest,
  id: string,
): Promise<void> =>
  changing(app, caller, request, async (tx, log) => {
    const before = await getTemplate(tx, caller.account_id, id);
    await deleteTemplateRow(tx, { id: before.id, account_id: caller.account_id });
    await log({ action: 'template.delete', subject: before.name, before: valuesOf(before) });
  });

/** Throws `not_found`. */
async function getTemplate(tx: Tx, account_id: string, id: string): Promise<Template> {
  const row = isUuid(id)
    ? (await selectTemplates(tx, account_id)).find((one) => one.id === id.toLowerCase())
    : undefined;
  if (!row) throw new Failure('not_found');
  return shown(row);
}

const isTaken = async (tx: Tx, account_id: string, name: string): Promise<boolean> =>
  (await findTemplatesByName(tx, [{ account_id, name }])).length > 0;

export type PreviewBody = z.output<typeof previewTemplate.body>;
