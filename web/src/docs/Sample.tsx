import { NativeSelect } from '@mantine/core';
import type { ApiKey } from '@sixdigit/contract/api-keys.ts';
import { type SampleLanguage, type Samples, sampleLanguages } from '@sixdigit/contract/docs/chapter.ts';
import type { Route } from '@sixdigit/contract/route.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { nowMs } from '../api/clock.ts';
import { apiKeyChoices } from '../api-keys/api-keys.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Tabs } from '../ui/Tabs.ts';
import classes from './Docs.module.css';
import { useDocsSearch, useSampleLanguage } from './docs-address.ts';

interface Props {
  samples: Samples;
  label: string;
  /** next to the languages */
  children?: ReactNode;
}

/** A code sample in four languages. The selected language applies to all samples and is stored in this browser. */
export function Sample({ samples, label, children }: Props) {
  const [language, choose] = useSampleLanguage();
  return (
    <Tabs value={language} onChange={(value) => value && choose(value as SampleLanguage)} keepMounted={false}>
      <SampleBar>
        <Tabs.List aria-label={`${label}: language`}>
          {sampleLanguages.map(({ value, label: name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {children}
      </SampleBar>
      {sampleLanguages.map(({ value, label: name, highlight }) => (
        <Tabs.Panel key={value} value={value}>
          <CodeBlock code={samples[value]} language={highlight} label={`${label} in ${name}`} title={label} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The row of choices above a sample. Hidden if empty. */
export const SampleBar = ({ children }: { children: ReactNode }) => (
  <div className={`mb-2 flex flex-wrap items-center justify-between gap-2 ${classes.choices}`}>
    {children}
  </div>
);

/** The key that the reader selected for the samples. Only its prefix is known. */
export function useChosenKey(): ApiKey | undefined {
  const [{ api_key }] = useDocsSearch();
  const { data } = useQuery(apiKeyChoices);
  return data?.results.find(({ id }) => id === api_key);
}

/** Selects the key whose prefix the samples show. Keeps its place while it loads. Hidden if the account has no keys. */
export function KeyPicker() {
  const [, change] = useDocsSearch();
  const { data, isPending } = useQuery(apiKeyChoices);
  const chosen = useChosenKey();
  const keys = data?.results ?? [];
  if (keys.length === 0 && !isPending) return null;
  return (
    <NativeSelect
      size="xs"
      className="basis-42"
      aria-label="API key in the samples"
      value={chosen?.id ?? ''}
      onChange={({ currentTarget: { value } }) => void change({ api_key: value || undefined })}
      data={[
        { value: '', label: 'Any API key' },
        ...keys.map(({ id, name, prefix }) => ({ value: id, label: `${name} (${prefix}...)` })),
      ]}
    />
  );
}

/** The selected key's limits and mode, if they change the outcome of a call. */
export function KeyNote({ route }: { route?: Route }) {
  const key = useChosenKey();
  const text = key && noteOn(key, route);
  return text ? <p className="mt-2 mb-0 text-13 text-ink-soft">{text}</p> : null;
}

type Noted = Pick<ApiKey, 'name' | 'mode' | 'scopes' | 'expires_at'>;

/** The most important warning about calls with this key. */
export function noteOn({ name, mode, scopes, expires_at }: Noted, route?: Route): string | undefined {
  if (expires_at !== null && new Date(expires_at) <= new Date(nowMs())) return `${name} has expired.`;
  if (route?.scope && !scopes.includes(route.scope))
    return `${name} lacks the scope ${route.scope}, which this call needs.`;
  if (mode === 'test') return `${name} is a test key: nothing is sent and nothing is charged.`;
  return undefined;
}
