import type { z } from 'zod';
import { FieldErrors } from './failure.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Parses a part of a request by its schema. Throws `FieldErrors` with a list of sentences per field. */
export const parserOf = (schema: z.ZodType | undefined) => (given: unknown) => {
  if (!schema) return undefined;
  let parsed = schema.safeParse(given);
  for (let input = given; !parsed.success; parsed = schema.safeParse(input)) {
    const paths = refusedPaths(parsed.error.issues);
    const rest = withoutNulls(input, paths) ?? withTexts(input, parsed.error.issues);
    if (rest === undefined) throw fieldErrors(parsed.error.issues);
    input = rest;
  }
  return parsed.data;
};

/** Parses a query. Throws `FieldErrors` also for a parameter that the call does not have: a filter must not be ignored. */
export const queryParserOf = (schema: z.ZodType | undefined) => {
  const parse = parserOf(schema);
  const { shape } = (schema ?? {}) as { shape?: Readonly<Record<string, unknown>> };
  return (given: unknown) => {
    const unknown = shape ? Object.keys(given as object).filter((name) => !Object.hasOwn(shape, name)) : [];
    if (unknown.length > 0)
      throw new FieldErrors(
        Object.fromEntries(unknown.map((name) => [name, [unknownParameter(Object.keys(shape ?? {}))]])),
      );
    return parse(given);
  };
};

const unknownParameter = (names: readonly string[]): string =>
  `There is no such parameter. This call has: ${names.join(', ')}.`;

function fieldErrors(issues: readonly Issue[]): FieldErrors {
  const fields: Record<string, string[]> = {};
  for (const issue of issues) {
    const name = issue.path.length === 0 ? 'body' : String(issue.path[0]);
    const sentences = fields[name] ?? [];
    if (!sentences.includes(issue.message)) fields[name] = [...sentences, issue.message];
  }
  return new FieldErrors(fields);
}

/** The paths that a schema rejected, including those within the alternatives of a union. */
const refusedPaths = (issues: readonly Issue[], above: Path = []): Path[] =>
  issues.flatMap((issue) => {
    const path = [...above, ...issue.path];
    const within =
      issue.code === 'invalid_union' ? issue.errors.flatMap((one) => refusedPaths(one, path)) : [];
    return [path, ...within];
  });

/**
 * A copy without the null fields that the schema rejects, because clients in many languages write absent values as null. Where
 * a schema accepts null, null has a meaning and is kept. Undefined if there is nothing to remove.
 */
function withoutNulls(given: unknown, paths: readonly Path[]): unknown {
  const nulls = paths.filter((path) => path.length > 0 && isFieldWithNull(given, path));
  return nulls.length === 0 ? undefined : changed(given, nulls, () => undefined);
}

/**
 * A copy with texts in place of the whole numbers where the schema wants a text, because many programs keep phone numbers and ids
 * as numbers. Undefined if there is none. A code is not among them, because a number lacks its leading zeros.
 */
function withTexts(given: unknown, issues: readonly Issue[]): unknown {
  const paths = issues
    .filter((issue) => issue.code === 'invalid_type' && issue.expected === 'string' && issue.path.length > 0)
    .map(({ path }) => path)
    .filter((path) => path.at(-1) !== 'code' && Number.isSafeInteger(at(given, path)));
  if (paths.length === 0) return undefined;
  return changed(given, paths, String);
}

/** A copy with other values at some paths. Copies only what holds them, because the rest may be nested deeply. */
function changed(given: unknown, paths: readonly Path[], next: (value: unknown) => unknown): unknown {
  const root: { given: unknown } = { given };
  const copies = new Set<unknown>();
  for (const path of paths) {
    let holder: Record<PropertyKey, unknown> = root;
    let name: PropertyKey = 'given';
    for (const below of path) {
      if (!copies.has(holder[name])) {
        const held = holder[name];
        holder[name] = Array.isArray(held) ? [...held] : { ...(held as object) };
        copies.add(holder[name]);
      }
      holder = holder[name] as Record<PropertyKey, unknown>;
      name = below;
    }
    const value = next(holder[name]);
    if (value === undefined) delete holder[name];
    else holder[name] = value;
  }
  return root.given;
}

const isFieldWithNull = (given: unknown, path: Path): boolean =>
  at(given, path) === null && !Array.isArray(at(given, path.slice(0, -1)));

const at = (given: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<PropertyKey, unknown>)[name]
        : undefined,
    given,
  );
