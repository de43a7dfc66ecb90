import { Badge } from './Badge.tsx';

/** Marks what was made with a test key. */
export const TestBadge = () => <Badge tone="orange">Test</Badge>;
