import type { Response } from './http.ts';

/** What a response must be. Texts in angle brackets and regular expressions between slashes stand for values. */
export interface Expectation {
  /** statuses, or ranges such as `200-299` */
  status: (number | string)[];
  /** the content type without parameters */
  type?: string;
  headers?: Record<string, string>;
  /** fields of the JSON object; others are allowed */
  json?: Record<string, unknown>;
  text?: string;
}

const SHORT = 500;
const isSentence = (value: unknown): boolean =>
  typeof value === 'string' &&
  value.trim().length > 2 &&
  value.length <= SHORT &&
  !/^\s*[<{[]/.test(value) &&
  /\p{L}/u.test(value);

const WILDCARDS: Record<string, { is: (value: unknown) => boolean; article: string }> = {
  '<text>': { is: (value) => typeof value === 'string' && value.trim() !== '', article: 'a text' },
  '<number>': { is: (value) => typeof value === 'number', article: 'a number' },
  '<time>': {
    is: (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value)),
    article: 'a time',
  },
  '<list>': { is: (value) => Array.isArray(value), article: 'a list' },
  '<null>': { is: (value) => value === null || value === undefined, article: 'null' },
  '<sentence>': {
    is: isSentence,
    article: `a sentence of at most ${SHORT} characters, neither JSON nor HTML`,
  },
  '<short>': {
    is: (value) =>
      typeof value === 'string' && value.trim() !== '' && value.length <= SHORT && !/^\s*</.test(value),
    article: `a text of at most ${SHORT} characters, not HTML`,
  },
};

/** Undefined if the response is as expected; otherwise a sentence about the difference from the last alternative. */
export function differenceFrom(expected: readonly Expectation[], response: Response): string | undefined {
  // With several alternatives, the one with the same status explains most.
  const candidates = expected.filter(({ status }) => hasStatus(status, response.status));
  if (candidates.length === 0) {
    const statuses = expected.flatMap(({ status }) => status).join(' or ');
    return `Expected status ${statuses}, got ${response.status}${excerptOf(response)}.`;
  }
  const differences = candidates.map((one) => differenceOf(one, response));
  return differences.includes(undefined) ? undefined : differences.at(-1);
}

function differenceOf(
  { type, headers = {}, json, text }: Expectation,
  response: Response,
): string | undefined {
  const given = String(response.headers['content-type'] ?? '');
  if (type !== undefined && given.split(';')[0]?.trim().toLowerCase() !== type)
    return `Expected the content type ${type}, got ${given === '' ? 'none' : given}.`;
  for (const [name, value] of Object.entries(headers)) {
    const found = differenceIn(response.headers[name], value, `the header ${name}`);
    if (found) return found;
  }
  if (text !== undefined) {
    const found = differenceIn(response.text, text, 'the body');
    if (found) return found;
  }
  return json === undefined ? undefined : differenceInJson(json, response);
}

function differenceInJson(json: Record<string, unknown>, response: Response): string | undefined {
  let body: unknown;
  try {
    body = JSON.parse(response.text);
  } catch {
    return `Expected a JSON body${excerptOf(response)}.`;
  }
  return differenceIn(body, json, 'the body');
}

function differenceIn(value: unknown, expected: unknown, where: string): string | undefined {
  if (typeof expected === 'object' && expected !== null) {
    if (typeof value !== 'object' || value === null)
      return `Expected an object in ${where}, got ${shown(value)}.`;
    for (const [name, one] of Object.entries(expected)) {
      const found = differenceIn((value as Record<string, unknown>)[name], one, fieldIn(where, name));
      if (found) return found;
    }
    return undefined;
  }
  if (typeof expected !== 'string')
    return value === expected ? undefined : `Expected ${shown(expected)} in ${where}, got ${shown(value)}.`;
  const wildcard = WILDCARDS[expected];
  if (wildcard)
    return wildcard.is(value) ? undefined : `Expected ${wildcard.article} in ${where}, got ${shown(value)}.`;
  const pattern = /^\/(.+)\/$/s.exec(expected)?.[1];
  if (pattern !== undefined)
    return new RegExp(pattern, 'u').test(String(value ?? ''))
      ? undefined
      : `Expected ${expected} in ${where}, got ${shown(value)}.`;
  return value === expected ? undefined : `Expected ${shown(expected)} in ${where}, got ${shown(value)}.`;
}

const fieldIn = (where: string, name: string): string =>
  where === 'the body' ? `the field ${name}` : `${where}.${name}`;

const EXCERPT = 160;
const shown = (value: unknown): string => {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
};

const excerptOf = ({ text }: Response): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  if (line === '') return ' without a body';
  return ` with ${line.length > EXCERPT ? `${line.slice(0, EXCERPT)}…` : line}`;
};

export const hasStatus = (expected: readonly (number | string)[], status: number): boolean =>
  expected.some((one) => {
    if (typeof one === 'number') return one === status;
    const [from = 0, to = 0] = one.split('-').map(Number);
    return status >= from && status <= to;
  });
