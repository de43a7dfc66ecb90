import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Expectation } from './expectation.ts';
import { SettingsError } from './settings-error.ts';
import type { Signature } from './signing.ts';

/**
 * The systems whose requests are played. Each is a JSON file in `systems/`, so a new one is a new file. README.md describes the
 * fields.
 */
export const KINDS = ['sms', 'email', 'voice', 'api'] as const;
/** What an address is for. `api` is the base of an interface with several paths. */
export type Kind = (typeof KINDS)[number];

/** The parts of a request, with placeholders. At most one of `json`, `form` and `text` is present. */
export interface RequestFormat {
  method?: string;
  /** appended to the address */
  path?: string;
  headers?: Record<string, string>;
  json?: object;
  form?: Record<string, string>;
  /** a body that is neither, sent as it is */
  text?: string;
}

export interface Version extends RequestFormat {
  name: string;
  kind: Kind;
  /** the expected messages, if they are not the code to the recipient alone */
  messages?: { to: string; code: string }[];
  /** replaces that of the system */
  sign?: Signature;
  accepted?: Expectation[];
}

export interface Step extends RequestFormat {
  /** what the step does, as an imperative */
  do: string;
  /** reads the message to the recipient and stores its code; without visible messages, the flow ends here */
  read_code?: boolean;
  expect?: Expectation[];
  /** repeats the request until it gets the first of the expected responses, at most so many times */
  repeat?: number;
  /** names of values and where the response has them, with dots between the fields */
  save?: Record<string, string>;
}

export interface Flow {
  name: string;
  kind: Kind;
  steps: Step[];
}

export interface System {
  /** the name of its file */
  id: string;
  name: string;
  /** where the formats are documented */
  sources: string[];
  /** values besides `secret` that the settings must have */
  needs?: string[];
  sign?: Signature;
  /** how long the system waits for all of its attempts together */
  gives_up_after_seconds: number;
  headers?: Record<string, string>;
  accepted?: Expectation[];
  refused?: Expectation[];
  unauthorized?: Expectation[];
  /** single requests, each played in every variation */
  versions?: Version[];
  /** requests that depend on each other */
  flows?: Flow[];
}

export const FOLDER = join(import.meta.dirname, 'systems');

/** All systems, by name of their file. Throws SettingsError if a file has a field that nothing reads, such as a misspelled one. */
export const allSystems = (): System[] =>
  readdirSync(FOLDER)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => {
      const given = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Omit<System, 'id'>;
      checkFields(file, given);
      return { id: file.slice(0, -'.json'.length), ...given };
    });

const REQUEST = ['method', 'path', 'headers', 'json', 'form', 'text'];
const RESPONSES = ['accepted', 'refused', 'unauthorized'];
const FIELDS = {
  system: [
    'name',
    'sources',
    'needs',
    'sign',
    'gives_up_after_seconds',
    'headers',
    'versions',
    'flows',
    ...RESPONSES,
  ],
  version: ['name', 'kind', 'messages', 'sign', 'accepted', ...REQUEST],
  flow: ['name', 'kind', 'steps'],
  step: ['do', 'read_code', 'expect', 'repeat', 'save', ...REQUEST],
  response: ['status', 'type', 'headers', 'json', 'text'],
};

export function checkFields(file: string, system: Omit<System, 'id'>): void {
  const check = (what: keyof typeof FIELDS, given: object | undefined) => {
    const unknown = Object.keys(given ?? {}).find((name) => !FIELDS[what].includes(name));
    if (unknown !== undefined) throw new SettingsError(`${file}: a ${what} has no field "${unknown}".`);
  };
  check('system', system);
  for (const version of system.versions ?? []) check('version', version);
  for (const flow of system.flows ?? []) {
    check('flow', flow);
    for (const step of flow.steps) {
      check('step', step);
      for (const response of step.expect ?? []) check('response', response);
    }
  }
  for (const response of [system.accepted, system.refused, system.unauthorized].flat())
    check('response', response);
}
