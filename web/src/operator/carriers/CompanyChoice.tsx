import { Alert, Button, TextInput } from '@mantine/core';
import { factsOf } from '@sixdigit/contract/channels.ts';
import {
  CARRIER_KIND_FACTS,
  CARRIER_KINDS,
  type CarrierKind,
} from '@sixdigit/contract/operator/carrier-setups.ts';
import { SENDER_RULES } from '@sixdigit/contract/operator/sender-rules.ts';
import { useState } from 'react';
import { CountryInput } from '../../form/CountryInput.tsx';
import { countryName } from '../../ui/display-names.ts';
import { Note, Row, Rows, RowText } from '../Rows.tsx';

const FOR_PHONES = CARRIER_KINDS.filter((kind) =>
  CARRIER_KIND_FACTS[kind].serves.some((channel) => factsOf(channel).recipient === 'phone'),
);

/** A phone needs no contract, so it comes first. Then the companies of the country, because the others deliver there too. */
function rankOf(kind: CarrierKind, country: string): number {
  const { group, home } = CARRIER_KIND_FACTS[kind];
  if (group === 'A phone as a gateway') return 0;
  if (country !== '' && home === country) return 1;
  return group === 'Message company' ? 2 : 3;
}

/** By the company's name, or by the country where it is based. */
const matches = (kind: CarrierKind, text: string): boolean => {
  const { label, help, home } = CARRIER_KIND_FACTS[kind];
  const about = `${label} ${help} ${home === undefined ? '' : countryName(home)}`;
  return about.toLowerCase().includes(text.trim().toLowerCase());
};

export const companiesFor = (country: string, text: string): CarrierKind[] =>
  FOR_PHONES.filter((kind) => matches(kind, text)).toSorted(
    (a, b) => rankOf(a, country) - rankOf(b, country),
  );

interface Props {
  country: string;
  /** undefined if the operator may not add carriers */
  choose: ((kind: CarrierKind) => void) | undefined;
}

/** Phones as gateways and message companies, with what they report. */
export function CompanyChoice({ country, choose }: Props) {
  const [text, setText] = useState('');
  const found = companiesFor(country, text);
  return (
    <>
      <TextInput
        label="Company"
        placeholder="Search by name or country"
        autoComplete="off"
        spellCheck={false}
        className="mb-3"
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
      />
      <Rows aria-label="Companies">
        {found.map((kind) => (
          <Company key={kind} kind={kind} choose={choose} />
        ))}
      </Rows>
      {found.length === 0 ? (
        <Note>No company matches. “Any company with an HTTP API” takes a record that you write.</Note>
      ) : null}
    </>
  );
}

const Company = ({ kind, choose }: Pick<Props, 'choose'> & { kind: CarrierKind }) => {
  const { label, help, home } = CARRIER_KIND_FACTS[kind];
  return (
    <Row>
      <RowText>
        <span>
          <strong>{label}</strong>
          {home === undefined ? null : <span className="text-13 text-ink-soft"> · {countryName(home)}</span>}
        </span>
        <small>{help}</small>
      </RowText>
      {choose ? (
        <Button
          variant="default"
          size="compact-sm"
          aria-label={`Set up ${label}`}
          onClick={() => choose(kind)}
        >
          Set Up
        </Button>
      ) : null}
    </Row>
  );
};

interface CountryProps {
  country: string;
  onChange: (country: string) => void;
}

/** The country of the first recipients, and what it demands of a sender. */
export const RecipientCountry = ({ country, onChange }: CountryProps) => (
  <div>
    <CountryInput
      label="Country of your first recipients"
      description="Companies deliver to most countries, but some countries demand a registration first."
      placeholder="Choose a country"
      isOptional
      value={country}
      onChange={onChange}
    />
    <div aria-live="polite" className="not-empty:mt-3">
      {country === '' ? null : <SenderNeeds country={country} />}
    </div>
  </div>
);

function SenderNeeds({ country }: { country: string }) {
  const rule = SENDER_RULES[country];
  const name = countryName(country);
  if (!rule)
    return (
      <Note>We know of no registration for {name}. Ask your message company before you send many codes.</Note>
    );
  return (
    <Alert color="orange" title={`Before you send to ${name} through a message company`}>
      {rule.needs}
      {rule.from === 'elsewhere' ? ' Not confirmed by a company’s document: ask yours.' : null}
    </Alert>
  );
}
