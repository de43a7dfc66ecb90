import type { Mode } from '@sixdigit/contract/protection/protection.ts';
import { MODE_NAMES } from '../../protection/rule-texts.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';

const tones: Record<Mode, Tone> = { enforce: 'green', monitor: 'orange', off: 'gray' };

/** Whether a rule blocks. */
export const ModeBadge = ({ mode }: { mode: Mode }) => <Badge tone={tones[mode]}>{MODE_NAMES[mode]}</Badge>;
