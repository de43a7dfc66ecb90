import { factsOf } from '@sixdigit/contract/channels.ts';
import { ENVIRONMENT_CARRIERS } from '@sixdigit/contract/environment-carriers.ts';
import { MESSAGE_PLACEHOLDERS, type Proof } from '@sixdigit/contract/operator/carrier-record.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { expect, test } from 'vitest';
import { read } from '../../../test/source.ts';
import { kindOf } from './kinds.ts';

test.each(CARRIER_KINDS)('docs/carriers.md lists the channels and the settings of %s', (kind) => {
  const { label, serves } = CARRIER_KIND_FACTS[kind];
  const channels = serves.map((channel) => factsOf(channel).label).join(', ');
  const settings = Object.keys(kindOf(kind).environment?.schemas ?? {}).map((name) => `\`${name}\``);
  const row = `| ${label} | ${channels} | ${settings.join(', ') || 'only in the console'} |`;
  expect(read('docs/carriers.md').split('\n')).toContain(row);
});

test('the contract names the kinds that environment variables can set up', () => {
  expect(CARRIER_KINDS.filter((kind) => kindOf(kind).environment)).toEqual(Object.keys(ENVIRONMENT_CARRIERS));
});

test('docs/carriers.md explains every placeholder of a record', () => {
  const text = read('docs/carriers.md');
  for (const [name, meaning] of Object.entries(MESSAGE_PLACEHOLDERS))
    expect(text).toContain(`| \`{${name}}\` | ${meaning} |`);
});

// `vitest --update` writes it.
test('docs/message-companies.md says what each preset reports', async () => {
  const presets = CARRIER_KINDS.filter((kind) => CARRIER_KIND_FACTS[kind].preset);
  const text = [HEAD, ...presets.map(rowOf), ...presets.map(chapterOf)].join('\n');
  await expect(`${text}\n`).toMatchFileSnapshot('../../../../docs/message-companies.md');
});

const HEAD = `# Message companies

Presets of the [operator console](carriers.md#in-the-console), written from their records by a test. Facts that no document or program of the
company confirmed are marked: send a test message first.

| company | reports | speed | proof of reports | reason of a failure | price | replies |
|---|---|---|---|---|---|---|`;

const presetOf = (kind: CarrierKind) => {
  const { preset } = CARRIER_KIND_FACTS[kind];
  if (!preset) throw new Error(`${kind} is not a preset`);
  return preset;
};

function rowOf(kind: CarrierKind): string {
  const { reports, inbound } = presetOf(kind).record;
  const said = [...new Set(Object.values(reports?.statuses ?? {}))].filter((one) => one !== 'other');
  const cells = [
    CARRIER_KIND_FACTS[kind].label,
    said.join(', ').replaceAll('_', ' ') || 'none',
    CARRIER_KIND_FACTS[kind].reports,
    reports?.proof ? proofOf(kind, reports.proof) : reports ? 'reference' : 'none',
    reports?.error || reports?.words ? 'yes' : 'no',
    reports?.price ? 'yes' : 'no',
    inbound ? 'yes' : 'no',
  ];
  return `| ${cells.join(' | ')} |`;
}

function proofOf(kind: CarrierKind, proof: Proof): string {
  const name = {
    hmac: 'HMAC',
    ed25519: 'Ed25519',
    jwt: 'JWT',
    basic: 'Basic and secret address',
    standard_webhooks: 'Svix',
    sns: 'SNS and secret address',
  }[proof.type];
  const isOptional = CARRIER_KIND_FACTS[kind].fields.some(
    (field) => field.name === 'signing_key' && field.isOptional,
  );
  return isOptional ? `${name}, if its key is set` : name;
}

function chapterOf(kind: CarrierKind): string {
  const { label, help, fields } = CARRIER_KIND_FACTS[kind];
  const { record, notes, sources } = presetOf(kind);
  const listed = (map: Record<string, string>) =>
    Object.entries(map)
      .map(([name, meaning]) => `\`${name}\` ${meaning.replaceAll('_', ' ')}`)
      .join(' · ');
  const unsure = sources.flatMap(({ what, from }) => (from === 'elsewhere' ? [what] : []));
  return [
    '',
    `## ${label}`,
    '',
    `${help} Fields: ${fields.map((field) => field.label + (field.isOptional ? ' (optional)' : '')).join(', ')}.`,
    '',
    ...notes.map((note) => `- ${note}`),
    ...(record.reports ? [`- Statuses: ${listed(record.reports.statuses)}`] : []),
    ...(record.send.errors ? [`- Errors: ${listed(record.send.errors)}`] : []),
    `- Read in documents or code: ${sources
      .filter(({ from }) => from !== 'elsewhere')
      .map(({ what }) => what)
      .join('; ')}.`,
    ...(unsure.length > 0 ? [`- **Not confirmed**: ${unsure.join('; ')}.`] : []),
  ].join('\n');
}
