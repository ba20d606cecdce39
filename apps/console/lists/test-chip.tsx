import { Chip } from '../controls/chip';
import { useTexts } from '../text/texts';

/** On what belongs to a test shop. */
export function TestChip({ of }: { of: { test?: boolean } }) {
  const { filters } = useTexts();
  return of.test && <Chip tone="info">{filters.test}</Chip>;
}
