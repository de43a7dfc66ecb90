import { signatureSamples } from '@sixdigit/contract/docs/signature-samples.ts';
import { Sample } from './Sample.tsx';

export const SignatureSample = () => <Sample samples={signatureSamples} label="Verify a signature" />;
