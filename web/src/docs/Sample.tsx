import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Tabs } from '../ui/Tabs.ts';
import classes from './Docs.module.css';
import { useSampleLanguage } from './docs-address.ts';
import { type SampleLanguage, type Samples, sampleLanguages } from './sample-languages.ts';

interface Props {
  samples: Samples;
  label: string;
  /** beside the languages */
  children?: ReactNode;
}

/** A code sample in four languages. The chosen language applies to all samples, and this browser remembers it. */
export function Sample({ samples, label, children }: Props) {
  const [language, choose] = useSampleLanguage();
  return (
    <Tabs
      value={language}
      onChange={(value) => value && choose(value as SampleLanguage)}
      variant="pills"
      keepMounted={false}
      classNames={{ tab: classes.language ?? '' }}
    >
      <div className={classes.choices}>
        <Tabs.List aria-label={`${label}: language`}>
          {sampleLanguages.map(({ value, label: name }) => (
            <Tabs.Tab key={value} value={value}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {children}
      </div>
      {sampleLanguages.map(({ value, label: name, highlight }) => (
        <Tabs.Panel key={value} value={value}>
          <CodeBlock code={samples[value]} language={highlight} label={`${label} in ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}
