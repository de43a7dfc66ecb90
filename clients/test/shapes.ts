/** Writes the clients' shapes from the contract: `clients/typescript/src/shapes.ts` and `clients/python/src/sixdigit/shapes.py`. */
import { CHANNELS } from '@sixdigit/contract/channels.ts';
import { schemaOf } from '@sixdigit/contract/openapi/describe.ts';
import {
  OtpState,
  PlannedSendBody,
  Resend,
  ResendReply,
  resendOtp,
  SendReply,
  VerifyBody,
  VerifyReply,
} from '@sixdigit/contract/otp.ts';
import { Step } from '@sixdigit/contract/plan-fields.ts';
import { Challenge, createChallenge } from '@sixdigit/contract/proof.ts';
import { STATUSES } from '@sixdigit/contract/verifications.ts';
import { eventTypes, StepEvent, WebhookMessage } from '@sixdigit/contract/webhooks.ts';
import type { z } from 'zod';

interface Json {
  type?: string | string[];
  enum?: string[];
  const?: unknown;
  anyOf?: Json[];
  description?: string;
  properties?: Record<string, Json>;
  additionalProperties?: Json | boolean;
  items?: Json;
  required?: string[];
}

interface Field {
  name: string;
  shape: Json;
  isRequired: boolean;
}

const ENUMS: Record<string, readonly string[]> = {
  Channel: CHANNELS,
  OtpStatus: STATUSES,
  WebhookEventType: eventTypes,
};
/** Objects within other objects that have a name. */
const ITEMS = { Resend, Step, StepEvent };
const REPLIES = { SendReply, ResendReply, VerifyReply, OtpState, Challenge };
const COLUMNS = 130;

/** A shape that may be null is a union. */
const unionOf = (shape: Json): Json[] | undefined =>
  Array.isArray(shape.type) ? shape.type.map((type) => ({ ...shape, type })) : shape.anyOf;

/** An object with texts under names of the caller's own. */
const isLabels = ({ properties, additionalProperties }: Json): boolean =>
  properties === undefined && typeof additionalProperties === 'object';

const fieldsIn = ({ properties = {}, required = [] }: Json): Field[] =>
  Object.entries(properties).map(([name, shape]) => ({ name, shape, isRequired: required.includes(name) }));
const fieldsOf = (schema: z.ZodType, io: 'input' | 'output' = 'output') => fieldsIn(schemaOf(schema, io));

/** The description as lines of sentences, below `COLUMNS` with `margin` more. */
function linesOf({ description }: Json, margin: number): string[] {
  if (!description) return [];
  const lines = [''];
  for (const word of `${description}.`.split(' ')) {
    const line = [lines.at(-1), word].filter(Boolean).join(' ');
    if (line.length > COLUMNS - margin) lines.push(word);
    else lines[lines.length - 1] = line;
  }
  return lines;
}

export function typeScriptShapes(): string {
  const literals = (values: readonly string[]) => values.map((value) => `'${value}'`).join(' | ');
  const typeOf = (shape: Json, margin: string): string => {
    const union = unionOf(shape);
    if (union) return union.map((one) => typeOf(one, margin)).join(' | ');
    if (shape.enum) {
      const is = (values: readonly string[]) => values.join() === shape.enum?.join();
      return Object.keys(ENUMS).find((name) => is(ENUMS[name] ?? [])) ?? literals(shape.enum);
    }
    if (shape.const !== undefined)
      return typeof shape.const === 'string' ? literals([shape.const]) : String(shape.const);
    if (isLabels(shape)) return 'Record<string, string>';
    if (shape.items) return `${typeOf(shape.items, margin)}[]`;
    if (shape.type === 'object') return nameOf(shape) ?? block(fieldsIn(shape), margin);
    return shape.type === 'integer' ? 'number' : String(shape.type);
  };
  const nameOf = (shape: Json): string | undefined => {
    const names = Object.keys(shape.properties ?? {}).join();
    return Object.entries(ITEMS).find(([, schema]) => Object.keys(schema.shape).join() === names)?.[0];
  };
  const comment = (shape: Json, margin: string): string => {
    const lines = linesOf(shape, margin.length + 7);
    if (lines.length < 2) return lines.map((line) => `${margin}/** ${line} */\n`).join('');
    return `${margin}/**\n${lines.map((line) => `${margin} * ${line}\n`).join('')}${margin} */\n`;
  };
  function block(fields: readonly Field[], margin = ''): string {
    const within = `${margin}  `;
    const lines = fields.map(({ name, shape, isRequired }) => {
      const type = typeOf(shape, within);
      return `${comment(shape, within)}${within}${name}${isRequired ? `: ${type}` : `?: ${type} | undefined`};\n`;
    });
    return `{\n${lines.join('')}${margin}}`;
  }
  const shapes = {
    SendInput: fieldsOf(PlannedSendBody, 'input'),
    SendReply: fieldsOf(SendReply),
    ResendInput: fieldsOf(resendOtp.body, 'input'),
    ResendReply: fieldsOf(ResendReply),
    VerifyInput: fieldsOf(VerifyBody, 'input'),
    VerifyReply: fieldsOf(VerifyReply),
    ChallengeInput: fieldsOf(createChallenge.body, 'input'),
    Challenge: fieldsOf(Challenge),
    Resend: fieldsOf(Resend),
    Step: fieldsOf(Step),
    OtpState: fieldsOf(OtpState),
    StepEvent: fieldsOf(StepEvent),
    WebhookEvent: fieldsOf(WebhookMessage),
  };
  const enums = Object.entries(ENUMS).map(([name, values]) => {
    const line = `export type ${name} = ${literals(values)};`;
    return line.length > 110
      ? `export type ${name} =\n${values.map((value) => `  | '${value}'`).join('\n')};`
      : line;
  });
  const states = new Map(shapes.OtpState.map((field) => [field.name, field]));
  const repeated = shapes.SendInput.filter(
    ({ name, isRequired }) => isRequired || (states.has(name) && unionOf(states.get(name)?.shape ?? {})),
  ).map(({ name, isRequired }) => `  ${name}: input.${name}${isRequired ? '' : ' ?? null'},\n`);
  return `/**
 * The requests and replies of the calls that an API key can make. Their fields have the names of the API, and times are ISO 8601.
 * \`npm run shapes\` writes this file.
 */
${enums.join('\n')}

${Object.entries(shapes)
  .map(([name, fields]) => `export interface ${name} ${block(fields)}\n`)
  .join('\n')}
/** The fields of a send that its state repeats. */
export const repeated = (input: SendInput) => ({
${repeated.join('')}});
`;
}

export function pythonShapes(): string {
  const names: Record<string, string> = { string: 'str', integer: 'int', boolean: 'bool' };
  const nameOf = (shape: Json): string =>
    isLabels(shape)
      ? 'Dict[str, str]'
      : shape.items
        ? `List[${shape.items.properties ? 'Dict[str, Any]' : nameOf(shape.items)}]`
        : (names[String(shape.type ?? typeof shape.const)] ?? 'Any');
  const typeOf = (shape: Json): string => {
    const [first = shape, ...others] = unionOf(shape) ?? [];
    if (others.some(({ items }) => items)) return `Union[${[first, ...others].map(nameOf).join(', ')}]`;
    return others.length > 0 ? `Optional[${nameOf(first)}]` : nameOf(first);
  };
  const inPython = ({ description = '' }: Json) =>
    description.replace('; otherwise absent', '').replace(/\b(?:null|absent)\b/gi, 'None');
  const comment = (shape: Json) =>
    linesOf({ description: inPython(shape) }, 7).map((line) => `    #: ${line}\n`);
  const absentOf = (shape: Json): string => {
    const type = typeOf(shape);
    if (type === 'bool') return 'bool = False';
    return `${type.startsWith('Optional') ? type : `Optional[${type}]`} = None`;
  };
  const dataclass = (name: string, schema: z.ZodType): string =>
    `@dataclass(frozen=True)\nclass ${name}:\n${fieldsOf(schema)
      .sort((one, other) => Number(other.isRequired) - Number(one.isRequired))
      .map(
        ({ name, shape, isRequired }) =>
          `${comment(shape).join('')}    ${name}: ${isRequired ? typeOf(shape) : absentOf(shape)}\n`,
      )
      .join('')}`;
  const inputs = fieldsOf(PlannedSendBody, 'input');
  const parameters = [
    ...inputs.map(({ name, shape, isRequired }) =>
      isRequired ? `${name}: ${typeOf(shape)}` : `${name}: Optional[${typeOf(shape)}] = None`,
    ),
    'idempotency_key: Optional[str] = None',
  ];
  const details = inputs.map(({ name, shape }) => {
    const lines = linesOf({ description: `\`\`${name}\`\`: ${shape.description}` }, 12);
    return lines.map((line, n) => `        ${n === 0 ? '' : '    '}${line}\n`).join('');
  });
  const doc = `"""Sends a code. Returns as soon as the service has stored it; \`\`get\`\` and webhooks tell of the delivery.

${details.join('')}
        Pass an \`\`idempotency_key\`\`, such as the id of a job, to make repetitions safe across restarts.
        """`;
  const sends = (name: string, [async, wait, its]: readonly [string, string, string]) => `class ${name}:
    ${async}def _send(self, fields: Dict[str, Any], idempotency_key: Optional[str]) -> SendReply:
        raise NotImplementedError

    ${async}def send(
        self,
        *,
${parameters.map((one) => `        ${one},\n`).join('')}    ) -> SendReply:
        ${its}
        fields = {
${inputs.map(({ name }) => `            "${name}": ${name},\n`).join('')}        }
        return ${wait}self._send(fields, idempotency_key)
`;
  return `"""The replies of the API, and the call to send. Their fields have the names of the API, and times are ISO 8601.
\`\`npm run shapes\`\` writes this file."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Dict, List, Optional, Type, TypeVar, Union

T = TypeVar("T")


${Object.entries(REPLIES)
  .map(([name, schema]) => `${dataclass(name, schema)}\n\n`)
  .join('')}def parse(shape: Type[T], body: Dict[str, Any]) -> T:
    """Ignores the fields of later versions of the service."""
    names = {field.name for field in fields(shape)}  # type: ignore[arg-type]
    return shape(**{name: value for name, value in body.items() if name in names})


${sends('Sends', ['', '', doc])}

${sends('AsyncSends', ['async ', 'await ', '"""See ``Sixdigit.send``."""'])}`;
}
