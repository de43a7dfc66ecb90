import { Sample } from './Sample.tsx';
import { signatureSamples } from './signature-samples.ts';

export const SignatureSample = () => <Sample samples={signatureSamples} label="Verify a signature" />;
