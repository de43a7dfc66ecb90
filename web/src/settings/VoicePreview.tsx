import { callScript } from '@sixdigit/contract/text/call-script.ts';
import { deployment } from '../api/deployment.ts';
import classes from './VoicePreview.module.css';

/** Previews a call part by part. A call has a text of its own, because it spells the code. */
export const VoicePreview = ({ codeLength }: { codeLength: number }) => (
  <ol className={classes.script} aria-label="The call">
    {callScript(deployment().brand_name, '12345678'.slice(0, codeLength)).map((part, position) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a call repeats its sentences, always in the same places
      <li key={position} data-pause={'say' in part ? undefined : true}>
        {'say' in part
          ? part.say
          : `Pause of ${part.pause_seconds} ${part.pause_seconds === 1 ? 'second' : 'seconds'}`}
      </li>
    ))}
  </ol>
);
