import type { LineType } from '../protection/lookups.ts';
import { apiUrl, type CarrierField } from './carrier-kinds/facts.ts';
import type { LookupRecord } from './carrier-record.ts';

type Field = CarrierField<
  'account_sid' | 'auth_token' | 'username' | 'password' | 'api_key' | 'max_age' | 'record' | 'api_url'
>;

interface LookupKindFacts {
  label: string;
  help: string;
  fields: readonly Field[];
  /** Undefined if an operator writes the record. */
  record?: LookupRecord;
  /** Whether a fact was read in the company's documents or its own code, or only elsewhere. */
  sources: readonly { what: string; from: 'document' | 'code' | 'elsewhere' }[];
}

const TWILIO_LINES: Record<string, LineType> = {
  mobile: 'mobile',
  landline: 'landline',
  fixedVoip: 'fixed_voip',
  nonFixedVoip: 'non_fixed_voip',
  personal: 'personal',
  tollFree: 'toll_free',
  premium: 'premium',
  sharedCost: 'shared_cost',
  uan: 'other',
  voicemail: 'voicemail',
  pager: 'pager',
};

const twilio: LookupKindFacts = {
  label: 'Twilio Lookup',
  help: 'Twilio’s Lookup API, version 2: line type and SIM swap. Twilio enables SIM swap on request.',
  fields: [
    {
      name: 'account_sid',
      label: 'Account SID or API key',
      help: 'An API key can be revoked alone.',
      placeholder: 'AC…',
      receivesSecret: true,
    },
    {
      name: 'auth_token',
      label: 'Auth token or secret',
      help: 'Of the Account SID or API key.',
      isSecret: true,
    },
    apiUrl('https://lookups.twilio.com'),
  ],
  record: {
    send: {
      url: '{api_url}/v2/PhoneNumbers/{to}?Fields=line_type_intelligence,sim_swap',
      method: 'GET',
      format: 'json',
      body: {},
      auth: { type: 'basic', username: '{account_sid}', password: '{auth_token}' },
    },
    found: {
      line_type: 'line_type_intelligence.type',
      line_types: TWILIO_LINES,
      carrier: ['line_type_intelligence.carrier_name', 'sim_swap.carrier_name'],
      country: 'country_code',
      sim_changed_at: 'sim_swap.last_sim_swap.last_sim_swap_date',
      sim_changed: 'sim_swap.last_sim_swap.swapped_in_period',
      sim_hours: 'sim_swap.last_sim_swap.swapped_period',
    },
    // Free, because it names no fields.
    check: { url: '{api_url}/v2/PhoneNumbers/%2B14155552671' },
  },
  sources: [
    {
      what: 'the request, the names of the two packages, and the free request of the check',
      from: 'document',
    },
    { what: 'the members of line_type_intelligence and the line types', from: 'elsewhere' },
    { what: 'the members of sim_swap and the duration PT…H', from: 'elsewhere' },
  ],
};

const prelude: LookupKindFacts = {
  label: 'Prelude Lookup',
  help: 'Prelude’s Lookup API, version 2: line type, carrier, ported and temporary numbers.',
  fields: [
    { name: 'api_key', label: 'API key', help: 'A v2 key of the dashboard.', isSecret: true },
    apiUrl('https://api.prelude.dev'),
  ],
  record: {
    send: {
      url: '{api_url}/v2/lookup/{to}',
      method: 'GET',
      format: 'json',
      body: {},
      auth: { type: 'bearer', token: '{api_key}' },
    },
    found: {
      line_type: 'line_type',
      line_types: {
        mobile: 'mobile',
        fixed_line: 'landline',
        voip: 'voip',
        premium_rate: 'premium',
        toll_free: 'toll_free',
        shared_cost: 'shared_cost',
        pager: 'pager',
        voice_mail: 'voicemail',
        satellite: 'satellite',
        calling_cards: 'other',
        isp: 'other',
        local_rate: 'other',
        other: 'other',
        payphone: 'other',
        service: 'other',
        short_codes_commercial: 'other',
        universal_access: 'other',
        vpn: 'other',
      },
      carrier: 'network_info.carrier_name',
      country: 'country_code',
      ported: { list: 'flags', has: 'ported' },
      temporary: { list: 'flags', has: 'temporary' },
    },
  },
  sources: [
    { what: 'the request and the members of the response', from: 'document' },
    { what: 'the line types and flags', from: 'code' },
  ],
};

/** A token of an OAuth server expires, so a gateway with a lasting key is needed in front of most operators. */
const camaraFields = [
  {
    name: 'api_key',
    label: 'Access token',
    help: 'Sent as Bearer. It must last: Sixdigit requests no tokens.',
    isSecret: true,
  },
  {
    name: 'api_url',
    label: 'API address',
    help: 'The root of the operator’s APIs, without /sim-swap.',
    placeholder: 'https://api.example.com',
    receivesSecret: true,
  },
] as const;

const camara: LookupKindFacts = {
  label: 'CAMARA SIM Swap (date)',
  help: 'POST /sim-swap/v0/retrieve-date at a mobile operator or an aggregator.',
  fields: camaraFields,
  record: {
    send: {
      url: '{api_url}/sim-swap/v0/retrieve-date',
      method: 'POST',
      format: 'json',
      body: { phoneNumber: '{to}' },
      auth: { type: 'bearer', token: '{api_key}' },
    },
    found: { sim_changed_at: 'latestSimChange' },
  },
  sources: [
    { what: 'the request and latestSimChange, which can be null', from: 'document' },
    { what: 'the address /sim-swap/v0, which each operator can prefix', from: 'elsewhere' },
  ],
};

const camaraCheck: LookupKindFacts = {
  label: 'CAMARA SIM Swap (check)',
  help: 'POST /sim-swap/v0/check, for operators that give no date.',
  fields: [
    ...camaraFields,
    {
      name: 'max_age',
      label: 'Hours',
      help: 'The operator says whether the SIM changed within these hours, 1 to 2,400. Use the hours of your rule.',
      placeholder: '240',
      default: '240',
      isOptional: true,
    },
  ],
  record: {
    send: {
      url: '{api_url}/sim-swap/v0/check',
      method: 'POST',
      format: 'json',
      body: { phoneNumber: '{to}', maxAge: '{max_age}' },
      auth: { type: 'bearer', token: '{api_key}' },
    },
    found: { sim_changed: 'swapped', sim_hours: '{max_age}' },
  },
  sources: [
    { what: 'the request, swapped, and maxAge from 1 to 2400', from: 'document' },
    { what: 'the address /sim-swap/v0, which each operator can prefix', from: 'elsewhere' },
  ],
};

const custom: LookupKindFacts = {
  label: 'Any company with an HTTP API',
  help: 'You describe its request and its response as a record.',
  fields: [
    {
      name: 'record',
      label: 'Record',
      help: 'JSON. {to} stands for the number, {api_key} and the other fields for what you enter here.',
      isLong: true,
      receivesSecret: true,
    },
    { name: 'username', label: 'User name', help: 'For {username}.', isOptional: true, receivesSecret: true },
    { name: 'password', label: 'Password', help: 'For {password}.', isSecret: true, isOptional: true },
    { name: 'api_key', label: 'API key', help: 'For {api_key}.', isSecret: true, isOptional: true },
    {
      name: 'api_url',
      label: 'API address',
      help: 'For {api_url}.',
      placeholder: 'https://api.example.com',
      isOptional: true,
      receivesSecret: true,
    },
  ],
  sources: [],
};

const FACTS = { twilio, prelude, camara, camara_check: camaraCheck, custom };
export type LookupKind = keyof typeof FACTS;
export const LOOKUP_KINDS = Object.keys(FACTS) as [LookupKind, ...LookupKind[]];
export const LOOKUP_KIND_FACTS: Record<LookupKind, LookupKindFacts> = FACTS;

export type LookupField = Field;
export type LookupFieldName = Field['name'];
export const LOOKUP_FIELD_NAMES: readonly LookupFieldName[] = [
  ...new Set(LOOKUP_KINDS.flatMap((kind) => LOOKUP_KIND_FACTS[kind].fields.map(({ name }) => name))),
];
