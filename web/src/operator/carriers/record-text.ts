/** The parts of a carrier's record that its form shows, as texts. Everything else stays as it is in the JSON. */
export interface RecordPart {
  path: string;
  label: string;
  help: string;
  /** several lines: `name: value`, or JSON */
  isList?: 'pairs' | 'json';
  options?: readonly string[];
  /** the empty text removes the part */
  isNumbers?: true;
}

export const RECORD_PARTS: readonly RecordPart[] = [
  { path: 'send.url', label: 'Address', help: 'Such as {api_url}/messages. Values are encoded.' },
  {
    path: 'send.method',
    label: 'Method',
    help: 'POST unless the company wants PUT.',
    options: ['POST', 'PUT'],
  },
  { path: 'send.format', label: 'Format', help: 'Of the body.', options: ['json', 'form'] },
  {
    path: 'send.accept',
    label: 'Accepted statuses',
    help: 'Such as 200, 202. Every 2xx if empty.',
    isNumbers: true,
  },
  {
    path: 'send.auth',
    label: 'Authentication',
    help: 'JSON: {"type": "basic", "username": "{username}", "password": "{password}"}, {"type": "bearer", "token": "{api_key}"} or {"type": "header", "name": "X-Key", "value": "{api_key}"}.',
    isList: 'json',
  },
  { path: 'send.headers', label: 'Other headers', help: 'One per line, as name: value.', isList: 'pairs' },
  {
    path: 'send.body',
    label: 'Body',
    help: 'JSON. A member whose placeholder has no value is left out.',
    isList: 'json',
  },
  { path: 'send.id', label: 'Message id in the response', help: 'A path, such as data.id.' },
  { path: 'send.error', label: 'Error code in the response', help: 'A path, such as errors.0.code.' },
  {
    path: 'send.errors',
    label: 'Meanings of error codes',
    help: 'One per line, as code: retry, next_carrier, permanent, opted_out, carrier_down or accepted. http_402 is a status.',
    isList: 'pairs',
  },
  {
    path: 'reports',
    label: 'Delivery reports',
    help: 'JSON: where the status and the ids are, what each status means, and the proof.',
    isList: 'json',
  },
  {
    path: 'feedback',
    label: 'Feedback request',
    help: 'JSON: the request after a right code, with {provider_id} and, if the company wants it, {code}.',
    isList: 'json',
  },
  {
    path: 'unsuppress',
    label: 'Removal of suppressed addresses',
    help: 'JSON: the request that removes the mail address {to} from the company’s own list.',
    isList: 'json',
  },
  { path: 'inbound', label: 'Replies', help: 'JSON: where sender and text are.', isList: 'json' },
];

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Undefined unless the text is a JSON object. An empty one is a new record. */
export function readText(text: string): Json | undefined {
  if (text.trim() === '') return {};
  try {
    const read: unknown = JSON.parse(text);
    return isObject(read) ? read : undefined;
  } catch {
    return undefined;
  }
}

const valueAt = (record: Json, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), record);

/** The part of a record as the form shows it. */
export function lineText(record: Json, { path, isList }: RecordPart): string {
  const value = valueAt(record, path);
  if (value === undefined) return '';
  if (isList === 'pairs' && isObject(value))
    return Object.entries(value)
      .map(([name, one]) => `${name}: ${String(one)}`)
      .join('\n');
  if (isList) return JSON.stringify(value, null, 2);
  return [value].flat().join(', ');
}

export const REMOVED = Symbol('removed');

/** The value of a typed text; undefined if it cannot be read yet. */
export function linesOf({ isList, isNumbers, path }: RecordPart, text: string): unknown {
  if (text.trim() === '') return REMOVED;
  if (isList === 'json') return readText(text);
  if (isList === 'pairs') {
    const pairs = text.split('\n').filter((line) => line.trim() !== '');
    const read = pairs.map((line) => /^\s*(\S.*?)\s*:\s*(.*?)\s*$/.exec(line));
    if (read.some((one) => one === null)) return undefined;
    return Object.fromEntries(read.map((one) => [one?.[1], one?.[2]]));
  }
  const several = text.split(',').map((one) => one.trim());
  if (isNumbers) {
    const numbers = several.filter(Boolean).map(Number);
    return text.trim().endsWith(',') || numbers.some(Number.isNaN) ? undefined : numbers;
  }
  const isPath = path === 'send.id' || path === 'send.error';
  if (!isPath || several.length === 1) return text;
  return several.includes('') ? undefined : several;
}

/** The record's JSON with another value at the path. */
export function withValue(record: Json, path: string, value: unknown): string {
  const [name = '', ...rest] = path.split('.');
  const changed = (within: Json, names: readonly string[]): Json => {
    const [first = '', ...others] = names;
    if (others.length > 0) {
      const inner = within[first];
      return { ...within, [first]: changed(isObject(inner) ? inner : {}, others) };
    }
    const { [first]: _, ...without } = within;
    return value === REMOVED ? without : { ...within, [first]: value };
  };
  return JSON.stringify(changed(record, [name, ...rest]), null, 2);
}
