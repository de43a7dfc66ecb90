import { endUserAddress } from '@sixdigit/contract/addresses/end-user-address.ts';
import { fieldsOf } from '../platform/http/body.ts';
import { Failure, FieldErrors } from '../platform/http/failure.ts';
import type { Inbound } from './system.ts';

/** An object of a request: any field may be missing or have any type, because systems change their requests. */
export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Throws `malformed_json` or a field error. */
export function jsonOf({ text }: Pick<Inbound, 'text'>): Fields {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Failure('malformed_json', {}, { cause: error });
  }
  if (!isFields(parsed)) throw new FieldErrors({ body: ['Send a JSON object.'] });
  return parsed;
}

/** The fields of a form or of a JSON object. */
export const formOrJson = (request: Pick<Inbound, 'text' | 'headers'>): Fields =>
  isForm(request) ? fieldsOf(request.text) : jsonOf(request);

export const isForm = ({ headers }: Pick<Inbound, 'headers'>): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

/** The object in a field; empty if there is none. */
export const within = (fields: Fields, name: string): Fields => {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return isFields(value) ? value : {};
};

/** The text in a field; undefined if it is missing, empty or of another type. */
export function textIn(fields: Fields, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'number' && Number.isSafeInteger(value)) return String(value);
  }
  return undefined;
}

/** The address of the person who signs in; none if the field has none. */
export function clientAddress(fields: Fields, name: string): { client_ip?: string } {
  const address = endUserAddress.safeParse(textIn(fields, name));
  return address.success ? { client_ip: address.data } : {};
}

/** A number in international format whose plus sign the system leaves out. */
export const withPlus = (text: string | undefined): string | undefined =>
  text !== undefined && /^\d{6,15}$/.test(text) ? `+${text}` : text;

/** Throws `code_missing` if the system wants a message without a code. */
export function codeOf(code: string | undefined): string {
  if (code === undefined) throw new Failure('code_missing');
  return code;
}
