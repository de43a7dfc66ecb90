import type { ReactNode } from 'react';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Tabs } from '../ui/Tabs.ts';
import { useSampleLanguage } from './docs-address.ts';
import { type SampleLanguage, type Samples, sampleLanguages } from './sample-languages.ts';

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
    <Tabs
      value={language}
      onChange={(value) => value && choose(value as SampleLanguage)}
      variant="pills"
      keepMounted={false}
      classNames={{ tab: 'px-[0.7rem] data-active:text-on-filled' }}
    >
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
          <CodeBlock code={samples[value]} language={highlight} label={`${label} in ${name}`} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

/** The row of choices above a sample. Hidden if empty. */
export const SampleBar = ({ children }: { children: ReactNode }) => (
  <div className="mb-2 flex flex-wrap items-center justify-between gap-2 empty:hidden">{children}</div>
);
