import { createFileRoute } from '@tanstack/react-router';
import { Terms } from '../legal/Terms.tsx';
import { otherPages } from '../pages.ts';
import { titled } from '../shell/title.ts';

export const Route = createFileRoute('/terms')({ head: titled(otherPages.terms), component: Terms });
