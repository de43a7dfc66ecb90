import { createFileRoute } from '@tanstack/react-router';
import { SignUp } from '../../accounts/SignUp.tsx';
import { titled } from '../../shell/title.ts';

export const Route = createFileRoute('/_auth/sign-up')({ head: titled('Sign up'), component: SignUp });
