/** The reference of a call, derived from its route. */

import { type FailureReason, failures } from '../errors.ts';
import { type Json, reasonsOf, schemaOf } from '../openapi/describe.ts';
import type { Route } from '../route.ts';

export interface Field {
  /** the name of the route */
  of: string;
  part: 'body' | 'reply';
  name: string;
  /** 'string', 'integer', '"sms" | "voice"' */
  type: string;
  isRequired: boolean;
  description: string;
}

export function fieldsOf(route: Route, part: 'body' | 'reply'): Field[] {
  const schema = route[part];
  if (!schema) return [];
  const json = schemaOf(schema, part === 'body' ? 'input' : 'output') as {
    properties?: Record<string, Json>;
    required?: string[];
  };
  return Object.entries(json.properties ?? {}).map(([name, property]) => ({
    of: route.name,
    part,
    name,
    type: typeOf(property),
    isRequired: (json.required ?? []).includes(name),
    description: [property.description, part === 'body' ? limitsOf(property) : undefined]
      .filter((text) => text !== undefined)
      .join('. '),
  }));
}

function typeOf(property: Json): string {
  const { type, format, anyOf } = property as { type?: string | string[]; format?: string; anyOf?: Json[] };
  if (Array.isArray(property.enum)) return property.enum.map((value) => JSON.stringify(value)).join(' | ');
  if (property.const !== undefined) return JSON.stringify(property.const);
  if (anyOf) return anyOf.map(typeOf).join(' | ');
  if (format === 'date-time') return 'ISO 8601 time';
  if (format === 'uuid') return 'UUID';
  return Array.isArray(type) ? type.join(' | ') : (type ?? 'any');
}

function limitsOf(property: Json): string | undefined {
  const { minLength, maxLength } = property as Record<string, number | undefined>;
  if (maxLength === undefined) return undefined;
  return minLength !== undefined && minLength > 1
    ? `${minLength} to ${maxLength} characters`
    : `At most ${maxLength} characters`;
}

export interface Refusal {
  /** the name of the route */
  of: string;
  status: number;
  error: string;
  reason: FailureReason;
  /** when it happens, and what to do */
  note?: string;
}

/** The beginning of a description's paragraph about one reason. */
const ABOUT = /^`(\w+)` means that (.)/;

const paragraphsOf = (route: Route): string[] => (route.description ?? '').split('\n\n');

/** The description without its paragraphs about one reason, which are in the table of errors. */
export const proseOf = (route: Route): string[] =>
  paragraphsOf(route).filter((paragraph) => !ABOUT.test(paragraph));

export function refusalsOf(route: Route): Refusal[] {
  const notes = new Map(
    paragraphsOf(route).map((paragraph) => [
      ABOUT.exec(paragraph)?.[1],
      paragraph.replace(ABOUT, (_, _reason, first: string) => first.toUpperCase()),
    ]),
  );
  return reasonsOf(route)
    .map((reason) => {
      const note = notes.get(reason);
      return { of: route.name, reason, ...failures[reason], ...(note && { note }) };
    })
    .sort((a, b) => a.status - b.status);
}

/** The ids of the table rows. */
export const fieldId = ({ of, part, name }: Field): string => `${of}-${part}-${name}`;
export const errorId = ({ of, reason }: Refusal): string => `${of}-error-${reason}`;
