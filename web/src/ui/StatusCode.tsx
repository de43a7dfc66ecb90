import { Badge, type Tone } from './Badge.tsx';

const tones: Record<string, Tone> = { 2: 'green', 4: 'orange', 5: 'red' };

/** A badge for an HTTP status: success, warning, destructive or outline. */
export const StatusCode = ({ status }: { status: number }) => (
  <Badge tone={tones[Math.floor(status / 100)] ?? 'outline'}>{status}</Badge>
);
