import { Anchor } from '@mantine/core';
import type { Chapter as ChapterText, Part, Sample as SampleOf } from '@sixdigit/contract/docs/chapter.ts';
import { chaptersOf } from '@sixdigit/contract/docs/chapters.ts';
import { LLMS } from '@sixdigit/contract/docs/markdown.ts';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { currentUser } from '../accounts/current-user.ts';
import { ownTarget } from '../api/curl.ts';
import { useDeployment } from '../api/deployment.ts';
import { pages } from '../pages.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { Later } from '../ui/Later.tsx';
import { lazyDialog } from '../ui/lazy-dialog.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { ButtonLink } from '../ui/links.tsx';
import { Near } from '../ui/Near.tsx';
import { OnThisPage } from '../ui/OnThisPage.tsx';
import { PageHeading } from '../ui/PageHeading.tsx';
import { Tabs } from '../ui/Tabs.ts';
import { Blocks } from './Blocks.tsx';
import { Beside, Chapter } from './Chapter.tsx';
import classes from './Docs.module.css';
import { type Endpoint, useDocsSearch } from './docs-address.ts';
import { KeyNote, KeyPicker, Sample, SampleBar, useChosenKey } from './Sample.tsx';
import { useSendCost } from './send-cost.ts';

/** Loaded on the first search. */
const DocsSearch = lazyDialog(async () => (await import('./DocsSearch.tsx')).DocsSearch);

/** The chapters for this deployment, reader and chosen key. */
function useChapters(): ChapterText[] {
  const { api_url, sms_max_segments } = useDeployment();
  const { data: user } = useQuery(currentUser);
  const key = useChosenKey();
  const sendCost = useSendCost();
  const { channel, recipient } = ownTarget(user);
  const keyPrefix = key?.prefix;
  return useMemo(
    () =>
      chaptersOf({
        apiUrl: api_url,
        smsMaxSegments: sms_max_segments,
        target: { channel, recipient },
        keyPrefix,
        sendCost,
      }),
    [api_url, sms_max_segments, channel, recipient, keyPrefix, sendCost],
  );
}

/** The API documentation of this deployment. Shapes, limits and errors come from the contract. */
export function Docs() {
  const [isSearching, setSearching] = useState(false);
  const chapters = useChapters();
  const [first, ...others] = chapters.map((chapter) =>
    chapter.calls ? (
      <Calls key={chapter.id} chapter={chapter} />
    ) : (
      <PlainChapter key={chapter.id} chapter={chapter} />
    ),
  );
  return (
    <>
      <PageHeading
        title={pages.docs.title}
        actions={
          <ButtonLink to="/" search={{ dialog: 'test-send' }} variant="default">
            Send a Test Code
          </ButtonLink>
        }
      >
        Send a code, verify it, and get an event when its status changes. Samples run as pasted. Those that
        use a package need it installed first.{' '}
        <Anchor href={LLMS} target="_blank" rel="noreferrer" inherit className="whitespace-nowrap">
          Read as Markdown
        </Anchor>
      </PageHeading>
      <div className="sticky top-(--header) z-20 mb-4 flex items-center gap-4 bg-canvas py-2">
        <OnThisPage sections={chapters} asStrip />
        <SearchTrigger onOpen={() => setSearching(true)} />
      </div>
      <div className={`${classes.chapters} grid grid-cols-1 gap-6`}>
        {first}
        <Later>{others}</Later>
      </div>
      <DocsSearch opened={isSearching} onClose={() => setSearching(false)} />
    </>
  );
}

const SearchTrigger = ({ onOpen }: { onOpen: () => void }) => (
  <button
    type="button"
    className={`${classes.find} flex h-8.5 flex-none cursor-pointer items-center gap-2 rounded-8 border border-line bg-surface text-[0.84375rem] text-ink-soft hover:border-border hover:text-ink`}
    aria-label="Search the docs"
    onClick={onOpen}
    aria-keyshortcuts="/"
  >
    <IconSearch size={16} stroke={1.75} aria-hidden />
    <span className="max-md:hidden">Search the docs</span>
    <span className="rounded-4 border border-line bg-sunken px-1.5 text-12 max-md:hidden" aria-hidden="true">
      /
    </span>
  </button>
);

/** Shows one call at a time. */
function Calls({ chapter: { id, title, calls = [], parts } }: { chapter: ChapterText }) {
  const [{ endpoint }, change] = useDocsSearch();
  return (
    <Chapter id={id} title={title}>
      <Tabs
        value={endpoint}
        onChange={(value) => value && void change({ endpoint: value as Endpoint })}
        keepMounted={false}
      >
        <Tabs.List aria-label="Call" mb="md">
          {calls.map((call) => (
            <Tabs.Tab key={call.id} value={call.id}>
              {call.name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {calls.map((call) => (
          <Tabs.Panel key={call.id} value={call.id}>
            <Parts parts={call.parts} />
          </Tabs.Panel>
        ))}
      </Tabs>
      <Parts parts={parts} />
    </Chapter>
  );
}

const SignatureSample = lazyPart(async () => {
  const { signatureSamples } = await import('@sixdigit/contract/docs/signature-samples.ts');
  return () => <Sample samples={signatureSamples} label="Verify a signature" />;
});

const PlainChapter = ({ chapter: { id, title, parts, isSteps } }: { chapter: ChapterText }) => (
  <Chapter id={id} title={title}>
    {isSteps ? (
      <ol className={`${classes.steps} m-0 grid list-none grid-cols-1 gap-5 p-0`}>
        {parts.map((part) => (
          <li key={keyOf(part)}>
            <OnePart part={part} />
          </li>
        ))}
      </ol>
    ) : (
      <Parts parts={parts} />
    )}
  </Chapter>
);

const Parts = ({ parts }: { parts: readonly Part[] }) =>
  parts.map((part) => <OnePart key={keyOf(part)} part={part} />);

const keyOf = ({ text: [first] }: Part): string => JSON.stringify(typeof first === 'object' ? 0 : first);

function OnePart({ part: { text, sample, more } }: { part: Part }) {
  if (!sample) return <Blocks blocks={text} />;
  return (
    <Beside sample={<OneSample sample={sample} />} more={more && <Blocks blocks={more} />}>
      <Blocks blocks={text} />
    </Beside>
  );
}

function OneSample({ sample }: { sample: SampleOf }) {
  switch (sample.kind) {
    case 'address':
      return <CodeBlock code={sample.address} label="Base URL" copyLabel="Copy base URL" />;
    case 'code': {
      const { code, language, label, isOfKey } = sample;
      const block = <CodeBlock code={code} language={language} label={label} title={label} />;
      if (!isOfKey) return block;
      return (
        <>
          <SampleBar>
            <KeyPicker />
          </SampleBar>
          {block}
          <KeyNote />
        </>
      );
    }
    case 'samples': {
      const { samples, label, route } = sample;
      if (samples === 'later')
        return (
          <Near room={56}>
            <SignatureSample />
          </Near>
        );
      return (
        <>
          <Sample samples={samples} label={label}>
            <KeyPicker />
          </Sample>
          {route ? <KeyNote route={route} /> : <KeyNote />}
        </>
      );
    }
  }
}
