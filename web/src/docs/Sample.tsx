import { Tabs } from '@mantine/core';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import classes from './Docs.module.css';
import { useDocsSearch } from './docs-address.ts';
import { type SampleLanguage, type Samples, sampleLanguages } from './sample-languages.ts';

/** A code sample in four languages. The chosen language applies to the whole page and to shared links. */
export function Sample({ samples, label }: { samples: Samples; label: string }) {
  const [{ language }, change] = useDocsSearch();
  return (
    <Tabs
      value={language}
      onChange={(value) => value && change({ language: value as SampleLanguage })}
      variant="pills"
      keepMounted={false}
      classNames={{ tab: classes.language ?? '' }}
    >
      <Tabs.List aria-label={`${label}: language`} mb="xs">
        {sampleLanguages.map(({ value, label: name }) => (
          <Tabs.Tab key={value} value={value}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {sampleLanguages.map(({ value, label: name, highlight }) => (
        <Tabs.Panel key={value} value={value}>
          <CodeBlock code={samples[value]} language={highlight} label={`${label} in ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
