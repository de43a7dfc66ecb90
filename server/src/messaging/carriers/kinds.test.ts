import { factsOf } from '@sixdigit/contract/channels.ts';
import { ENVIRONMENT_CARRIERS } from '@sixdigit/contract/environment-carriers.ts';
import { CARRIER_KIND_FACTS, CARRIER_KINDS } from '@sixdigit/contract/operator/carrier-setups.ts';
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
