import type { Chapter as ChapterText, Part, Sample as SampleOf } from '@sixdigit/contract/docs/chapter.ts';
import { CodeBlock } from '../ui/CodeBlock.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Near } from '../ui/Near.tsx';
import { Blocks } from './Blocks.tsx';
import { Beside, Chapter } from './Chapter.tsx';
import classes from './Docs.module.css';
import { KeyNote, KeyPicker, Sample, SampleBar } from './Sample.tsx';

const SignatureSample = lazyPart(async () => {
  const { signatureSamples } = await import('@sixdigit/contract/docs/signature-samples.ts');
  return () => <Sample samples={signatureSamples} label="Verify a signature" />;
});

export const PlainChapter = ({ chapter: { id, title, parts, isSteps } }: { chapter: ChapterText }) => (
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

export const Parts = ({ parts }: { parts: readonly Part[] }) =>
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
