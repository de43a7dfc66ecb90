import { Link } from '@tanstack/react-router';
import { deployment } from '../api/deployment.ts';

const link = 'inline-flex items-center rounded-4 text-ink-soft hover:text-ink touch:min-h-11';

/** `inNewTab`: below a form, whose entries would be lost. */
export const PublicFooter = ({ inNewTab = false }: { inNewTab?: boolean }) => (
  <footer className="flex flex-wrap gap-x-5 gap-y-[0.4rem] text-13">
    <Link to="/privacy" className={link} {...(inNewTab && { target: '_blank' })}>
      Privacy Policy
    </Link>
    <Link to="/terms" className={link} {...(inNewTab && { target: '_blank' })}>
      Terms of Service
    </Link>
    <a className={link} href={`mailto:${deployment().support_email}`}>
      Support
    </a>
  </footer>
);
