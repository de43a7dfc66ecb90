import { openApi } from '@sixdigit/contract/openapi/openapi.ts';
import { operatorRoutes } from '@sixdigit/contract/operator/routes.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { routes } from '@sixdigit/contract/routes.ts';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import type { Server } from '../src/platform/http/serve.ts';

type Json = Record<string, unknown>;

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
}

/** One response to a call of the contract. */
export interface GivenAnswer {
  route: Pick<Route, 'method' | 'path'>;
  status: number;
  contentType: string;
  text: string;
}

const document = openApi(
  { brand: 'Sixdigit', serverUrl: 'http://sixdigit.test/api/v1', supportEmail: 'help@acme.test' },
  [...routes, ...operatorRoutes],
);
const paths = document.paths as Record<string, Record<string, Operation>>;
const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
ajv.addKeyword('x-reasons');
ajvFormats.default(ajv);

const checks = new Map<Json, ValidateFunction>();
const checksByText = new Map<string, ValidateFunction>();

/**
 * Compiling costs milliseconds, so each schema is compiled once, on first use. Most refusals differ only in their reasons, which
 * ajv does not check.
 */
function checkOf(schema: Json): ValidateFunction {
  const known = checks.get(schema);
  if (known) return known;
  const whole = inlined(schema, document) as Json;
  const text = JSON.stringify(whole, (key, value) => (key === 'x-reasons' ? undefined : value));
  const check = checksByText.get(text) ?? ajv.compile(whole);
  checks.set(schema, check);
  checksByText.set(text, check);
  return check;
}

/** The differences between a response and the OpenAPI document, as a generated client would find them. */
export function answerProblems({ route, status, contentType, text }: GivenAnswer): string[] {
  const at = `${route.method} ${route.path} ${status}`;
  const path = route.path.replace(/:(\w+)/g, '{$1}');
  const method = route.method.toLowerCase();
  const operation = paths[path]?.[method];
  if (!operation) return [`${at}: not in the document`];
  const response = operation.responses[String(status)];
  if (!response) return [`${at}: a status that is not in the document: ${text}`];
  const [streamed] = Object.keys(response.content ?? {}).filter((type) => type !== 'application/json');
  if (streamed) return contentType.startsWith(streamed) ? [] : [`${at}: not ${streamed}`];
  const schema = response.content?.['application/json']?.schema;
  if (!schema) return text === '' ? [] : [`${at}: a body where none is promised`];
  if (!contentType.startsWith('application/json')) return [`${at}: not JSON`];
  const body: unknown = JSON.parse(text);
  const check = checkOf(schema);
  if (!check(body)) return [`${at}: ${ajv.errorsText(check.errors, { dataVar: 'answer' })}: ${text}`];
  return reasonProblem(at, schema, body);
}

/** A refusal names a reason that the document lists for this call and status. */
function reasonProblem(at: string, schema: Json, body: unknown): string[] {
  const { reason } = (body ?? {}) as { reason?: unknown };
  const listed = [schema, ...((schema.anyOf as Json[] | undefined) ?? [])].flatMap(
    (one) => (one['x-reasons'] as string[] | undefined) ?? [],
  );
  if (typeof reason !== 'string' || listed.length === 0 || listed.includes(reason)) return [];
  return [`${at}: the reason ${reason} is not in the document`];
}

/** Checks every response of a server and collects the differences. Call it before the server is ready. */
export function checkAnswers(server: Server): { assertRight(): void } {
  const problems: string[] = [];
  server.addHook('onSend', async (request, reply, payload) => {
    // Calls of other standards run in routes of the contract, and respond in their own shape.
    const route = request.routeOptions.config?.contract;
    if (!route || request.method !== route.method) return;
    const contentType = String(reply.getHeader('content-type') ?? '');
    const text = payload === null || payload === undefined ? '' : String(payload);
    problems.push(...answerProblems({ route, status: reply.statusCode, contentType, text }));
  });
  return {
    assertRight() {
      const found = new Set(problems.splice(0));
      if (found.size > 0)
        throw new Error(`Responses differ from the OpenAPI document:\n${[...found].join('\n')}`);
    },
  };
}

/** Replaces component references by their definitions, none of which is recursive. */
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
