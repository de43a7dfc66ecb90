import type { CallPart } from '@sixdigit/contract/text/call-script.ts';
import { countOf } from '../ui/numbers.ts';

/** Previews a call part by part. Calls have their own text, because they spell out the code. */
export const VoicePreview = ({ script }: { script: readonly CallPart[] }) => (
  <ol className="m-0 grid list-none justify-items-start gap-1.5 p-0" aria-label="Call script">
    {script.map((part, position) => (
      <li
        // biome-ignore lint/suspicious/noArrayIndexKey: a call repeats its sentences, always in the same places
        key={position}
        className={
          'say' in part
            ? 'max-w-96 rounded-16 rounded-bl-4 bg-sunken px-3.5 py-2 text-15 wrap-anywhere'
            : 'px-3.5 text-13 text-ink-soft'
        }
      >
        {'say' in part ? part.say : `Pause of ${countOf(part.pause_seconds, 'second')}`}
      </li>
    ))}
  </ol>
);
