import { SettingsError } from './settings-error.ts';
import { KINDS, type Kind, type System } from './systems.ts';

/** What the program must know of an implementation. README.md describes the file. */
export interface Settings {
  base: URL;
  systems: SystemSettings[];
  /** where `#` stands for a random digit; undefined for numbers that are reserved for fiction */
  phone: string | undefined;
  email: string;
  messages: MessageSource | undefined;
}

export interface SystemSettings {
  system: System;
  addresses: Partial<Record<Kind, string>>;
  secret: string;
  /** still valid, as during a rotation */
  previousSecret: string | undefined;
  /** further values for placeholders */
  values: Record<string, string>;
}

/** Where sent messages can be read. */
export interface MessageSource {
  /** with the placeholder `{recipient}`, which is encoded */
  url: string;
  headers: Record<string, string>;
  /** the path to the list in the response, with dots between the fields; empty if the body is the list */
  list: string;
  /** the field of a message with its text */
  text: string;
}

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const DEFAULT_EMAIL = 'conformance-########@example.com';

/** Checks the settings. Throws SettingsError. */
export function readSettings(
  given: unknown,
  systems: readonly System[],
  baseOption: string | undefined,
): Settings {
  if (!isFields(given)) throw new SettingsError('The settings must be a JSON object.');
  const base = baseOf(baseOption ?? textIn(given, 'base'));
  const named = given.systems;
  if (!isFields(named) || Object.keys(named).length === 0)
    throw new SettingsError('The settings need "systems", with the addresses and the secret of each system.');
  return {
    base,
    phone: textIn(given, 'phone'),
    email: textIn(given, 'email') ?? DEFAULT_EMAIL,
    messages: messagesOf(given.messages, base),
    systems: Object.entries(named).map(([id, value]) => {
      const system = systems.find((one) => one.id === id);
      if (!system)
        throw new SettingsError(`Unknown system "${id}". Use: ${systems.map((one) => one.id).join(', ')}.`);
      return ofSystem(system, value, base);
    }),
  };
}

function baseOf(text: string | undefined): URL {
  if (text === undefined)
    throw new SettingsError('Set the base address with --base or with "base" in the settings.');
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new SettingsError(`The base address ${text} is not an HTTP address.`);
  return new URL(text);
}

function ofSystem(system: System, given: unknown, base: URL): SystemSettings {
  const { id } = system;
  if (!isFields(given)) throw new SettingsError(`The settings of "${id}" must be an object.`);
  const kinds = [...(system.versions ?? []), ...(system.flows ?? [])].map(({ kind }) => kind);
  const addresses: Partial<Record<Kind, string>> = {};
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== 'string' || value === '')
      throw new SettingsError(`"${name}" of "${id}" must be a string that is not empty.`);
    const kind = KINDS.find((one) => one === name);
    if (kind) {
      if (!kinds.includes(kind))
        throw new SettingsError(`"${id}" has no requests for "${kind}", only for ${list(kinds)}.`);
      addresses[kind] = addressOf(value, base);
    } else if (!/secret$/.test(name)) values[name] = value;
  }
  const secret = textIn(given, 'secret');
  if (secret === undefined) throw new SettingsError(`"${id}" needs its "secret".`);
  if (Object.keys(addresses).length === 0)
    throw new SettingsError(`"${id}" needs an address: ${list(kinds)}.`);
  for (const name of system.needs ?? [])
    if (values[name] === undefined) throw new SettingsError(`"${id}" needs "${name}".`);
  return { system, addresses, secret, previousSecret: textIn(given, 'previous_secret'), values };
}

const list = (kinds: readonly Kind[]): string => [...new Set(kinds)].map((kind) => `"${kind}"`).join(', ');

/** A path is below the base address. */
function addressOf(text: string, base: URL): string {
  if (/^https?:\/\//.test(text)) return text.replace(/\/$/, '');
  return `${base.origin}${base.pathname.replace(/\/$/, '')}/${text.replace(/^\//, '').replace(/\/$/, '')}`;
}

function messagesOf(given: unknown, base: URL): MessageSource | undefined {
  if (given === undefined) return undefined;
  if (!isFields(given)) throw new SettingsError('"messages" must be an object with a "url".');
  const url = textIn(given, 'url');
  if (!url?.includes('{recipient}'))
    throw new SettingsError('The "url" of "messages" must contain {recipient}.');
  return {
    url: /^https?:\/\//.test(url) ? url : addressOf(url, base),
    headers: isFields(given.headers) ? (given.headers as Record<string, string>) : {},
    list: textIn(given, 'list') ?? '',
    text: textIn(given, 'text') ?? 'text',
  };
}

const textIn = (fields: Fields, name: string): string | undefined => {
  const value = fields[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};
