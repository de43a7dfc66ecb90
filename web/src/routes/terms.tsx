import { createFileRoute } from '@tanstack/react-router';
import { Terms } from '../legal/Terms.tsx';
import { titled } from '../shell/title.ts';

export const Route = createFileRoute('/terms')({ head: titled('Terms of Service'), component: Terms });
