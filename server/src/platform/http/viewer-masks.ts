import { viewerTexts } from '@sixdigit/contract/viewer-texts.ts';
import type { z } from 'zod';
import { maskedNumbers, maskedRecipient } from '../security/masks.ts';

type Mask = (value: never) => unknown;
type Schema = z.core.$ZodType;
/** A schema of zod, of any kind. */
type Def = { type: string; format?: string } & Partial<
  Record<'element' | 'innerType' | 'out' | 'valueType', Schema>
> & { shape?: Record<string, Schema>; options?: readonly Schema[] };

/**
 * What viewers get of a response: the same with recipients masked. It follows the response's schema, once per call. A text is
 * unchanged only if the contract lists it in `viewerTexts` or its schema allows only ids, times or certain names. Every other
 * text, and whatever this function does not know, has its numbers and addresses masked.
 */
export function viewerMaskOf(schema: z.ZodType): (reply: unknown) => unknown {
  return (maskOf(schema) ?? unchanged) as (reply: unknown) => unknown;
}

const unchanged = (value: unknown): unknown => value;

/** Undefined if the value never contains a recipient. */
function maskOf(schema: Schema): Mask | undefined {
  const def = schema._zod.def as unknown as Def;
  switch (def.type) {
    case 'string':
      return maskOfText(schema as z.ZodString, def);
    case 'boolean':
    case 'number':
    case 'int':
    case 'null':
    case 'literal':
    case 'enum':
      return undefined;
    case 'nullable':
    case 'optional':
    case 'default':
    case 'readonly':
      return def.innerType && maskOf(def.innerType);
    case 'array':
      return def.element && each(maskOf(def.element));
    case 'object':
      return def.shape && maskOfFields(def.shape);
    case 'record':
      return def.valueType && eachValue(maskOf(def.valueType));
    default:
      return maskedValue;
  }
}

function maskOfText(schema: z.ZodString, { format }: Def): Mask | undefined {
  const listed = viewerTexts.get(schema)?.shown;
  if (listed === 'masked') return maskedRecipient;
  const isKnown = listed === 'whole' || format === 'uuid' || schema.meta()?.format === 'date-time';
  return isKnown ? undefined : maskedNumbers;
}

/** A value that is missing or null stays so. */
const each = (mask: Mask | undefined): Mask | undefined =>
  mask && ((values: unknown[] | null) => values?.map((value) => apply(mask, value)) ?? values);

const eachValue = (mask: Mask | undefined): Mask | undefined =>
  mask &&
  ((values: object | null) =>
    values &&
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [maskedNumbers(name), apply(mask, value)]),
    ));

/** A field that the schema does not name is masked. */
function maskOfFields(shape: Record<string, Schema>): Mask {
  const masks = new Map(Object.entries(shape).map(([name, field]) => [name, maskOf(field)]));
  const shown = (name: string, value: unknown): unknown => {
    const mask = masks.has(name) ? masks.get(name) : maskedValue;
    return mask ? apply(mask, value) : value;
  };
  return (fields: object) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, shown(name, value)]));
}

const apply = (mask: Mask, value: unknown): unknown =>
  value === null || value === undefined ? value : mask(value as never);

/** The value with the numbers and addresses in every text masked, at any depth. */
export function maskedValue(value: unknown): unknown {
  if (typeof value === 'string') return maskedNumbers(value);
  if (Array.isArray(value)) return value.map(maskedValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [maskedNumbers(name), maskedValue(one)]),
  );
}
