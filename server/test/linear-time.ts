import { expect } from 'vitest';

/** Texts that make readers with super-linear time slow, and a measurement that a busy machine does not disturb. */
const ASCII = [...' !"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~0aZ'];
const OTHERS = [
  '\t',
  '\n',
  '\r\n',
  '\0',
  '\u00a0',
  '\u00ad',
  '\u034f\u00ad',
  '\u200d',
  '\u0301',
  '\u0663',
  '\u3002',
  'é',
  '😀',
];
const TOKENS = [
  '{"a":',
  '"a":"b",',
  '","to":"',
  '", "to": ',
  '" ,',
  '\\"',
  '\\u0061',
  'a=&',
  'a=1&',
  'a[b]=1&',
  '%20',
  '%41',
  ', ',
  ',\t',
  'v1,',
  'v1,a ',
  't=1,v1=a,',
  ':1',
  'a.',
  'a@',
  'a:/',
  '1.',
  '-1',
  'a-',
  '(1',
  '1 ',
  '<a',
  'T1',
  'sd_',
];
export const UNITS: readonly string[] = [...ASCII, ...OTHERS, ...TOKENS];

/** One unit of each kind, for readers that cost more to call. */
export const FEW_UNITS: readonly string[] = [
  ...' \t"[(1a.,:;%/-=\\',
  '\u00ad',
  '\u034f\u00ad',
  '{"a":',
  '","to":"',
  'a=&',
  ', ',
];

/** The unit, repeated up to a number of characters. */
export const repeated = (unit: string, characters: number): string =>
  unit.repeat(Math.ceil(characters / unit.length)).slice(0, characters);

/** Each unit, repeated, behind each beginning of a genuine text that ends where a value begins or where one has ended. */
export function* stretched(genuine: string, characters: number): Iterable<string> {
  const values = genuine.matchAll(/^|"?[:=] ?"?(?=[^":=])|" ?(?=,)/g);
  const cuts = [...new Set([...values].map(({ index, 0: found }) => index + found.length))];
  const step = Math.ceil(cuts.length / CUTS_MOST);
  for (const cut of cuts.filter((_, n) => n % step === 0 || n >= cuts.length - 2))
    for (const unit of UNITS) yield genuine.slice(0, cut) + repeated(unit, characters);
}

const CUTS_MOST = 12;

/**
 * Linear work on 64 KB takes a few milliseconds, quadratic work seconds. The CPU time of this thread does not depend on other
 * processes.
 */
const CPU_MS_MOST = 250;

const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Fails if the work takes more CPU time than linear work could. */
export async function expectQuick(what: string, work: () => unknown): Promise<void> {
  const before = cpuMs();
  await work();
  const tookMs = cpuMs() - before;
  if (tookMs > CPU_MS_MOST) expect.fail(`${what.slice(0, 200)} took ${Math.round(tookMs)} ms of CPU time`);
}
