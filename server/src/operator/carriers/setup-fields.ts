import { type Channel, factsOf } from '@sixdigit/contract/channels.ts';
import { REQUIRED } from '@sixdigit/contract/field.ts';
import type { CarrierField } from '@sixdigit/contract/operator/carrier-kinds/facts.ts';
import { CARRIER_KIND_FACTS, type CarrierKind } from '@sixdigit/contract/operator/carrier-setups.ts';
import { type FieldValues, kindOf } from '../../messaging/carriers/carriers.ts';
import { FieldErrors } from '../../platform/http/failure.ts';
import type { Needs } from '../../platform/platform.ts';

/** Validates a carrier's fields by its kind. */
interface Entered {
  kind: CarrierKind;
  channels: readonly Channel[];
  given: FieldValues;
  /** the stored values of a carrier that changes */
  was?: { fields: FieldValues; secrets: FieldValues };
}

/** Empty secrets keep their stored values. Throws field errors. */
export function checkedFields(
  app: Needs<'config'>,
  { kind, channels, given, was }: Entered,
): { fields: FieldValues; secrets: FieldValues } {
  const { label, serves, fields: facts } = CARRIER_KIND_FACTS[kind];
  return enteredFields(facts, { given, was }, (values) => {
    const wrong = channels.find((channel) => !serves.includes(channel));
    return {
      ...kindOf(kind).fieldProblems(values, { config: app.config, channels }),
      ...(wrong && { channels: `${label} does not serve ${factsOf(wrong).label}.` }),
    };
  });
}

type Values<Name extends string> = Partial<Record<Name, string | undefined>>;

/** The same for the fields of any setup. `problemsOf` checks the values of the kind. */
export function enteredFields<Name extends string>(
  facts: readonly CarrierField<Name>[],
  { given, was }: { given: Values<Name>; was?: { fields: Values<Name>; secrets: Values<Name> } | undefined },
  problemsOf: (values: Values<Name>) => Record<string, string | undefined>,
): { fields: Values<Name>; secrets: Values<Name> } {
  const fields: Values<Name> = {};
  const secrets: Values<Name> = {};
  const problems: Record<string, string | undefined> = {};
  for (const { name, isSecret } of facts) {
    const value = given[name] || (isSecret ? was?.secrets[name] : undefined);
    if (value) (isSecret ? secrets : fields)[name] = value;
  }
  if (was && hasMoved(facts, fields, was.fields))
    for (const { name, isSecret } of facts)
      if (isSecret && was.secrets[name] && !given[name] && secrets[name])
        problems[name] = 'Enter it again: it would be sent to another place than before.';
  for (const { name, goesWith } of facts)
    if (goesWith && !fields[goesWith] && !given[name]) {
      delete secrets[name];
      delete problems[name];
    }
  const values = { ...fields, ...secrets };
  for (const { name, isOptional, options } of facts) {
    if (!isOptional && !values[name]) problems[name] ??= REQUIRED;
    if (options && values[name] && !options.some(({ value }) => value === values[name]))
      problems[name] ??= `Choose one of: ${options.map(({ value }) => value).join(', ')}.`;
  }
  for (const [name, problem] of Object.entries(problemsOf(values))) problems[name] ??= problem;
  const all = Object.entries(problems).filter((one): one is [string, string] => Boolean(one[1]));
  if (all.length > 0)
    throw new FieldErrors(Object.fromEntries(all.map(([name, problem]) => [name, [problem]])));
  return { fields, secrets };
}

/** Whether a secret would be sent to another place. Someone who does not know the secret could read it there. */
const hasMoved = <Name extends string>(
  facts: readonly CarrierField<Name>[],
  now: Values<Name>,
  was: Values<Name>,
): boolean =>
  facts.some(({ name, receivesSecret }) => receivesSecret && (now[name] ?? '') !== (was[name] ?? ''));

/** What the audit records of fields: no query of a URL, which could contain a secret, be it in a record of JSON. */
export const auditedFields = (fields: Values<string>): Values<string> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value && withoutQueries(value)]));

function withoutQueries(value: string): string {
  const masked = (text: string): string => text.replace(/\?.*/s, '?…');
  if (!value.trimStart().startsWith('{')) return masked(value);
  try {
    return JSON.stringify(JSON.parse(value), (_, one) => (typeof one === 'string' ? masked(one) : one));
  } catch {
    return masked(value);
  }
}
