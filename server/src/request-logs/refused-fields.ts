import { REFUSED_FIELDS_MOST, type RefusedField } from '@sixdigit/contract/request-logs.ts';

type Fields = Readonly<Record<string, unknown>>;

const MESSAGE_MOST = 300;
const VALUE_MOST = 40;
const SHOWN_CHARACTERS = 4;

/** Fields whose value tells whom a code is for: only its shape is stored. */
const RECIPIENTS: readonly string[] = ['recipient', 'To', 'phoneNumber'];
const ADDRESSES: readonly string[] = ['client_ip', 'DeviceIp'];
/**
 * Fields whose value is stored if it has this form, which no code and no key has. The value of any other field, such as a code or a
 * text around it, is never stored.
 */
const HARMLESS: Readonly<Record<string, RegExp>> = {
  channel: /^[a-z_]{1,20}$/,
  Channel: /^[a-z_]{1,20}$/,
  expires_in: /^-?\d{1,3}$/,
  wait_seconds: /^-?\d{1,3}$/,
  code_length: /^-?\d{1,3}$/,
  max_attempts: /^-?\d{1,3}$/,
  // A code of letters has no lower-case one, and a key has an underscore.
  purpose: /^(?=.*[a-z])[A-Za-z -]{1,32}$/,
};
const CODES: readonly string[] = ['code', 'Code', 'CustomCode'];

/** What the request log stores of the fields that a refusal names. `recipient`: as the row already stores it. */
export function refusedFields(
  fields: Readonly<Record<string, readonly string[]>>,
  { given, recipient }: { given: Fields; recipient: string | null },
): RefusedField[] {
  const codes = CODES.map((name) => given[name]).filter((code) => typeof code === 'string' && code !== '');
  return Object.entries(fields)
    .slice(0, REFUSED_FIELDS_MOST)
    .map(([field, sentences]) => ({
      field: printable(field, VALUE_MOST),
      message: codes.reduce<string>(
        (text, code) => text.replaceAll(String(code), '•••'),
        printable(sentences.join(' '), MESSAGE_MOST),
      ),
      value: givenValue(field, { given, recipient }),
    }));
}

function givenValue(field: string, { given, recipient }: { given: Fields; recipient: string | null }) {
  const name = field === 'recipient' ? RECIPIENTS.find((one) => Object.hasOwn(given, one)) : field;
  const value = name !== undefined && Object.hasOwn(given, name) ? given[name] : undefined;
  if (name === undefined || value === undefined) return null;
  if (RECIPIENTS.includes(name)) return recipient === null ? masked(textOf(value)) : null;
  if (ADDRESSES.includes(name)) return masked(textOf(value));
  const text = textOf(value);
  return HARMLESS[name]?.test(text) ? text : null;
}

const textOf = (value: unknown): string => {
  if (Array.isArray(value)) return '[…]';
  return typeof value === 'object' && value !== null ? '{…}' : String(value);
};

/** The first letters and digits, and everything between the others: enough to see what is wrong with a number or an address. */
function masked(text: string): string {
  let shown = 0;
  return printable(text, VALUE_MOST).replace(/[\p{L}\p{N}]/gu, (character) => {
    shown += 1;
    return shown <= SHOWN_CHARACTERS ? character : '•';
  });
}

const printable = (text: string, most: number): string => {
  const plain = [...text.slice(0, most + 1)];
  const cut = plain.length > most ? `${plain.slice(0, most - 1).join('')}…` : text.slice(0, most);
  return cut.replace(/\p{C}/gu, '\ufffd');
};
