import type { Language } from '../ui/highlight.ts';

/** The languages of the code samples. */
export const sampleLanguages = [
  { value: 'javascript', label: 'JavaScript', highlight: 'javascript' },
  { value: 'python', label: 'Python', highlight: 'python' },
  { value: 'php', label: 'PHP', highlight: 'php' },
  { value: 'curl', label: 'cURL', highlight: 'bash' },
] as const satisfies readonly { value: string; label: string; highlight: Language }[];

export type SampleLanguage = (typeof sampleLanguages)[number]['value'];
export type Samples = Record<SampleLanguage, string>;
