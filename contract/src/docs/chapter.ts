import type { Channel } from '../channels.ts';
import type { Route } from '../route.ts';
import type { Field, Refusal } from './reference.ts';

/** The parts of the documentation. The docs screen and its Markdown pages render the same ones. */

/** What the chapters say about one deployment and one reader. */
export interface Facts {
  /** the base URL of calls, such as `https://otp.example.com/api/v1` */
  apiUrl: string;
  smsMaxSegments: number;
  /** whom the samples send to */
  target: Target;
  /** the beginning of the key in the samples */
  keyPrefix?: string | undefined;
  /** the beginning of a sentence, such as 'Sending costs 1 credit on every channel' */
  sendCost: string;
}

/** The samples' recipient is the reader, so that a pasted sample never messages a stranger. */
export interface Target {
  channel: Channel;
  recipient: string;
}

/** The languages of the code samples. */
export const sampleLanguages = [
  { value: 'javascript', label: 'JavaScript', highlight: 'javascript' },
  { value: 'python', label: 'Python', highlight: 'python' },
  { value: 'php', label: 'PHP', highlight: 'php' },
  { value: 'curl', label: 'cURL', highlight: 'bash' },
] as const;

export type SampleLanguage = (typeof sampleLanguages)[number]['value'];
export type Samples = Record<SampleLanguage, string>;

/**
 * Text with `code`, **strong** words and [links](target). A target is a URL or a page of the dashboard, such as
 * `/protection#spend`. A text that begins with `### ` is a heading.
 */
export type Text = string;

export interface Table {
  kind: 'table';
  label: string;
  headings: readonly Text[];
  /** the first cell names the row */
  rows: readonly (readonly Text[])[];
}

export type Block =
  | Text
  /** a list of points */
  | readonly Text[]
  | Table
  /** the method and the path of a call */
  | { kind: 'endpoint'; route: Route }
  /** the status of a response, and what it means */
  | { kind: 'status'; status: number; text: Text }
  | { kind: 'fields'; label: string; fields: readonly Field[] }
  | { kind: 'refusals'; label: string; refusals: readonly Refusal[] }
  /** further calls with their summaries */
  | { kind: 'calls'; routes: readonly Route[] }
  /** what a send costs; only on the screen */
  | { kind: 'prices' };

export interface Code {
  kind: 'code';
  code: string;
  language: 'javascript' | 'python' | 'bash' | 'json';
  label: string;
  /** the reader chooses the key that it names */
  isOfKey?: true;
}

export type Sample =
  | Code
  /** the same in each language, and the call that they make with the reader's key; 'later': the screen loads them when they come into view */
  | { kind: 'samples'; label: string; samples: Samples | 'later'; route?: Route }
  | { kind: 'address'; address: string };

/** Text with the sample that stands beside it where there is room. */
export interface Part {
  text: readonly Block[];
  sample?: Sample;
  /** stands after the sample on narrow screens */
  more?: readonly Block[];
}

export interface Chapter {
  /** its anchor on the screen, and the name of its Markdown page */
  id: string;
  title: string;
  /** one sentence */
  summary: string;
  parts: readonly Part[];
  /** the parts are numbered steps */
  isSteps?: true;
  /** calls that the screen shows one at a time, before the parts */
  calls?: readonly { id: string; name: string; parts: readonly Part[] }[];
}

export const json = (value: object, label: string): Code => ({
  kind: 'code',
  code: JSON.stringify(value, null, 2),
  language: 'json',
  label,
});
