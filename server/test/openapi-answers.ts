import { z } from 'zod';
import type { Exchange } from './wire.ts';

type Json = Record<string, unknown>;

interface Operation {
  operationId: string;
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

/** What is wrong with an answer by the OpenAPI document alone, as a client made from it would find. */
export function answerProblems(document: Json, { route, status, text, headers }: Exchange): string[] {
  const at = `${route.method} ${route.path} ${status}`;
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  const operation = (document.paths as Record<string, Record<string, Operation>>)[path]?.[
    route.method.toLowerCase()
  ];
  if (!operation) return [`${at}: not in the document`];
  const response = operation.responses[String(status)];
  if (!response) return [`${at}: a status that is not in the document`];
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return text === '' ? [] : [`${at}: a body where none is promised`];
  if (!headers['content-type']?.startsWith('application/json')) return [`${at}: not JSON`];
  const result = z.fromJSONSchema(inlined(schema, document) as never).safeParse(JSON.parse(text));
  return result.success ? [] : [`${at}: ${z.prettifyError(result.error)}`];
}

/** Replaces component references by their definitions. None of them is recursive. */
export function inlined(schema: unknown, document: Json): unknown {
  if (Array.isArray(schema)) return schema.map((item) => inlined(item, document));
  if (schema === null || typeof schema !== 'object') return schema;
  const { $ref } = schema as { $ref?: string };
  if ($ref !== undefined) return inlined(pointedAt($ref, document), document);
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, inlined(value, document)]));
}

function pointedAt(reference: string, document: Json): unknown {
  const found = reference
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((value, name) => (value as Json | undefined)?.[name], document);
  if (found === undefined) throw new Error(`${reference} names nothing`);
  return found;
}
