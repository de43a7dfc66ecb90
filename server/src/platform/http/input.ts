import type { z } from 'zod';
import { FieldErrors } from './failure.ts';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Parses a part of a request by its schema. Throws `FieldErrors` with a list of sentences per field. */
export const parserOf = (schema: z.ZodType | undefined) => (given: unknown) => {
  if (!schema) return undefined;
  let parsed = schema.safeParse(given);
  for (let input = given; !parsed.success; parsed = schema.safeParse(input)) {
    const rest = withoutNulls(input, refusedPaths(parsed.error.issues));
    if (rest === undefined) throw fieldErrors(parsed.error.issues);
    input = rest;
  }
  return parsed.data;
};

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
  if (nulls.length === 0) return undefined;
  const copy = structuredClone(given);
  for (const path of nulls)
    delete (at(copy, path.slice(0, -1)) as Record<PropertyKey, unknown>)[path.at(-1) ?? ''];
  return copy;
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
