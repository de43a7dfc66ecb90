import { createFileRoute } from '@tanstack/react-router';
import { titled } from '../frame/title.ts';
import { otherPages } from '../pages.ts';
import { Terms } from '../public/Terms.tsx';

export const Route = createFileRoute('/terms')({ head: titled(otherPages.terms), component: Terms });
