import { createFileRoute } from '@tanstack/react-router';
import { Privacy } from '../legal/Privacy.tsx';
import { titled } from '../shell/title.ts';

export const Route = createFileRoute('/privacy')({ head: titled('Privacy Policy'), component: Privacy });
