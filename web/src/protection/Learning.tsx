import { LEARNED_RULES, LEARNING, type Protection } from '@sixdigit/contract/protection/protection.ts';
import { IconSchool } from '@tabler/icons-react';

/** Explains why rules that are set to enforce block nothing yet. */
export function Learning({ learning, rules }: Pick<Protection, 'learning' | 'rules'>) {
  const isWaiting = LEARNED_RULES.some((rule) => rules[rule].mode === 'enforce');
  if (!learning.is_learning || !isWaiting) return null;
  const { finished, finished_needed, verified, verified_percent_needed } = learning;
  const percent = finished === 0 ? 0 : Math.floor((verified / finished) * 100);
  return (
    <div className="mb-4 flex gap-3 rounded-10 bg-orange-soft px-4 py-3 text-14 text-on-orange-soft">
      <IconSchool className="flex-none" size={20} stroke={1.75} aria-hidden />
      <div>
        <strong>Rules that learn from your traffic only monitor for now.</strong>
        <p className="mt-[0.15rem] mb-0">
          They wait for {finished_needed} finished sends in {LEARNING.days} days, of which at least{' '}
          {verified_percent_needed} % are verified. So far: {finished.toLocaleString('en-US')} finished,{' '}
          {percent} % verified.
        </p>
      </div>
    </div>
  );
}
